"""The experiments by their names."""

from __future__ import annotations

from rulewright.experiments.experiment import Experiment
from rulewright.experiments.published import DlmTable1, ScFigures, ScmTable1, ScmTable2, ScTable

ALL: tuple[Experiment, ...] = (DlmTable1(), ScmTable1(), ScmTable2(), ScTable(), ScFigures())
"""All experiments, in the order of the list on the command line; a new one is a line here."""

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
