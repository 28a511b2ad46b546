"""Every form of the bound is true: over many samples it fails at most a share delta of them.

And it would be noticed if it were not: what is paid for is left out, one after the other, and then
it fails too often. ``tests/papers/test_simulation.py`` has more samples, and prints the rates.
"""

import numpy as np
import pytest
from scipy import stats
from simulating import (
    Chosen,
    Machines,
    Trees,
    classic,
    count_failures,
    covering_search,
    listing_search,
    printed_choices,
    rule_lists,
    rule_votes,
    useless_search,
    without,
    without_both,
    without_examples,
    without_message,
    without_places,
    without_settings,
)

from rulewright import (
    RipperClassifier,
    ScorecardClassifier,
    SlipperClassifier,
    TreeRulesClassifier,
)
from rulewright.bounds import SETTINGS, class_tails, compression_tail

pytestmark = pytest.mark.slow
DELTA = 0.05

MACHINES = [
    ("noise", Machines("thresholds"), 40),
    ("rare", Machines("thresholds"), 40),
    ("clean", Machines("thresholds"), 40),
    ("noisy", Machines("thresholds", "list"), 40),
    ("noise", Machines("intervals"), 30),
    ("noise", Machines("coarse"), 40),
    ("points", Machines("coarse", "list"), 40),
    ("noise", Machines("balls"), 40),
    ("noisy", Machines("balls", "list", scale="standard", types="simple"), 40),
    ("noise", Machines("half_spaces", scale="standard"), 40),
    ("gaps, noise", Machines("balls", impute="mean"), 40),
    ("noisy", Machines("half_spaces", "list"), 40),
    ("three, noise", Machines("thresholds", "list"), 30),
    ("three, bands", Machines("balls", "list"), 40),
    ("categories", Machines("subsets"), 40),
    ("categories, noise", Machines("categories", "list"), 30),
    ("mixed, noise", Machines("auto"), 40),
    ("mixed", Machines(("thresholds", "subsets"), "list"), 40),
    ("points", Machines("balls"), 40),
    ("points, noise", Machines(("thresholds", "balls"), "list"), 30),
    ("coins", Machines("given"), 30),
]

TREES = [
    ("noise", Trees(), 40),
    ("three, noise", Trees(preset="id3"), 30),
    ("categories, noise", Trees("multiway"), 30),
    ("gaps", Trees(preset="c4.5"), 40),
    ("gaps, noise", Trees(("ranges", "multiway")), 30),
    ("gaps, noise", Trees(("thresholds", "subsets"), missing="fractional"), 30),
    ("gaps, noise", Trees(pruning="reduced-error"), 40),
    ("four columns, noise", Trees("half_planes", max_candidates=20, max_sum_columns=3), 40),
]

WRITTEN = ["x0 > 2 and x1 <= 5 -> 1", "x0 <= 2 -> 0"]

RULES = [
    ("noise", rule_lists(max_terms=1), 40),
    ("noise", rule_lists("sc", correction="sc"), 40),
    ("noise", rule_lists("written", rules=WRITTEN), 40),
    ("three, noise", rule_lists("by bound", chosen=True), 30),
    ("clean", rule_lists("abstaining", default="abstain"), 40),
    ("gaps, noise", rule_lists("intervals", family=["intervals", "categories", "missing"]), 40),
    ("noise", rule_votes(max_terms=1), 40),
    ("three, bands", rule_votes("sc", correction="sc"), 40),
    ("rare", rule_votes("abstaining", rules=WRITTEN, default="abstain"), 40),
    ("noise", classic(RipperClassifier), 40),
    ("three, noise", classic(RipperClassifier, prune=False), 40),
    ("gaps, noise", classic(SlipperClassifier, n_rounds=3), 40),
    ("gaps, noise", classic(ScorecardClassifier, max_conditions=2), 40),
    ("three, noise", classic(ScorecardClassifier, max_conditions=2, max_points=2), 40),
    ("noise", classic(TreeRulesClassifier), 40),
    ("three, noise", classic(TreeRulesClassifier, n_rounds=2), 40),
    ("gaps", rule_votes("syndromes", conditions="syndromes", max_rules=2), 40),
]

SEARCHES = [
    ("noise", Chosen(covering_search(), "covering, by bound"), 40),
    ("rare", Chosen(covering_search("holdout"), "covering, by holdout"), 40),
    ("three, noise", Chosen(listing_search(), "list, by bound"), 30),
    ("coins", Chosen(useless_search(), "many families, by bound"), 30),
    ("coins", Chosen(useless_search("holdout"), "many families, by holdout"), 40),
]


def too_often(counts):
    return {key: count.rate for key, count in counts.items() if count.rate > key[1]}


@pytest.mark.cross_section(8)
@pytest.mark.parametrize(("name", "learn", "m"), MACHINES + TREES + RULES, ids=str)
def test_certificates_fail_at_most_a_share_delta_of_the_time(name, learn, m):
    """One failure among all machines of a sample counts: the bound holds for all at once."""
    assert too_often(count_failures(learn, name, m, samples=50)) == {}


