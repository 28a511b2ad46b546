"""SLIPPER: rules grown and pruned one by one, and boosted into a vote."""
