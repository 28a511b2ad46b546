"""Small ugly data: ties, duplicates, missing values, infinities, constant columns, zero weights."""
