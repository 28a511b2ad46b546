"""Learners of packages that ``small_models.py`` compares, all run by ``package_folds.py``.

A function gets the table, the labels, the rows to test on and a seed. It returns the answers, the
terms of the model with its default or constant, the CPU seconds of ``fit``, and the literals: the
single tests of the model, which are the inner nodes of trees, the conditions of rules, the nonzero
lines of a risk score, the nonzero coefficients of a linear model, and the steps of the functions of
an additive model (the cells of its tables, less one).

``NAME n`` is a learner that is limited to about n literals. Learners need two classes. Trees that
are optimal stop after ``FIT_SECONDS``, and the best tree that was found counts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas
from package_tables import Parts, binned, encoded, scaled, timed, with_gaps

FIT_SECONDS = 20
EBM_BAGS = 4
BIN_CUTS = 9
"""Cuts of a numeric column for STreeD, by quantiles."""
PATH = np.logspace(-3, 2, 26)
"""Inverse strengths of the L1 penalty among which the limit on coefficients chooses."""

Result = tuple[np.ndarray, int, float, int]
Learner = Callable[[pandas.DataFrame, np.ndarray, np.ndarray, int], Result]


class Peer(NamedTuple):
    """A learner, the distribution that it comes from, and whether it is fast on large tables."""

    learn: Learner
    distribution: str
    large: bool = False
    note: str = ""


def _fitted(model: Any, parts: Parts, literals: Callable[[Any], int]) -> Result:
    seconds = timed(lambda: model.fit(parts.X, parts.y))
    answers = parts.classes[np.asarray(model.predict(parts.T)).astype(int)]
    found = int(literals(model))
    return answers, found + 1, seconds, found


def _peer(
    make: Callable[[int], Any],
    literals: Callable[[Any], int],
    prepare: Callable[[Parts], Parts] = lambda parts: parts,
) -> Learner:
    """Make a learner of an estimator with scikit-learn's methods, for encoded tables."""

    def learn(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int) -> Result:
        parts = prepare(encoded(table, labels, tested))
        return _fitted(make(seed), parts, literals)

    return learn


def inner_nodes(model: Any) -> int:
    """Inner nodes of a tree of scikit-learn, or of all trees of an ensemble."""
    trees = getattr(model, "estimators_", [model])
    return sum(int((tree.tree_.children_left >= 0).sum()) for tree in trees)


def coefficients(model: Any) -> int:
    return int(np.count_nonzero(model.coef_))


def tree(seed: int, leaves: int | None) -> Any:
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=seed)


def forest(seed: int) -> Any:
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(random_state=seed)


class FewCoefficients:
    """Logistic regression on at most so many columns, those that the L1 penalty keeps."""

    def __init__(self, most: int, seed: int) -> None:
        self.most, self.seed = most, seed

    def fit(self, X: np.ndarray, y: np.ndarray) -> FewCoefficients:
        from sklearn.linear_model import LogisticRegression

        kept = np.zeros(X.shape[1], bool)
        for strength in PATH:
            lasso = LogisticRegression(
                C=strength, l1_ratio=1.0, solver="liblinear", random_state=self.seed
            ).fit(X, y)
            found = lasso.coef_[0] != 0
            if found.sum() > self.most:
                break
            kept = found
        self.kept = kept if kept.any() else np.arange(X.shape[1]) == 0
        self.model = LogisticRegression(max_iter=1000).fit(X[:, self.kept], y)
        self.coef_ = self.model.coef_
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X[:, self.kept])


def logistic(seed: int, most: int | None) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000) if most is None else FewCoefficients(most, seed)


def lightgbm(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int) -> Result:
    """LightGBM with its own treatment of categories and missing values."""
    from lightgbm import LGBMClassifier

    parts = _own(with_gaps(table), labels, tested)
    model = LGBMClassifier(verbose=-1, n_jobs=1, random_state=seed)
    return _fitted(
        model,
        parts,
        lambda m: sum(tree["num_leaves"] - 1 for tree in m.booster_.dump_model()["tree_info"]),
    )


def ebm(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray, seed: int) -> Result:
    """Explainable boosting machine with its own treatment of categories and missing values."""
    from interpret.glassbox import ExplainableBoostingClassifier

    texts = table.select_dtypes(exclude="number").columns
    gaps = table.assign(**{c: table[c].astype(object).replace("?", np.nan) for c in texts})
    model = ExplainableBoostingClassifier(
        feature_types=["nominal" if name in texts else "continuous" for name in table],
        outer_bags=EBM_BAGS,
        n_jobs=1,
        random_state=seed,
    )
    # Every axis has a cell for missing values and one for unknown ones besides those that count.
    return _fitted(
        model,
        _own(gaps, labels, tested),
        lambda m: sum(int(np.prod(np.subtract(s.shape, 2))) - 1 for s in m.term_scores_),
    )


def _own(table: pandas.DataFrame, labels: np.ndarray, tested: np.ndarray) -> Parts:
    classes, y = np.unique(labels[~tested], return_inverse=True)
    return Parts(table[~tested], table[tested], y, classes)


def figs(seed: int, rules: int) -> Any:
    from imodels import FIGSClassifier

    return FIGSClassifier(max_rules=rules, random_state=seed)


def greedy_rule_list(seed: int) -> Any:
    from imodels import GreedyRuleListClassifier

    return GreedyRuleListClassifier()


def boosted_rules(seed: int, rules: int) -> Any:
    from imodels import BoostedRulesClassifier

    return BoostedRulesClassifier(n_estimators=rules, random_state=seed)


def slim(seed: int) -> Any:
    from imodels import SLIMClassifier

    return SLIMClassifier()


