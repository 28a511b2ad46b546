"""Samples from known distributions, all machines that one would choose among, and the truth.

A distribution is a table of cases, all equally likely, and the share of each class in each of them.
So the error of any machine is known exactly, whatever its features are.
"""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

import numpy as np
import pandas
from scipy import stats

from rulewright import (
    BoundSearch,
    DecisionListMachine,
    RuleListClassifier,
    RuleVoteClassifier,
    SetCoveringMachine,
    TreeClassifier,
)
from rulewright.data import Table, detect_table
from rulewright.families import GivenPredicates, SpaceOptions, as_families
from rulewright.learners import GreedyTask, RuleClassifier, Sample, covering_stages, listing_stages
from rulewright.rules import ABSTAIN

KINDS = ("conjunction", "disjunction")
PENALTIES = (Fraction(1), math.inf)
LARGEST = 3


@dataclass(frozen=True, eq=False)
class Distribution:
    """Cases, all equally likely, and the share of each class in each of them."""

    name: str
    cases: Table
    shares: np.ndarray

    @property
    def classes(self):
        return self.shares.shape[1]

    @property
    def prior(self):
        """The share of each class among new cases."""
        return self.shares.mean(axis=0)

    def draw(self, rng, m):
        """Draw examples: a table, and the class of each."""
        rows = rng.integers(0, self.cases.rows, m)
        y = (rng.random((m, 1)) > self.shares[rows].cumsum(axis=1)[:, :-1]).sum(axis=1)
        return self.cases.take(rows), y.astype(np.int32)

    def samples(self, m, count, seed):
        """Draw many samples, over again where a class does not occur, which is hardly ever."""
        rng = np.random.default_rng(seed)
        while count:
            table, y = self.draw(rng, m)
            if np.unique(y).size == self.classes:
                yield table, y
                count -= 1

    def truth(self, body):
        """Say how a machine does on new cases; no answer is wrong."""
        says = body.classify(self.cases)
        wrong = self.shares.copy()
        answered = says != ABSTAIN
        wrong[answered, says[answered]] = 0.0
        return Truth(wrong.mean(axis=0), self.prior)


@dataclass(frozen=True, eq=False)
class Truth:
    """The probability that a new case is of a class and misjudged, and that it is of the class."""

    wrong: np.ndarray
    prior: np.ndarray

    @property
    def error(self):
        return float(self.wrong.sum())

    @property
    def rates(self):
        """The share of each class that is misjudged; none where the class does not occur."""
        return self.wrong / np.where(self.prior > 0, self.prior, 1.0)

    @property
    def cost(self):
        return float(self.wrong @ costs_of(self.prior.size))


def costs_of(classes):
    """Let the last class cost five times as much to misjudge: [1, 5] for two classes."""
    return [1.0] * (classes - 1) + [5.0]


def _all_in_one(c):
    """What a bound depends on that does not look at classes."""
    return c.m, *(len(rows) for rows in c.roles.values()), c.message_nats, sum(c.aside)


def _class_by_class(c):
    return c.counts, *c.role_counts.values(), c.message_nats, c.aside


@dataclass(frozen=True)
class Form:
    """A valid form: what a certificate promises, what is true, and what the promise depends on."""

    promise: Callable
    true: Callable
    depends_on: Callable = _all_in_one


def _cost(c, **prior):
    return c.cost_bound(costs_of(len(c.counts)), **prior)


FORMS = {
    "tail": Form(lambda c, prior: c.recomputed_bound(), lambda truth: truth.error),
    "closed": Form(lambda c, prior: c.closed_bound, lambda truth: truth.error),
    "cost": Form(lambda c, prior: _cost(c), lambda truth: truth.cost),
    "classes": Form(lambda c, prior: c.class_bounds, lambda truth: truth.rates, _class_by_class),
    "cost, prior": Form(
        lambda c, prior: _cost(c, prior=prior), lambda truth: truth.cost, _class_by_class
    ),
}


class Judge:
    """Says whether certificates fail. In small samples counts recur: each is asked about once."""

    def __init__(self, forms=FORMS):
        self.forms = {name: FORMS[name] for name in forms}
        self._promises = {}

    def fails(self, name, certificate, truth):
        """Whether any of the numbers promised is below the true one, rounding aside."""
        form = self.forms[name]
        key = name, certificate.delta, certificate.wrong, form.depends_on(certificate)
        if key not in self._promises:
            self._promises[key] = np.asarray(form.promise(certificate, truth.prior)) + 1e-12
        return bool((form.true(truth) > self._promises[key]).any())

    def failing(self, name, found):
        """Keep the certificates that fail, each with the truth."""
        return [(c, truth) for c, truth in found if self.fails(name, c, truth)]


