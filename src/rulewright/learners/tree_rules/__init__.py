"""Rules from trees: a tree is taken apart into paths, which become rules of their own."""
