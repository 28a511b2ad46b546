"""Write model files of this version, for later versions to load, answer with and verify.

``python tests/golden/make.py`` writes into a folder that is named by the version. It never
overwrites a file: a file that is there stays as it is.
"""

import datetime
import json
import warnings
from pathlib import Path

import numpy as np
import polars as pl

import rulewright
from rulewright import (
    AutoClassifier,
    BoundSearch,
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    RuleVoteClassifier,
    ScorecardClassifier,
    SetCoveringMachine,
    SlipperClassifier,
    TreeClassifier,
    TreeRegressor,
    TreeRulesClassifier,
    from_sklearn,
    save_model,
)
from rulewright.data import Field
from rulewright.families import ExpertTests, GivenPredicates
from rulewright.models import Model
from rulewright.rules import (
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    Conjunction,
    Disjunction,
    Function,
    Given,
    HalfPlane,
    HalfSpace,
    Interval,
    Kernel,
    Leaf,
    Metric,
    Missing,
    Not,
    Rule,
    RuleList,
    RuleVote,
    Scaling,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)

FOLDER = Path(__file__).parent
ROWS = 120
"""Number of training rows. The other rows are new to a model; some have an unknown ward."""

TARGETS = ("outcome", "severity", "cost")
NUMBERS = ["age", "dose", "score"]
COMPLETE = ["dose", "score", "ward"]
"""Columns without a missing number: a space of points needs that."""

TYPES = {
    "age": pl.Int64,
    "dose": pl.Float64,
    "score": pl.Float64,
    "ward": pl.String,
    "smoker": pl.Boolean,
    "stage": pl.Int64,
    "admitted": pl.Date,
    "seen": pl.Datetime("us"),
    "sent": pl.Datetime("us", "UTC"),
    "stay": pl.Int64,
    "outcome": pl.String,
    "severity": pl.Int64,
    "cost": pl.Float64,
}


def patients():
    """All patients with their targets: numbers, categories, dates, missing values."""
    frame = pl.read_csv(FOLDER / "patients.csv", schema=TYPES)
    return frame.with_columns(stay=pl.duration(hours="stay"))


def inputs():
    """Columns that models see, of all rows."""
    return patients().drop(TARGETS)


def heavy_dose(columns):
    """Whether a patient gets more than 0.1 of the dose a year of age."""
    return columns["dose"] > 0.1 * columns["age"]


def largest_gap(one, other):
    return float(np.abs(one - other).max())


def product(one, other):
    return float((one * other).sum())


FUNCTIONS = {"heavy_dose": heavy_dose, "largest_gap": largest_gap, "product": product}


def few(learner, **options):
    return learner(max_rules=3, max_terms=2, beam_width=2, **options)


def covering(family, **options):
    return SetCoveringMachine(family=family, max_rules=4, **options)


def bound_search(**options):
    return BoundSearch(covering("auto"), {"penalty": [0.5, 2]}, **options)