def at(delta, found):
    """Give the same certificates with another confidence; their forms are computed when asked."""
    return [(replace(certificate, delta=delta), truth) for certificate, truth in found]


@dataclass
class Count:
    """In how many samples a bound failed."""

    samples: int = 0
    failures: int = 0

    def add(self, failed):
        self.samples += 1
        self.failures += bool(failed)

    @property
    def rate(self):
        return self.failures / self.samples

    @property
    def interval(self):
        """Clopper and Pearson's interval of the rate, with confidence 95 %."""
        found = stats.binomtest(self.failures, self.samples).proportion_ci(0.95, "exact")
        return found.low, found.high


@dataclass(frozen=True)
class Machines:
    """All machines that one would choose among: kinds, sizes, penalties, consistent or not.

    "list" is a decision list machine, "covering" both kinds of set covering machines.
    """

    family: object
    learner: str = "covering"
    scale: str = "none"
    types: str = "complex"
    impute: str = "none"

    def __str__(self):
        family = self.family if isinstance(self.family, str) else " + ".join(self.family)
        options = "".join(f", {each}" for each in (self.scale, self.impute) if each != "none")
        return f"{family}{options} / {self.learner}"

    def __call__(self, table, y):
        """Learn all of them; give each one once, with its certificate."""
        sample = Sample.of(table, y, tuple(range(y.max() + 1)))
        options = SpaceOptions(scale=self.scale, impute=self.impute, types=self.types)
        families = as_families(self.family, options)
        settings = 2 * (1 if self.learner == "list" else len(KINDS))
        found = {}
        for consistent in (False, True):
            task = GreedyTask(sample, families, consistent=consistent, settings=settings)
            for p in PENALTIES:
                for stage in self._stages(task, p):
                    body = stage.entry.model.body
                    certificate = stage.entry.certificate
                    found[body, certificate.examples, consistent] = body, certificate
        return list(found.values())

    def _stages(self, task, p):
        if self.learner == "list":
            return listing_stages(task, [p] * task.n_classes, LARGEST)
        return (stage for kind in KINDS for stage in covering_stages(task, kind, p, LARGEST))


@dataclass(frozen=True)
class Trees:
    """Decision trees: the sizes within those that some criteria grow, or what a pruning leaves.

    ``most`` limits the sizes: the bounds of large trees are near 1 on small samples.
    """

    family: object = "auto"
    preset: str = "cart"
    missing: str = "auto"
    pruning: str = "bound"
    criteria: tuple[str, ...] = ("auto",)
    max_candidates: int | None = None
    max_sum_columns: int = 2
    most: int | None = 8

    def __str__(self):
        families = (self.family,) if isinstance(self.family, str) else self.family
        family = self.preset if self.family == "auto" else " + ".join(families)
        missing = "" if self.missing == "auto" else f", {self.missing}"
        pruning = "" if self.pruning == "bound" else f", {self.pruning}"
        return f"{family}{missing} / {self._learner}{pruning}"

    @property
    def _learner(self):
        if len(self.criteria) > 1:
            return "trees"
        return "tree" if self.most else "tree of any size"

    def __call__(self, table, y):
        """Grow them; give each one with its certificate."""
        options = ("family", "preset", "missing", "pruning", "max_candidates", "max_sum_columns")
        tree = TreeClassifier(**{name: getattr(self, name) for name in options})
        tree.set_params(max_leaf_nodes=self.most if self.pruning == "bound" else None)
        found = []
        for criterion in self.criteria:
            with warnings.catch_warnings():  # it says how many candidates are left out
                warnings.simplefilter("ignore", UserWarning)
                tree.set_params(criterion=criterion).fit(table, y)
            found += [(entry.model.body, entry.certificate) for entry in tree.path_]
        return found


@dataclass(frozen=True, eq=False)
class Rules:
    """Lists or votes of rules of several terms: all sizes, or the one with the best certificate."""

    estimator: RuleClassifier
    name: str
    chosen: bool = False

    def __str__(self):
        return self.name

    def __call__(self, table, y):
        """Learn them; give each one with its certificate."""
        with warnings.catch_warnings():  # it says which categories are hardly all seen
            warnings.simplefilter("ignore", UserWarning)
            fitted = self.estimator.fit(table, y)
        if self.chosen:
            return [(fitted.model_.body, fitted.certificate_)]
        return [(entry.model.body, entry.certificate) for entry in fitted.path_]