@pytest.mark.cross_section(2)
@pytest.mark.parametrize(("name", "learn", "m"), SEARCHES, ids=str)
def test_the_certificate_of_what_a_search_chooses_is_true(name, learn, m):
    assert too_often(count_failures(learn, name, m, samples=30)) == {}


def test_a_bound_that_pays_for_no_choice_is_noticed_in_every_form():
    """The same counts with nothing paid for: on noise all forms fail far too often."""
    counts = count_failures(
        Machines("balls"), "points, noise", 30, 30, deltas=(DELTA,), unpaid=without_both
    )
    assert all(count.rate > 3 * DELTA for count in counts.values())


@pytest.mark.parametrize(
    ("unpaid", "name", "learn"),
    [
        (without_examples, "points, noise", Machines("balls")),
        (without_message, "coins", Machines("given")),
        (without_message, "points, noise", Machines("coarse")),
        (without_settings, "coins", Chosen(useless_search(), "by bound")),
        (without_message, "coins", Chosen(useless_search("holdout"), "by holdout")),
    ],
    ids=[
        "the examples",
        "the message",
        "the cuts",
        "the settings",
        "the models held-out rows choose among",
    ],
)
def test_a_bound_that_does_not_pay_for_one_thing_is_noticed(unpaid, name, learn):
    """Even at a delta of one half it fails in more samples than that."""
    counts = count_failures(learn, name, 30, 25, deltas=(0.5,), forms=("tail",), unpaid=unpaid)
    assert counts["tail", 0.5].rate > 0.75


@pytest.mark.parametrize(
    ("unpaid", "name", "learn", "m"),
    [
        (without("which columns and tests", SETTINGS), "coins", Trees("given"), 30),
        (without_places, "points, noise", Trees("intervals", criteria=("gini", "error")), 60),
    ],
    ids=["the tests", "the examples"],
)
def test_a_tree_that_does_not_pay_for_one_thing_is_noticed(unpaid, name, learn, m):
    """Grown on noise, it fails at a delta of one half in more samples than that."""
    counts = count_failures(learn, name, m, 40, deltas=(0.5,), forms=("tail",), unpaid=unpaid)
    assert counts["tail", 0.5].rate > 0.75


@pytest.mark.parametrize(
    ("unpaid", "name", "learn"),
    [
        (without("which columns and tests"), "coins", rule_lists()),
        (without_message, "coins", rule_votes()),
        (without_both, "points, noise", rule_lists()),
    ],
    ids=["the tests", "the message", "anything"],
)
def test_rules_that_do_not_pay_enough_are_noticed(unpaid, name, learn):
    """Learnt from noise, they fail at a delta of one half in more samples than that."""
    counts = count_failures(learn, name, 30, 20, deltas=(0.5,), forms=("tail",), unpaid=unpaid)
    assert counts["tail", 0.5].rate > 0.75


@pytest.mark.parametrize("e", [0.02, 0.2, 0.5])
def test_for_one_fixed_rule_it_fails_as_often_as_it_may(e):
    """With nothing to pay for, the bound is Clopper and Pearson's: true, and nearly tight."""
    m = 200
    fails = [e > compression_tail(m, [], k, delta=DELTA) for k in range(m + 1)]
    rate = stats.binom.pmf(np.arange(m + 1), m, e)[fails].sum()
    assert DELTA / 5 < rate <= DELTA


def chance_that_a_class_fails(m, e, classes, delta):
    """Draw as many of each class, misjudged at the same rate: any of them may fail."""
    bounds = [class_tails([m] * classes, [], [k] * classes, delta=delta)[0] for k in range(m + 1)]
    one = stats.binom.pmf(np.arange(m + 1), m, e)[e > np.array(bounds)].sum()
    return 1 - (1 - one) ** classes


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("delta", [DELTA, 0.5])
def test_for_one_fixed_rule_classes_fail_as_often_as_they_may(classes, delta):
    """The confidence is shared among the classes; were it not, it would be too little."""
    rate = chance_that_a_class_fails(200, 0.2, classes, delta)
    assert delta / 2 < rate <= delta
    assert chance_that_a_class_fails(200, 0.2, classes, min(delta * classes, 0.99)) > delta


@pytest.mark.parametrize("family", ["balls", "half_spaces"])
def test_the_printed_form_is_false_for_machines_that_were_learnt_from_noise(family):
    """It chooses among consistent machines; whatever it chooses has error 1/2."""
    says, _, bound, _ = printed_choices(family, "points, noise", m=200, samples=12).T
    assert (says < 0.5).mean() > 0.95
    assert says.mean() < 0.4
    assert (bound < 0.5).mean() <= DELTA


def test_the_printed_form_chooses_badly_where_there_is_something_to_learn():
    """Errors that are all in one class cost it nearly nothing, so it likes to say one class."""
    says, printed, bound, tail = printed_choices("half_spaces", "points", m=200, samples=12).T
    assert (says < printed).mean() > 0.5
    assert printed.mean() > tail.mean() + 0.1
    assert (bound < tail).mean() <= DELTA