EXPERT = ExpertTests(("age > 60", "dose <= 5.5", "ward = south"))
GIVEN = GivenPredicates(columns=("smoker",), functions={"heavy_dose": heavy_dose})
CLASSIFIERS = {
    "AutoClassifier": AutoClassifier(),
    "RipperClassifier-split": RipperClassifier(certificate="split"),
    "TreeClassifier-split-seed": TreeClassifier(certificate="split", n_splits=2, random_state=3),
    "RuleListClassifier-holdout": few(RuleListClassifier, certificate="holdout"),
    "SetCoveringMachine": SetCoveringMachine(),
    "SetCoveringMachine-disjunction": covering("intervals", kind="disjunction"),
    "SetCoveringMachine-codes": covering("categories", categorical_features=["stage"]),
    "SetCoveringMachine-subsets": covering(["midpoints", "subsets", "missing"]),
    "SetCoveringMachine-rounded": SetCoveringMachine(round_cuts=True, positive_tests=True),
    "RuleListClassifier-integers": few(RuleListClassifier, cuts="integers"),
    "SetCoveringMachine-coarse": covering(["coarse", "categories"], kind="best"),
    "SetCoveringMachine-given": covering(GIVEN, kind="best"),
    "SetCoveringMachine-expert": covering(EXPERT, kind="best"),
    "SetCoveringMachine-costs": SetCoveringMachine(class_costs={"ill": 3.0}),
    "DecisionListMachine": DecisionListMachine(),
    "RuleListClassifier": few(RuleListClassifier),
    "RuleListClassifier-syndromes": few(RuleListClassifier, conditions="syndromes"),
    "RuleListClassifier-abstaining": few(RuleListClassifier, default="abstain"),
    "RuleListClassifier-weighting": few(RuleListClassifier, covering="weighting", size="bound"),
    "RuleListClassifier-optimal": RuleListClassifier(search="optimal", max_rules=2, max_cuts=8),
    "RuleVoteClassifier": few(RuleVoteClassifier),
    "RuleVoteClassifier-abstaining": few(RuleVoteClassifier, default="abstain", correction="sc"),
    "RipperClassifier": RipperClassifier(),
    "RipperClassifier-irep": RipperClassifier(algorithm="irep"),
    "ScorecardClassifier": ScorecardClassifier(6),
    "ScorecardClassifier-pairs": ScorecardClassifier(6, max_terms=2, max_points=3),
    "ScorecardClassifier-costs": ScorecardClassifier(4, class_costs={"ill": 3.0}),
    "SlipperClassifier": SlipperClassifier(max_rounds=8, n_folds=3),
    "TreeClassifier": TreeClassifier(),
    "DecisionListMachine-imputed": DecisionListMachine(
        family="balls", scale="standard", impute="median", max_rules=4
    ),
    "TreeClassifier-c45": TreeClassifier(preset="c4.5"),
    "TreeClassifier-id3": TreeClassifier(preset="id3", max_leaf_nodes=8),
    "TreeClassifier-bound": TreeClassifier(pruning="bound"),
    "TreeClassifier-costs": TreeClassifier(class_costs={"ill": 2.0}, max_leaf_nodes=5),
    "TreeClassifier-optimal": TreeClassifier(search="optimal"),
    "TreeClassifier-optimal-split": TreeClassifier(
        search="optimal", max_depth=2, certificate="split", n_splits=2
    ),
    "TreeClassifier-ranges": TreeClassifier(
        criterion="entropy", missing="fractional", family=["ranges", "multiway"], max_leaf_nodes=9
    ),
    "TreeClassifier-half_planes_of_three": TreeClassifier(
        family="half_planes", max_sum_columns=3, max_leaf_nodes=4
    ),
    "TreeRulesClassifier": TreeRulesClassifier(),
    "TreeRulesClassifier-votes": TreeRulesClassifier(n_rounds=3),
    "TreeRulesClassifier-trees": TreeRulesClassifier(n_rounds=2, base="trees"),
    "BoundSearch": bound_search(),
    "BoundSearch-holdout": bound_search(by="holdout"),
}
IN_SPACE = {
    "SetCoveringMachine-balls": covering("balls", scale="standard"),
    "SetCoveringMachine-kernel_balls": covering("balls", metric="kernel", kernel="rbf"),
    "SetCoveringMachine-function_balls": covering("balls", metric=largest_gap),
    "SetCoveringMachine-half_spaces": covering("half_spaces", scale="rank", kernel="polynomial"),
    "SetCoveringMachine-half_planes": covering("half_planes", max_candidates=20),
    "DecisionListMachine-balls": DecisionListMachine(family="balls", metric="l1", max_rules=4),
    "TreeClassifier-balls": TreeClassifier(family=["balls", "half_spaces"], max_leaf_nodes=4),
}
THREE_CLASSES = {
    "DecisionListMachine-three": DecisionListMachine(family="thresholds", max_rules=4),
    "RuleListClassifier-three": few(RuleListClassifier),
    "RuleVoteClassifier-three": few(RuleVoteClassifier),
    "RipperClassifier-three": RipperClassifier(),
    "ScorecardClassifier-three": ScorecardClassifier(5),
    "SlipperClassifier-three": SlipperClassifier(n_rounds=3),
    "TreeClassifier-three": TreeClassifier(preset="c4.5", max_leaf_nodes=6),
    "TreeRulesClassifier-three": TreeRulesClassifier(),
}
REGRESSORS = {
    "TreeRegressor": TreeRegressor(max_leaf_nodes=6),
    "TreeRegressor-absolute": TreeRegressor(criterion="absolute_error", max_leaf_nodes=4),
}


