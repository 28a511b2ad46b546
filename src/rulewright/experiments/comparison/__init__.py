"""Comparison of learners on a table: the same splits, one table, paired tests, a summary."""
