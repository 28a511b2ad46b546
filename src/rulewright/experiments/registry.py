"""The experiments by their names."""

from __future__ import annotations

from rulewright.experiments.experiment import Experiment

ALL: tuple[Experiment, ...] = ()
"""All experiments, in the order of the list on the command line; a new one is a line here."""

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