def fitted():
    """Name and model of every estimator, fitted to the training rows."""
    rows = patients().head(ROWS)
    every = [name for name in rows.columns if name not in TARGETS]
    for target, columns, estimators in (
        ("outcome", every, CLASSIFIERS),
        ("outcome", COMPLETE, IN_SPACE),
        ("severity", every, THREE_CLASSES),
        ("cost", every, REGRESSORS),
    ):
        for name, estimator in estimators.items():
            yield name, estimator.fit(rows[columns], rows[target]).model_
    yield "from_sklearn", converted(rows)


def converted(rows):
    """A tree of another library."""
    from sklearn.tree import DecisionTreeClassifier

    numbers = rows.select(NUMBERS).to_pandas()
    tree = DecisionTreeClassifier(max_leaf_nodes=6, random_state=0).fit(numbers, rows["outcome"])
    return from_sklearn(tree, numbers, rows["outcome"].to_list())


POLYNOMIAL = Kernel("polynomial", gamma=0.5, offset=1.0, degree=2)
PRODUCT = Kernel("function", name="product")
OF_KERNEL = Metric("kernel", Kernel("precomputed"))
STANDARD = Scaling("standard", shift=(5.0, 0.0), unit=(2.0, 1.0))
RANK = Scaling("rank", knots=((3.0, 5.0, 5.0, 8.0), (-1.0, 0.0, 1.0)))
FILLED = Scaling("standard", shift=(50.0, 0.0), unit=(20.0, 1.0), fill=(61.5, -0.25))
ON = ("dose", "score")
CENTRE, AWAY = (5.0, 0.25), (7.5, -1.0)
DAY = datetime.datetime(2021, 11, 1, tzinfo=datetime.UTC)
PREDICATES = {
    "threshold": Threshold("age", True, 60.0, if_missing=True),
    "threshold_at_cut": Threshold("age", False, 60.0, cut_above=True),
    "interval": Interval("dose", 3.5, 6.25, low_open=True),
    "outside": Interval("dose", 3.5, 6.25, inside=False, if_missing=True, high_open=True),
    "category": Category("ward", ("north", "west")),
    "not_category": Category("ward", ("north",), among=False, if_missing=True),
    "code": Category("stage", ("1", "4")),
    "missing": Missing("ward"),
    "given": Given("smoker", truth=False),
    "function": Function("heavy_dose", ("dose", "age"), truth=False),
    "half_plane": HalfPlane(ON, (1.0, -0.5), 5.0, above=True),
    "all_of": AllOf((Threshold("age", True, 40.0), Given("smoker"))),
    "any_of": AnyOf((Threshold("age", True, 70.0), Missing("age"))),
    "not": Not(AllOf((Threshold("age", True, 40.0), Category("ward", ("south",))))),
    "at_least": AtLeast(2, (Threshold("age", True, 50.0), Given("smoker"), Missing("stay"))),
    "ball_l1": Ball(ON, CENTRE, 2.0, Metric("l1"), scaling=STANDARD),
    "ball_l2": Ball(ON, CENTRE, 2.0, strict=False, inside=False),
    "ball_linf": Ball(ON, CENTRE, 0.4, Metric("linf"), scaling=RANK),
    "ball_kernel": Ball(ON, CENTRE, 6.0, Metric("kernel", POLYNOMIAL)),
    "ball_precomputed": Ball(("score",), (0.0,), 0.3, Metric("precomputed")),
    "ball_function": Ball(ON, CENTRE, 1.0, Metric("function", name="largest_gap")),
    "ball_precomputed_kernel": Ball(ON[::-1], CENTRE, 2.0, OF_KERNEL),
    "ball_filled": Ball(("age", "score"), (60.0, 0.25), 1.5, scaling=FILLED),
    "half_space_linear": HalfSpace(ON, CENTRE, AWAY, -10.0, strict=True),
    "half_space_rbf": HalfSpace(ON, CENTRE, AWAY, 0.1, kernel=Kernel("rbf", 0.5), scaling=RANK),
    "half_space_polynomial": HalfSpace(ON, CENTRE, AWAY, -9.0, kernel=POLYNOMIAL, beyond=False),
    "half_space_precomputed": HalfSpace(ON, CENTRE, AWAY, 5.0, kernel=Kernel("precomputed")),
    "half_space_function": HalfSpace(ON, CENTRE, AWAY, -10.0, kernel=PRODUCT, if_missing=True),
}
SOME = tuple(PREDICATES[name] for name in ("threshold", "interval", "category"))
WEIGHTS = (1.5, -0.25, 0.75)
SHARED = Split((Category("ward", ("north",)), Category("ward", ("south",))), (1, 2, 3), (8, 3, 5))
ARRANGEMENTS = {
    "conjunction": Conjunction(SOME, 0, 1),
    "disjunction": Disjunction(SOME, 1, 0),
    "rule_list": RuleList(tuple(Rule(part, i % 2) for i, part in enumerate(SOME)), 1),
    "abstaining_list": RuleList((Rule(SOME[0], 0), Rule(SOME[1], 1)), None),
    "rule_vote": RuleVote(
        tuple(WeightedRule(part, i % 2, WEIGHTS[i]) for i, part in enumerate(SOME)), 1
    ),
    "abstaining_vote": RuleVote((WeightedRule(SOME[1], 0, 0.5),), None),
    "fractional_tree": Tree(
        (SHARED, Leaf(0), Split((SOME[0],), (4, 5), (7, 9)), Leaf(1), Leaf(0), Leaf(1))
    ),
    "dates": RuleList(
        (
            Rule(Threshold("admitted", True, DAY.timestamp() / 86_400), 0),
            Rule(Interval("seen", DAY.timestamp() - 1e7, DAY.timestamp()), 1),
            Rule(Threshold("sent", False, DAY.timestamp() - 2e7), 0),
            Rule(Threshold("stay", True, 360_000.0), 1),
        ),
        0,
    ),
}
FIELDS = (
    *(Field(name, "numeric") for name in NUMBERS),
    Field("ward", "text", 3),
    Field("smoker", "boolean", 2),
    Field("stage", "code", 4),
    Field("admitted", "date"),
    Field("seen", "datetime"),
    Field("sent", "instant"),
    Field("stay", "duration"),
)


