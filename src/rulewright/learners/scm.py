"""The set covering machine."""

from __future__ import annotations

from typing import Any

from rulewright.families import as_families, prepare
from rulewright.learners.base import RuleClassifier
from rulewright.learners.covering import Task, best_path, covering_paths
from rulewright.learners.parameters import read_delta, read_kinds, read_max_rules, read_penalty
from rulewright.learners.sample import Sample
from rulewright.models import PathEntry


class SetCoveringMachine(RuleClassifier):
    """A short conjunction or disjunction of predicates, chosen greedily, with a certificate.

    Parameters
    ----------
    kind : {"conjunction", "disjunction", "best"}, default "conjunction"
        A conjunction answers with the second class where all its predicates hold, a disjunction
        where any of them does. "best" tries both and keeps the one with the better certificate,
        which pays for the choice.
    family : str, Family, or list of these, default "auto"
        Where predicates come from: "thresholds" (numeric columns), "categories" (categorical
        columns), "missing" (whether a value is there), or "auto" for all of these.
    p : float, default 1.0
        Penalty: every example of the other class that a predicate loses outweighs p examples
        that it covers. Infinite: lose none if that can be.
    max_rules : int or None, default 10
        At most so many predicates; None for as many as help.
    delta : float, default 0.05
        The certificate holds with probability at least ``1 - delta``.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories. Text and Booleans are categories anyway.
    n_jobs : int, optional
        Threads; -1 for all. The model is the same for any number.
    random_state : ignored
        The search uses no chance. Present so that it can be set on every step of a pipeline.

    Attributes
    ----------
    model_ : Model
        What was learnt: prints as rules, predicts, explains, saves itself.
    certificate_ : Certificate
        How far it can be trusted.
    path_ : list of PathEntry
        The machine at every size, from the same run; the last is ``model_``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The search is BuildSCM of Marchand, Shah, Shawe-Taylor and Sokolova (2003), The Set Covering
    Machine with Data-Dependent Half-Spaces, section 2. Ties in usefulness go to the predicate that
    covers more, then to the one that loses less, then to the earlier family, column, operator
    (``<=`` before ``>``, ``=`` before ``!=``) and value.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import SetCoveringMachine
    >>> X = np.array([[148, 33.6], [85, 26.6], [183, 23.3], [89, 28.1], [137, 43.1], [116, 25.6]])
    >>> y = ["ill", "well", "ill", "well", "ill", "well"]
    >>> machine = SetCoveringMachine().fit(X, y)
    >>> print(machine.model_)
    well if all of these hold, otherwise ill:
      1. x0 <= 116
    """

    def __init__(
        self,
        kind: str = "conjunction",
        family: Any = "auto",
        p: float = 1.0,
        max_rules: int | None = 10,
        delta: float = 0.05,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.kind = kind
        self.family = family
        self.p = p
        self.max_rules = max_rules
        self.delta = delta
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _search(self, sample: Sample) -> list[PathEntry]:
        task = Task(sample, as_families(self.family), read_delta(self.delta))
        kinds, p = read_kinds(self.kind), read_penalty(self.p)
        search = prepare(task.families, sample.table, self._threads())
        paths = covering_paths(task, kinds, p, read_max_rules(self.max_rules), search)
        return best_path(paths)
