"""Decision trees: one way to grow them, whose parts have names, and the famous ones as presets."""
