"""The experiments by their names."""

from __future__ import annotations

from rulewright.experiments.card.card import OffTheShelf
from rulewright.experiments.experiment import Experiment
from rulewright.experiments.lectures.criteria import Criteria
from rulewright.experiments.lectures.ensembles import Ensembles
from rulewright.experiments.lectures.linear_units import LinearUnits
from rulewright.experiments.lectures.trees import LectureTrees
from rulewright.experiments.published import DlmTable1, ScFigures, ScmTable1, ScmTable2, ScTable

ALL: tuple[Experiment, ...] = (
    DlmTable1(),
    ScmTable1(),
    ScmTable2(),
    ScTable(),
    ScFigures(),
    Criteria(),
    LectureTrees(),
    LinearUnits(),
    Ensembles(),
    OffTheShelf(),
)
"""All experiments, in the order of the list on the command line; a new one is a line here."""

EXPERIMENTS: dict[str, Experiment] = {experiment.name: experiment for experiment in ALL}