def streed(seed: int, depth: int, nodes: int, tuned: bool = False) -> Any:
    from pystreed import STreeDClassifier

    return STreeDClassifier(
        "accuracy",
        max_depth=depth,
        max_num_nodes=nodes,
        time_limit=FIT_SECONDS,
        n_thresholds=BIN_CUTS,
        hyper_tune=tuned,
        random_seed=seed,
    )


def contree(seed: int, depth: int) -> Any:
    from pycontree import ConTree

    return ConTree(max_depth=depth, time_limit=FIT_SECONDS)


class Gosdt:
    """GOSDT on the thresholds that its own boosted stumps suggest."""

    def __init__(self, seed: int, depth: int, regularization: float) -> None:
        from gosdt import GOSDTClassifier, ThresholdGuessBinarizer

        self.binarizer = ThresholdGuessBinarizer(n_estimators=40, max_depth=1, random_state=seed)
        self.binarizer.set_output(transform="pandas")
        self.model = GOSDTClassifier(
            regularization=regularization,
            depth_budget=depth + 1,  # it counts the leaves
            time_limit=FIT_SECONDS,
            allow_small_reg=True,
        )

    def fit(self, X: np.ndarray, y: np.ndarray) -> Gosdt:
        self.model.fit(self.binarizer.fit_transform(self._named(X), y), y)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(self.binarizer.transform(self._named(X)))

    def nodes(self) -> int:
        waiting, found = [self.model.trees_[0].tree], 0
        while waiting:
            node = waiting.pop()
            if hasattr(node, "left_child"):
                found += 1
                waiting += [node.left_child, node.right_child]
        return found

    @staticmethod
    def _named(X: np.ndarray) -> pandas.DataFrame:
        return pandas.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])])


class FasterRisk:
    """The best risk score with at most so many lines."""

    def __init__(self, lines: int) -> None:
        self.lines = lines

    def fit(self, X: np.ndarray, y: np.ndarray) -> FasterRisk:
        from fasterrisk.fasterrisk import RiskScoreClassifier, RiskScoreOptimizer

        search = RiskScoreOptimizer(X, 2.0 * y - 1, min(self.lines, X.shape[1]))
        search.optimize()
        multiplier, intercept, self.coef_ = search.get_models(model_index=0)
        self.model = RiskScoreClassifier(multiplier, intercept, self.coef_)
        return self

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.model.predict(X) > 0


def _streed(depth: int, nodes: int, tuned: bool = False) -> Learner:
    make = partial(streed, depth=depth, nodes=nodes, tuned=tuned)
    return _peer(make, lambda model: model.get_n_leaves() - 1)


SKLEARN, IMODELS = "scikit-learn", "imodels"
ROUNDED = "no solver of integer programs: imodels rounds the coefficients of a logistic regression"
PEERS: dict[str, Peer] = {
    "sklearn tree": Peer(_peer(partial(tree, leaves=None), inner_nodes), SKLEARN, True),
    "sklearn tree 6": Peer(_peer(partial(tree, leaves=7), inner_nodes), SKLEARN, True),
    "sklearn tree 12": Peer(_peer(partial(tree, leaves=13), inner_nodes), SKLEARN, True),
    "logistic": Peer(_peer(partial(logistic, most=None), coefficients, scaled), SKLEARN, True),
    "logistic 6": Peer(_peer(partial(logistic, most=6), coefficients, scaled), SKLEARN, True),
    "logistic 12": Peer(_peer(partial(logistic, most=12), coefficients, scaled), SKLEARN, True),
    "random forest": Peer(_peer(forest, inner_nodes), SKLEARN, True),
    "GreedyRuleList": Peer(
        _peer(greedy_rule_list, lambda m: sum("cutoff" in rule for rule in m.rules_)), IMODELS, True
    ),
    "BoostedRules": Peer(_peer(partial(boosted_rules, rules=15), inner_nodes), IMODELS, True),
    "BoostedRules 6": Peer(_peer(partial(boosted_rules, rules=6), inner_nodes), IMODELS, True),
    "FIGS": Peer(_peer(partial(figs, rules=12), lambda m: m.complexity_), IMODELS, True),
    "FIGS 6": Peer(_peer(partial(figs, rules=6), lambda m: m.complexity_), IMODELS, True),
    "SLIM": Peer(
        _peer(slim, lambda m: coefficients(m.model_), scaled), IMODELS, True, note=ROUNDED
    ),
    "LightGBM": Peer(lightgbm, "lightgbm", True),
    "STreeD 6": Peer(_streed(3, 6), "pystreed", True),
    "STreeD 12": Peer(_streed(4, 12), "pystreed"),
    "STreeD tuned": Peer(_streed(3, 7, tuned=True), "pystreed"),
    "ConTree depth 2": Peer(
        _peer(partial(contree, depth=2), lambda m: m.get_num_branching_nodes()), "pycontree", True
    ),
    "ConTree depth 3": Peer(
        _peer(partial(contree, depth=3), lambda m: m.get_num_branching_nodes()), "pycontree"
    ),
    "GOSDT depth 3": Peer(
        _peer(partial(Gosdt, depth=3, regularization=0.01), Gosdt.nodes), "gosdt", True
    ),
    "GOSDT depth 4": Peer(
        _peer(partial(Gosdt, depth=4, regularization=0.005), Gosdt.nodes), "gosdt"
    ),
    "FasterRisk 6": Peer(_peer(lambda seed: FasterRisk(6), coefficients, binned), "fasterrisk"),
    "FasterRisk 12": Peer(_peer(lambda seed: FasterRisk(12), coefficients, binned), "fasterrisk"),
    "EBM": Peer(ebm, "interpret-core", True, note=f"{EBM_BAGS} outer bags instead of 14, for time"),
}
