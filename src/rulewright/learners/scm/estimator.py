"""The set covering machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.learners.base.greedy import GreedyMachine
from rulewright.learners.base.greedy_task import Stage, Task
from rulewright.learners.base.parameters import read_kinds, read_max_rules, read_penalty
from rulewright.learners.scm.search import covering_path, covering_stages
from rulewright.models import PathEntry


class SetCoveringMachine(GreedyMachine):
    """A short conjunction or disjunction of predicates, chosen greedily, with a certificate.

    Parameters
    ----------
    kind : {"conjunction", "disjunction", "best"}, default "conjunction"
        A conjunction answers with the second class where all its predicates hold, a disjunction
        where any of them does. "best" tries both and keeps the one with the better certificate,
        which pays for the choice.
    family : str, Family, or list of these, default "auto"
        Where predicates come from: "thresholds", "intervals", "midpoints" (numeric columns),
        "categories", "subsets" (categorical columns), "missing" (whether a value is there), "given"
        (Boolean columns), "balls" and "half_spaces" (all numeric columns together), "half_planes"
        (two of them). "auto" is thresholds, categories and missing; of a list the best of all is
        chosen at each step. A Family has options of its own:
        ``rulewright.families.GivenPredicates(functions={"name": function})`` asks functions that
        get the columns by name and answer True or False for every row.
    p : float, default 1.0
        Penalty: every example of the other class that a predicate loses outweighs p examples
        that it covers. Infinite: lose none if that can be.
    max_rules : int or None, default 10
        At most so many predicates; None for as many as help.
    metric : str or function, default "l2"
        How balls measure: "l1", "l2", "linf", "kernel" (the distance in the kernel's space),
        "precomputed" (X holds the distances to the training rows) or a function of two points.
    kernel : str or function, default "linear"
        How half-spaces compare: "linear", "rbf", "polynomial", "precomputed" (X holds the
        similarities to the training rows; for balls followed by k(x, x) in a last column) or a
        function of two points.
    gamma, degree, coef0 : float, int, float, default 1.0, 3, 0.0
        ``exp(-gamma |x - y|^2)`` and ``(gamma x.y + coef0) ** degree``.
    scale : {"none", "standard", "rank"}, default "none"
        Scale of the columns for balls and half-spaces. Other than "none", it is measured on every
        tenth row, which then tests nothing; there a weight of 2 counts as one row.
    consistent : bool, default False
        Whether the machine must classify the examples that rebuild it correctly. Borders then need
        not be named, which makes the message shorter.
    max_candidates : int, None or "auto", default "auto"
        Try at most so many centres of balls, or pairs of half-spaces, drawn at random; each is
        tallied on all rows. "auto": all below 2,000 rows, from there on 2,000 centres and 100,000
        pairs, which 632 examples make; half-spaces hold 16 bytes a row for each of these. Sums of
        half-planes are limited alike; "auto" tries as many as times the rows make 16 million.
    class_costs : dict of label to number, "balanced" or None, default None
        What misjudging an example of a class costs; 1 where not said. "balanced" makes all
        classes weigh the same. The usefulness of a
        predicate, the answer without rules and the choice between certificates follow it.
    delta : float, default 0.05
        The certificate holds with probability at least ``1 - delta``.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories, and text columns to keep though they look like keys
        of the rows. Other text and Booleans are categories anyway.
    n_jobs : int, optional
        Threads; -1 for all. The model is the same for any number.
    random_state : int, generator or None, default None
        Seed of the random choice of candidates where ``max_candidates`` limits them; None is 0.

    Attributes
    ----------
    model_ : Model
        What was learnt: prints as rules, predicts, explains, saves itself.
    certificate_ : Certificate
        How far it can be trusted.
    path_ : list of PathEntry
        The machine at every size, from the same run; the last is ``model_``. With ``p = 1`` it ends
        with the last machine that loses no more on the training rows, costs and weights included,
        than the majority answer; where there is none, that answer is the model.
    feature_importances_ : array
        How much each column contributes to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests, or of a vote the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The search is BuildSCM of Marchand, Shah, Shawe-Taylor and Sokolova (2003), The Set Covering
    Machine with Data-Dependent Half-Spaces, section 2. Ties in usefulness go to the predicate that
    covers more, then to the one that loses less, then to the earlier family and, in it, to the
    earlier candidate: by column, operator (``<=`` before ``>``, ``=`` before ``!=``) and value, or
    by the places of its examples. Named columns count by name, and examples in canonical order, so
    that the order of the table changes nothing. Columns of an array are known by their positions.

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
        metric: Any = "l2",
        kernel: Any = "linear",
        consistent: bool = False,
        delta: float = 0.05,
        n_jobs: int | None = None,
        random_state: Any = None,
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 0.0,
        scale: str = "none",
        max_candidates: Any = "auto",
        categorical_features: Any = None,
        class_costs: Any = None,
    ) -> None:
        self.kind = kind
        self.family = family
        self.p = p
        self.max_rules = max_rules
        self.metric = metric
        self.kernel = kernel
        self.consistent = consistent
        self.delta = delta
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.max_candidates = max_candidates
        self.categorical_features = categorical_features
        self.class_costs = class_costs

    def _arrangements(self) -> tuple[str, ...]:
        return read_kinds(self.kind)

    def _stages(self, task: Task, arrangement: Any) -> Iterator[Stage]:
        return covering_stages(
            task, arrangement, read_penalty(self.p), read_max_rules(self.max_rules)
        )

    def _path(self, task: Task, arrangement: Any) -> list[PathEntry]:
        return covering_path(
            task, arrangement, read_penalty(self.p), read_max_rules(self.max_rules)
        )
