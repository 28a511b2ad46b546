"""Nodes that look at the columns of a mixed table."""

from itertools import pairwise

from hypothesis import strategies as st

from rulewright.rules import (
    SHARES,
    AllOf,
    AnyOf,
    AtLeast,
    Ball,
    Category,
    ClassScorecard,
    ClassScoreLine,
    Conjunction,
    Disjunction,
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
    ScoreBand,
    Scorecard,
    ScoreLine,
    Split,
    Threshold,
    Tree,
    WeightedRule,
)
from strategies.mixed import COLOURS
from strategies.numbers import TIED

ROWS = st.integers(0, 50)
KERNELS = st.builds(
    Kernel,
    st.sampled_from(["linear", "rbf", "polynomial"]),
    st.sampled_from([0.5, 1.0]),
    st.sampled_from([0.0, 1.0]),
    st.integers(1, 3),
)
METRICS = st.one_of(
    st.builds(Metric, st.sampled_from(["l1", "l2", "linf", "precomputed"])),
    st.builds(Metric, st.just("kernel"), st.one_of(KERNELS, st.just(Kernel("precomputed")))),
)
SCALINGS = st.sampled_from(
    [
        Scaling(),
        Scaling("standard", shift=(0.5, -1.0), unit=(2.0, 0.5)),
        Scaling("rank", knots=((-1.0, 0.0, 3.0), (0.0, 0.0, 1.0))),
        Scaling(fill=(1.0, -0.5)),
        Scaling("standard", shift=(0.5, -1.0), unit=(2.0, 0.5), fill=(0.0, 0.25)),
    ]
)


def interval(name, one, other, inside, if_missing, rows, low_open, high_open):
    """An interval between two numbers in any order; open at an end only where they differ."""
    ends = {"low_open": low_open, "high_open": high_open} if one != other else {}
    return Interval(name, min(one, other), max(one, other), inside, if_missing, rows, **ends)


INTERVALS = st.builds(
    lambda name, ends, *rest: interval(name, *ends, *rest),
    st.sampled_from(["a", "b"]),
    st.tuples(TIED, TIED),
    st.booleans(),
    st.booleans(),
    st.lists(ROWS, max_size=2).map(tuple),
    st.booleans(),
    st.booleans(),
)
ON_COLUMNS = st.one_of(
    st.builds(
        Threshold,
        st.sampled_from(["a", "b"]),
        st.booleans(),
        TIED,
        st.booleans(),
        st.lists(ROWS, max_size=1).map(tuple),
        st.booleans(),
    ),
    INTERVALS,
    st.builds(
        Category,
        st.just("colour"),
        st.lists(st.sampled_from([*COLOURS, "never seen"]), min_size=1, max_size=3).map(tuple),
        st.booleans(),
        st.booleans(),
    ),
    st.builds(Missing, st.sampled_from(["a", "colour", "flag"]), st.booleans()),
    st.builds(Given, st.sampled_from(["flag", "b"]), st.booleans(), st.booleans()),
)
LITERALS = st.one_of(
    ON_COLUMNS,
    st.builds(
        Ball,
        st.just(("a", "b")),
        st.tuples(TIED, TIED),
        st.sampled_from([0.0, 0.5, 1.0, 2.0]),
        METRICS,
        st.booleans(),
        st.booleans(),
        st.booleans(),
        SCALINGS,
        st.lists(ROWS, max_size=2).map(tuple),
    ),
    st.builds(
        HalfSpace,
        st.just(("a", "b")),
        st.tuples(TIED, TIED),
        st.tuples(TIED, TIED),
        TIED,
        st.booleans(),
        st.booleans(),
        st.one_of(KERNELS, st.just(Kernel("precomputed"))),
        st.booleans(),
        SCALINGS,
        st.lists(ROWS, max_size=3).map(tuple),
    ),
    st.builds(
        lambda terms, *rest: HalfPlane(tuple(terms), tuple(terms.values()), *rest),
        st.dictionaries(
            st.sampled_from(["a", "b"]),
            st.sampled_from([1.0, -1.0, 3.0, -0.5, 1 / 3, 2e-7, 1e300]),
            min_size=1,
        ),
        TIED,
        st.booleans(),
        st.booleans(),
        st.lists(ROWS, max_size=1).map(tuple),
    ),
)
PREDICATES = st.recursive(
    LITERALS,
    lambda parts: st.one_of(
        st.builds(AllOf, st.lists(parts, max_size=3).map(tuple)),
        st.builds(AnyOf, st.lists(parts, max_size=3).map(tuple)),
        st.lists(parts, min_size=1, max_size=3).flatmap(
            lambda p: st.builds(AtLeast, st.integers(0, len(p)), st.just(tuple(p)))
        ),
        st.builds(Not, parts),
    ),
    max_leaves=6,
)
SOME = st.lists(PREDICATES, max_size=3).map(tuple)
CLASS = st.integers(0, 2)
CLASS_OR_NONE = st.none() | CLASS


