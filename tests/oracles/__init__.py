"""Slow, obvious twins of what the library does fast."""
