"""Rules from trees: every path of a tree becomes a rule."""
