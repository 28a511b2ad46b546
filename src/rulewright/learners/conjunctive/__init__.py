"""Lists and votes of rules with several terms."""
