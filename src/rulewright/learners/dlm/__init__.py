"""The decision list machine."""