def rule_lists(name="", *, chosen=False, **options):
    """Make lists of up to three rules of up to two terms, where nothing else is said."""
    return _rules(RuleListClassifier, "rule lists", name, chosen, options)


def rule_votes(name="", *, chosen=False, **options):
    """Make votes of up to three rules of up to two terms, where nothing else is said."""
    return _rules(RuleVoteClassifier, "rule votes", name, chosen, options)


def _rules(learner, kind, name, chosen, options):
    small = {"max_rules": LARGEST, "max_terms": 2, "beam_width": 2}
    size = {"size": "bound"} if chosen else {}
    title = ", ".join(part for part in (kind, name) if part)
    return Rules(learner(**{**small, **options, **size}), title, chosen)


def classic(learner, **options):
    """Make what a system known by its name makes."""
    said = "".join(f", {name} {value}" for name, value in options.items())
    return Rules(learner(**options), f"{learner.__name__}{said}", chosen=True)


@dataclass(frozen=True, eq=False)
class Chosen:
    """The one machine that a search chooses."""

    search: BoundSearch
    name: str

    def __str__(self):
        return self.name

    def __call__(self, table, y):
        self.search.fit(table, y)
        return [(self.search.model_.body, self.search.certificate_)]


def count_failures(learn, name, m, samples, deltas=(0.5, 0.05), *, forms=FORMS, unpaid=None):
    """Count the samples in which the bound of any machine learnt fails, for every form and delta.

    Parameters
    ----------
    learn : function of a table and its labels
        Gives machines, each with its certificate.
    name : str
        Of the distribution that samples are drawn from.
    m, samples : int
        Size and number of the samples.
    deltas : tuple of float
        The largest first: what holds with less confidence is not asked again with more.
    unpaid : function of a certificate
        Gives one that pays for less.
    """
    distribution, judge = distributions()[name], Judge(forms)
    counts = {(form, delta): Count() for form in forms for delta in deltas}
    for table, y in distribution.samples(m, samples, seed=m + samples):
        found = [(c, distribution.truth(body)) for body, c in learn(table, y)]
        found = at(deltas[0], [(unpaid(c) if unpaid else c, truth) for c, truth in found])
        for form in forms:
            failing = judge.failing(form, found)
            counts[form, deltas[0]].add(failing)
            for delta in deltas[1:]:
                failing = judge.failing(form, at(delta, failing))
                counts[form, delta].add(failing)
    return counts


@cache
def distributions():
    """All of them by name, made once."""
    return {made.name: made for made in (*_grids(), *_categorical(), *_continuous(), coins())}


VALUES = 8
GRID = np.array([[a, b] for a in range(VALUES) for b in range(VALUES)], float)


def _two(share):
    return np.column_stack([1 - share, share])


def _grids():
    """Two columns of eight values: full of ties."""
    corner = (GRID[:, 0] > 2) & (GRID[:, 1] <= 5)
    of_two = {
        "noise": np.full(len(GRID), 0.5),
        "rare": np.full(len(GRID), 0.15),
        "clean": np.where(corner, 1.0, 0.0),
        "noisy": np.where(corner, 0.9, 0.2),
    }
    table = detect_table(GRID)
    yield from (Distribution(name, table, _two(share)) for name, share in of_two.items())
    yield Distribution("three, noise", table, np.full((len(GRID), 3), 1 / 3))
    band = np.digitize(GRID.sum(axis=1), [5, 9])
    yield Distribution("three, bands", table, 0.7 * np.eye(3)[band] + 0.1)


def _categorical():
    """Columns of two, three and four categories, with and without a column of numbers."""
    cells = [(a, b, c) for a in "ny" for b in "rgb" for c in "nesw"]
    frame = pandas.DataFrame(cells, columns=["flag", "colour", "side"])
    marked = frame.side.isin(["n", "e"]) & (frame.colour != "r")
    share = np.where(marked, 0.85, 0.15)
    yield Distribution("categories", detect_table(frame), _two(share))
    yield Distribution("categories, noise", detect_table(frame), _two(np.full(len(frame), 0.5)))
    mixed = frame.merge(pandas.DataFrame({"size": [1.0, 2.0, 3.0, 4.0, None]}), how="cross")
    large = (mixed["size"] > 2) | (mixed.flag == "y")
    yield Distribution("mixed", detect_table(mixed), _two(np.where(large, 0.8, 0.1)))
    yield Distribution("mixed, noise", detect_table(mixed), _two(np.full(len(mixed), 0.5)))
    yield from _gaps()


