"""The set covering machine."""
