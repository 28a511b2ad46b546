"""RIPPER: rules grown, pruned, stopped by their description length, and optimised."""