def _gaps():
    """Numbers and categories, a quarter of the values of each column missing."""
    values = (1.0, 2.0, 3.0, None)
    cells = [(a, b, c) for a in values for b in values for c in ("n", "e", "s", None)]
    frame = pandas.DataFrame(cells, columns=["size", "age", "side"])
    large = (frame["size"] > 1) & (frame.side != "n")  # what has no size is not large
    yield Distribution("gaps", detect_table(frame), _two(np.where(large, 0.85, 0.15)))
    yield Distribution("gaps, noise", detect_table(frame), _two(np.full(len(frame), 0.5)))


def _continuous(cases=4000):
    """So many points of the plane that a sample has hardly any of them twice."""
    points = np.random.default_rng(1).normal(size=(cases, 2)) * [1.0, 5.0]
    table = detect_table(points)
    near = (points[:, 0] ** 2 + (points[:, 1] / 5) ** 2) < 1.2
    yield Distribution("points", table, _two(np.where(near, 0.9, 0.1)))
    yield Distribution("points, noise", table, _two(np.full(cases, 0.5)))
    four = np.random.default_rng(4).normal(size=(cases, 4)) * [1.0, 5.0, 0.2, 30.0]
    yield Distribution("four columns, noise", detect_table(four), _two(np.full(cases, 0.5)))


def coins(columns=40, cases=4000):
    """So many columns of Booleans that some of them look good; the labels are coins as well."""
    tosses = np.random.default_rng(2).random((cases, columns)) < 0.5
    frame = pandas.DataFrame(tosses, columns=[f"coin {i:02d}" for i in range(columns)])
    return Distribution("coins", detect_table(frame), _two(np.full(cases, 0.5)))


FAMILIES = [
    {"family": ["thresholds", "half_spaces"], "consistent": [False, True]},
    {"family": ["balls"], "metric": ["l1", "l2"]},
]


def covering_search(by="bound", **options):
    """Make a search over families, metrics, kinds, penalties and consistency."""
    ways = {"kind": ["best"], "penalty": [1, math.inf]}
    machine = SetCoveringMachine(delta=0.5, max_rules=LARGEST, **options)
    return BoundSearch(machine, [{**families, **ways} for families in FAMILIES], by=by)


def listing_search(by="bound"):
    """Make a search over families, scales, types, penalties and consistency."""
    ways = {"penalty": [1, math.inf]}
    grid = [
        {"family": ["thresholds"], "consistent": [False, True], **ways},
        {"family": ["balls"], "types": ["simple", "complex"], **ways},
        {"family": ["half_spaces"], "scale": ["none", "standard"], **ways},
    ]
    return BoundSearch(DecisionListMachine(delta=0.5, max_rules=LARGEST), grid, by=by)


def useless_search(by="bound", delta=0.5):
    """Make a search over many families, each of a single column of coins."""
    families = [GivenPredicates(columns=(name,)) for name in distributions()["coins"].cases.names]
    return BoundSearch(SetCoveringMachine(max_rules=1, delta=delta), {"family": families}, by=by)


def printed_choices(family, name, m, samples):
    """Let the papers' formula choose a machine in every sample, and then the tail form.

    Returns
    -------
    array of a row a sample: what the formula says, the true error of what it chose, and the same
    for the tail form
    """
    learn, distribution = Machines(family), distributions()[name]
    rows = []
    for table, y in distribution.samples(m, samples, seed=m + samples):
        found = [(body, c) for body, c in learn(table, y) if c.implied and c.printed_bound]
        printed = min(found, key=lambda pair: pair[1].printed_bound)
        tail = min(found, key=lambda pair: pair[1].bound)
        errors = [distribution.truth(body).error for body, _ in (printed, tail)]
        rows.append((printed[1].printed_bound, errors[0], tail[1].bound, errors[1]))
    return np.array(rows)


def without_examples(certificate):
    """Let the choice of the examples be free."""
    return replace(certificate, roles={}, role_counts={})


def without_places(certificate):
    """Let the choice of the examples be free, and which of them fills which place."""
    return without_examples(without("which examples")(certificate))


def without_message(certificate):
    """Let the message be free."""
    return replace(certificate, message=())


def without(*parts):
    """Let some parts of the message be free."""

    def unpaid(certificate):
        message = tuple(part for part in certificate.message if part[0] not in parts)
        return replace(certificate, message=message)

    return unpaid


def without_both(certificate):
    """Let all be free."""
    return without_examples(without_message(certificate))


def without_settings(certificate):
    """Let the choice of a family, metric or kind be free."""
    message = tuple(part for part in certificate.message if "settings" not in part[0])
    return replace(certificate, message=message)
