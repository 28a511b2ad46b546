"""Decision trees: one algorithm with named parts, and CART, C4.5 and ID3 as presets."""
