"""Decision trees: one algorithm with named parts, and CART, C4.5 and ID3 as presets."""

__all__ = ["cost_complexity_path", "fewest_errors"]

from rulewright.learners.tree.pruning_paths import cost_complexity_path, fewest_errors