def written():
    """Name and model of every node kind, without a certificate."""
    for name, predicate in PREDICATES.items():
        yield f"node-{name}", classifier(RuleList((Rule(predicate, 0),), 1))
    for name, body in ARRANGEMENTS.items():
        yield f"node-{name}", classifier(body)


EDITED = """\
# two rules of the ward
age > 62.5 and not (ward = south or dose <= 5) -> ill
at least 2 of (smoker; score > 1; admitted > 2020-03-01) -> ill
otherwise -> well
"""


def edited():
    """Name and model of rules that a person wrote, with both kinds of certificate."""
    rows = patients().head(ROWS)
    empty = classifier(RuleList((), 1))
    for name, settled in (("edited", False), ("edited-settled", True)):
        yield name, empty.edited(EDITED, rows.drop(TARGETS), rows["outcome"], settled=settled)


def classifier(body):
    evidence = tuple((4.0 + number, 2.5) for number, _ in enumerate(body.outputs))
    return Model(FIELDS, ("ill", "well"), body, evidence, target="outcome", named=True)


def answers(model):
    """Predictions for all rows, as JSON holds them, and probabilities for the new rows."""
    rows = inputs()
    found = {"predict": model.predict(rows).tolist()}
    if isinstance(model, Model):
        found["predict_proba"] = model.predict_proba(rows[ROWS:]).tolist()
    return found


def write(models, folder):
    """Write models and answers into a folder, except those that are there."""
    folder.mkdir(exist_ok=True)
    for name, model in models:
        path = folder / f"{name}.json"
        if not path.exists():
            bound = model.bound_to(FUNCTIONS)
            path.with_suffix(".answers").write_text(json.dumps(answers(bound)) + "\n")
            save_model(bound, path)
            print(f"{folder.name}/{path.name}: {bound!r}")


def main():
    warnings.simplefilter("ignore", UserWarning)
    write(
        (*fitted(), *written(), *edited()), FOLDER / ".".join(rulewright.__version__.split(".")[:2])
    )


if __name__ == "__main__":
    main()
