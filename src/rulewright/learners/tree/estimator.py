"""The decision tree for classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import Bunch

from rulewright.errors import InputError
from rulewright.learners.base.classifier import RuleClassifier
from rulewright.learners.base.greedy_task import worth_of
from rulewright.learners.base.parameters import read_class_costs, read_delta, read_seed, read_switch
from rulewright.learners.base.sample import Sample
from rulewright.learners.tree.layout import Layout
from rulewright.learners.tree.presets import (
    MISSING,
    PRUNINGS,
    Preset,
    read_amount,
    read_choice,
    read_criterion,
    read_preset,
)
from rulewright.learners.tree.search import Pruning, best_tree, grow, tree_path
from rulewright.learners.tree.tree_estimator import TreeEstimator, pruning_path
from rulewright.models import PathEntry


class TreeClassifier(RuleClassifier, TreeEstimator):
    """A decision tree with a certificate: CART, C4.5, ID3, or a tree of any other parts.

    Parameters
    ----------
    preset : {"cart", "c4.5", "id3"}, default "cart"
        What the parts are that are left at "auto". "cart": Gini, thresholds and sets of
        categories, missing values to a learned side, cost-complexity pruning by ``alpha``.
        "c4.5": gain ratio, thresholds and one branch a category, fractional examples, pessimistic
        pruning, two examples a leaf. "id3": information gain, one branch a category, no pruning.
    criterion : str or function, default "auto"
        What a split is chosen by: "gini", "entropy" (information gain), "gain_ratio", "error", the
        name of a function in ``rulewright.criteria`` or any function ``f(p, n, P, N)`` of that
        kind: then a split is as good as the best rule that one of its branches makes.
    splits : str, Family, or list of these, default "auto"
        What may be tested: "thresholds", "intervals", one of "multiway" (a branch for each
        category), "subsets" (a set of categories) and "categories" (one category), "balls",
        "half_spaces" (pairs of examples: Hinton & Revow's tree), "half_planes" (two columns
        together), "given", or a Family with options of its own.
    missing : {"auto", "side", "fractional"}, default "auto"
        Missing values take the side that suits them best in training (and being missing can be
        tested), or go down all branches as C4.5's fractional examples: the answer is then the class
        with the largest share, and probabilities are the mixture of the leaves'. Where training
        shows no missing value they take the larger branch, and so do categories that training has
        never seen.
    pruning : {"auto", "none", "bound", "cost-complexity", "pessimistic", "reduced-error"}
        What is cut off. "bound": of all subtrees the one with the best certificate, see ``path_``.
        "cost-complexity": what saves less than ``alpha`` of impurity a leaf. "pessimistic": C4.5's,
        by ``confidence``, with subtree raising. "reduced-error": a third of the examples are kept
        for control, and each split is left, replaced by a branch, or by a leaf.
    max_depth, max_leaves : int or None, default None
        Limits; with ``max_leaves`` the most useful splits come first.
    min_split, min_leaf : float or "auto"
        The least weight of a node that is split, and of a branch. Usually twice ``min_leaf``, and 1
        (2 for C4.5).
    min_gain : float, default 0.0
        The least that a split must save of impurity, as a share of all weight.
    alpha : float, default 0.0
        The price of a leaf in cost-complexity pruning, as scikit-learn's ``ccp_alpha``;
        ``cost_complexity_pruning_path`` lists those that matter.
    confidence : float, default 0.25
        C4.5's confidence of pessimistic pruning: less prunes more.
    raising : bool, default True
        Whether pruning may put a branch in the place of its parent.
    monotone : dict or list, default None
        By column 1 where the second of two classes may only become likelier as it grows, -1 where
        it may only become less likely, 0 where it is free.
    class_costs : dict of label to number, "balanced" or None, default None
        What misjudging an example of a class costs; 1 where not said.
    class_weight : dict, "balanced" or None, default None
        scikit-learn's name for ``class_costs``: set one of them. "balanced" makes all classes weigh
        the same.
    metric, kernel, gamma, degree, coef0, scale
        How balls and half-spaces compare, as in ``SetCoveringMachine``.
    max_candidates : int, None or "auto", default "auto"
        At most so many centres, pairs of examples, or pairs of columns with weights, drawn at
        random. "auto": so many that rows times these are at most 2^24.
    delta : float, default 0.05
        The certificate holds with probability at least ``1 - delta``.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories, and text columns to keep though they look like keys
        of the rows. Other text and Booleans are categories anyway.
    n_jobs : int, optional
        Threads; -1 for all. The tree is the same for any number.
    random_state : int, generator or None, default None
        Seed of the control examples and of the random choice of candidates; None is 0.

    Attributes
    ----------
    model_ : Model
        What was learnt: prints as a tree, predicts, explains, draws and saves itself.
    certificate_ : Certificate
        How far it can be trusted.
    path_ : list of PathEntry
        With ``pruning="bound"`` for each number of leaves the subtree with the fewest errors and
        its certificate (beyond 32 leaves some sizes, and those around the best); or else one entry.
    feature_importances_ : array
        How much each column contributes to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests, or of a vote the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    A split on more than two categories is charged for what it would save by chance: for each
    category beyond two, the impurity of an average example. It has to make up for that to be chosen
    before a split on another column. The gain ratio charges in its own way.

    Of splits that are equally good the first column wins, numeric ones before categorical ones,
    then the lower cut. Named columns count by name, so that the order of the table changes nothing;
    columns of an array are known by their positions.

    A cut lies at the largest training value up to the middle between its sides, as C4.5 has it. A
    strictly increasing transformation of a column moves that middle: it keeps the splits and the
    answers on the training rows, but new values between the two sides may be answered otherwise.

    A tree that loses more on the training rows, costs and weights included, than the majority
    answer becomes a single leaf: answers from some of the examples ("reduced-error"), or examples
    that are shared out ("fractional"), can do that.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright import TreeClassifier
    >>> X = np.array([[148, 33.6], [85, 26.6], [183, 23.3], [89, 28.1], [137, 43.1], [116, 25.6]])
    >>> y = ["ill", "well", "ill", "well", "ill", "well"]
    >>> print(TreeClassifier().fit(X, y).model_)
    if x0 <= 116: well
    else: ill
    """

    _many_classes = True

    def __init__(
        self,
        preset: str = "cart",
        criterion: Any = "auto",
        splits: Any = "auto",
        missing: str = "auto",
        pruning: str = "auto",
        max_depth: int | None = None,
        max_leaves: int | None = None,
        min_split: Any = "auto",
        min_leaf: Any = "auto",
        min_gain: float = 0.0,
        alpha: float = 0.0,
        confidence: float = 0.25,
        raising: bool = True,
        monotone: Any = None,
        class_costs: Any = None,
        metric: Any = "l2",
        kernel: Any = "linear",
        gamma: float = 1.0,
        degree: int = 3,
        coef0: float = 0.0,
        scale: str = "none",
        max_candidates: Any = "auto",
        delta: float = 0.05,
        categorical_features: Any = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        class_weight: Any = None,
    ) -> None:
        self.preset = preset
        self.criterion = criterion
        self.splits = splits
        self.missing = missing
        self.pruning = pruning
        self.max_depth = max_depth
        self.max_leaves = max_leaves
        self.min_split = min_split
        self.min_leaf = min_leaf
        self.min_gain = min_gain
        self.alpha = alpha
        self.confidence = confidence
        self.raising = raising
        self.monotone = monotone
        self.class_costs = class_costs
        self.metric = metric
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.scale = scale
        self.max_candidates = max_candidates
        self.delta = delta
        self.categorical_features = categorical_features
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.class_weight = class_weight

    def _search(self, sample: Sample) -> list[PathEntry]:
        return tree_path(
            sample,
            self._layout(sample),
            self._weight(sample),
            self._pruning(),
            read_delta(self.delta),
            self._worth,
            costs=read_class_costs(self._costs, sample.classes),
        )

    def _chosen(self, path: list[PathEntry]) -> int:
        costs = read_class_costs(self._costs, path[0].model.classes)
        return best_tree(path, self._worth, costs)

    def _worth(self, entry: PathEntry) -> float:
        costs = read_class_costs(self._costs, entry.model.classes)
        return worth_of(entry.certificate, costs)

    def smallest(self, bound: float) -> PathEntry:
        """Return the smallest tree of ``path_`` whose certificate promises at most this error.

        Examples
        --------
        The smallest tree that is certified within 2 points of the best::

            tree.smallest(tree.certificate_.bound + 0.02).model
        """
        for entry in self.path_:
            if entry.certificate.bound <= bound:
                return entry
        best = min(entry.certificate.bound for entry in self.path_)
        raise InputError(
            f"No tree of the path has a certificate of {bound} or less; the best is {best:.4f}."
        )

    def cost_complexity_pruning_path(self, X: Any, y: Any, sample_weight: Any = None) -> Bunch:
        """List the values of ``alpha`` at which subtrees go, and the impurity that is left.

        Returns
        -------
        Bunch with ``ccp_alphas`` and ``impurities``, as in scikit-learn.
        """
        sample = self._ordered(self._sample(X, y, sample_weight))
        return pruning_path(grow(sample, self._layout(sample), self._weight(sample)))

    def _usual(self) -> Preset:
        return read_preset(self.preset)

    def _layout(self, sample: Sample) -> Layout:
        usual = self._usual()
        criterion, scoring = read_criterion(self.criterion, usual.criterion)
        layout = self._laid_out(
            sample,
            criterion=criterion,
            missing=read_choice(self.missing, "missing", MISSING, usual.missing),
            scoring=scoring,
        )
        if layout.plan.directions and len(sample.classes) > 2:
            raise InputError(
                "monotone needs two classes, of which the second becomes likelier or less likely; "
                f"found {len(sample.classes)}."
            )
        return layout

    def _pruning(self) -> Pruning:
        confidence = read_amount(self.confidence, "confidence", above=True)
        if confidence > 0.5:
            raise InputError(f"confidence must be above 0 and at most 0.5; found {confidence}.")
        raising = read_switch(self.raising, "raising")
        return Pruning(
            read_choice(self.pruning, "pruning", PRUNINGS, self._usual().pruning),
            read_amount(self.alpha, "alpha"),
            confidence,
            raising,
            read_seed(self.random_state),
        )

    def _weight(self, sample: Sample) -> NDArray[np.float64]:
        return sample.priced(read_class_costs(self._class_costs(sample), sample.classes))
