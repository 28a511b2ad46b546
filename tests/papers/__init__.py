"""The tables of the source papers, on the papers' own data sets."""