def shares(branches):
    """No shares, or sixteenths for so many branches."""
    cuts = st.lists(st.integers(0, SHARES), min_size=branches - 1, max_size=branches - 1)
    ends = cuts.map(lambda some: [0, *sorted(some), SHARES])
    return st.just(()) | ends.map(lambda e: tuple(b - a for a, b in pairwise(e)))


@st.composite
def trees(draw, literals=LITERALS, most=3, shared=True):
    """A tree grown by splitting leaves, numbered so that branches come after their node."""
    nodes = [Leaf(draw(CLASS))]
    for _ in range(draw(st.integers(0, most))):
        leaf = draw(st.sampled_from([i for i, n in enumerate(nodes) if isinstance(n, Leaf)]))
        tests = draw(st.lists(literals, min_size=1, max_size=2).map(tuple))
        first = len(nodes)
        branches = tuple(range(first, first + len(tests) + 1))
        nodes[leaf] = Split(tests, branches, draw(shares(len(branches))) if shared else ())
        nodes += [Leaf(draw(CLASS)) for _ in range(len(tests) + 1)]
    return Tree(tuple(nodes))


@st.composite
def scorecards(draw, conditions=PREDICATES):
    """A scorecard of two classes, with bands in any place."""
    points = st.integers(-3, 3)
    lines = draw(st.lists(st.builds(ScoreLine, conditions, points), max_size=3).map(tuple))
    lows = sorted(draw(st.sets(st.integers(-9, 9), min_size=1, max_size=4)))
    changes = draw(st.integers(0, len(lows)))
    first = draw(st.integers(0, 1))
    risks = sorted(draw(st.lists(st.sampled_from([0.001, 0.25, 0.999]), min_size=4, max_size=4)))
    bands = [
        ScoreBand(low, first if number < changes else 1 - first, risk)
        for number, (low, risk) in enumerate(zip(lows, risks, strict=False))
    ]
    return Scorecard(lines, tuple(bands))


def class_scorecards(conditions=PREDICATES, classes=3):
    """A scorecard of several classes."""
    points = st.tuples(*[st.integers(-3, 3)] * classes)
    lines = st.lists(st.builds(ClassScoreLine, conditions, points), max_size=3).map(tuple)
    return st.builds(ClassScorecard, points, lines, st.sampled_from([0.0, 0.5, 2.0]))


ARRANGEMENTS = st.one_of(
    st.builds(Conjunction, SOME, CLASS, CLASS),
    st.builds(Disjunction, SOME, CLASS, CLASS),
    st.builds(
        RuleList,
        st.lists(st.builds(Rule, PREDICATES, CLASS), max_size=3).map(tuple),
        CLASS_OR_NONE,
    ),
    st.builds(
        RuleVote,
        st.lists(
            st.builds(WeightedRule, PREDICATES, CLASS, st.sampled_from([-1.0, 0.5, 1.0, 2.0])),
            max_size=4,
        ).map(tuple),
        CLASS_OR_NONE,
    ),
    trees(),
    scorecards(),
    class_scorecards(),
)
