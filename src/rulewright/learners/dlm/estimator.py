"""The decision list machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulewright.learners.base.greedy import GreedyMachine
from rulewright.learners.base.greedy_task import Stage, Task
from rulewright.learners.base.parameters import read_max_rules, read_penalties
from rulewright.learners.dlm.search import listing_path, listing_stages
from rulewright.models import PathEntry


class DecisionListMachine(GreedyMachine):
    """A short list of rules, the first that fires answers, chosen greedily, with a certificate.

    Any number of classes, in one list.

    Parameters
    ----------
    family : str, Family, or list of these, default "auto"
        Where predicates come from; see ``SetCoveringMachine``. "auto" is thresholds, categories and
        missing, and takes tables of any kind. The papers' machine has "balls", which need numbers
        without missing values.
    types : {"simple", "complex"}, default "simple"
        Simple balls answer with their centre's class inside (the papers' Pi and Ni); complex ones
        also with another class outside (Po and No).
    penalties : float, pair, or dict, default 1.0
        What an example costs that a rule answers wrongly, in examples answered rightly: one number
        for all, a pair (of positives, of negatives) for two classes, the second of which is the
        positive one, or a dict with one number a class. Infinite: lose none if that can be.
    max_rules : int or None, default 10
        At most so many rules; None for as many as help.
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
        The list at every size, from the same run; the last is ``model_``. Sizes are left out whose
        last rule answers as the default does. With penalties of 1 the path ends with the last list
        that loses no more on the training rows, costs and weights included, than the majority
        answer; where there is none, that answer is the model.
    feature_importances_ : array
        How much each column contributes to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests, or of a vote the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    The search is BuildDLM of Sokolova, Japkowicz, Marchand and Shawe-Taylor (2003), The Decision
    List Machine, section 2. Centres and borders are examples that no earlier rule answers. Where no
    rule fires, two classes: the other class than the last rule's; more: the majority of what
    remains, or with ``consistent`` the class of the last border. Ties in usefulness go to the rule
    that covers more, then to the later class, then as in ``SetCoveringMachine``.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import DecisionListMachine
    >>> X = np.array([[1.0], [2.0], [3.0], [6.0], [7.0], [8.0]])
    >>> y = ["low", "low", "low", "high", "high", "high"]
    >>> machine = DecisionListMachine().fit(X, y)
    >>> print(machine.model_)
    the first of these that holds:
      1. low if x0 <= 3
    otherwise high
    """

    _many_classes = True

    def __init__(
        self,
        family: Any = "auto",
        types: str = "simple",
        penalties: Any = 1.0,
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
        self.family = family
        self.types = types
        self.penalties = penalties
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
        return ("list",)

    def _stages(self, task: Task, arrangement: str) -> Iterator[Stage]:
        penalties = read_penalties(self.penalties, task.sample.classes)
        return listing_stages(task, penalties, read_max_rules(self.max_rules))

    def _path(self, task: Task, arrangement: str) -> list[PathEntry]:
        penalties = read_penalties(self.penalties, task.sample.classes)
        return listing_path(task, penalties, read_max_rules(self.max_rules))
