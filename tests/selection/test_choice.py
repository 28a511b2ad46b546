"""The certified front, limits on the size, and remarks on the choice."""

import re
from types import SimpleNamespace

import numpy as np
import pytest

from rulewright import AutoClassifier, SetCoveringMachine, TreeClassifier, load_model
from rulewright.certificates import PathEntry, certified_front
from rulewright.errors import InputError
from rulewright.render import percent_text
from rulewright.selection import AutoSettings, model_costs

RNG = np.random.default_rng(0)
X = RNG.random((400, 2)).round(3)
Y = (6 * X[:, 0]).astype(int) % 2


class Bound:
    def __init__(self, bound):
        self.bound = bound


def entries(*pairs):
    return [PathEntry(size, None, 0, Bound(bound), 0.0) for size, bound in pairs]


def test_the_front_has_the_models_that_beat_all_smaller_ones():
    path = entries((3, 0.2), (0, 0.4), (1, 0.4), (2, 0.3), (2, 0.25), (4, 0.2), (5, 0.1))
    found = [(entry.size, entry.certificate.bound) for entry in certified_front(path)]
    assert found == [(0, 0.4), (2, 0.25), (3, 0.2), (5, 0.1)]
    assert certified_front([]) == []
    worst_first = certified_front(path, lambda entry: -entry.size)
    assert [entry.size for entry in worst_first] == [0, 1, 2, 3, 4, 5]


def test_hold_out_bounds_do_not_hold_at_once_and_have_no_front():
    fitted = TreeClassifier(certificate="holdout").fit(X, Y)
    assert certified_front(fitted.path_) == []


def test_a_size_without_a_model_is_refused():
    with pytest.raises(InputError, match=r"No model has the size 300. .* rules: 0"):
        AutoClassifier(size=300).fit(X, Y)
    with pytest.raises(InputError, match="size needs certificate='split'"):
        AutoClassifier(size=3, certificate="compression").fit(X, Y)


def test_a_better_model_outside_the_limits_is_named_with_its_parameter():
    fitted = AutoClassifier(max_rules=2).fit(X, Y)
    (notice,) = fitted.notices_
    assert "would have the bound" in notice and ": size=" in notice
    size = int(notice.rpartition("=")[2].rstrip("."))
    (bound,) = re.findall(r"the bound ([\d.]+ %)", notice)
    assert percent_text(AutoClassifier(size=size).fit(X, Y).certificate_.bound) == bound
    assert AutoClassifier(size=1).fit(X, Y).notices_ == []


def test_no_notice_where_nothing_is_to_say():
    assert AutoClassifier().fit(X, Y).notices_ == []
    assert TreeClassifier(certificate=None).fit(X, Y).notices_ == []


def test_a_weak_bound_names_the_parameter():
    notices = TreeClassifier().fit(X, Y).notices_
    assert notices == ["A split certificate is usually much tighter: certificate='split'."]
    few = slice(0, 80)
    assert TreeClassifier().fit(X[few], Y[few]).notices_ == []


def test_a_tree_that_always_answers_the_same_has_no_rules():
    y = np.zeros(400, int)
    y[:12] = 1
    fitted = AutoClassifier().fit(X, y)
    (notice,) = fitted.notices_
    assert notice.startswith("No rule beat always 0. The best rules found have the bound ")


@pytest.mark.cross_section(1)
@pytest.mark.parametrize("costs", [{1: 5}, "balanced", {0: 0.5, 1: 2}])
def test_costs_are_read_back_from_the_recipe(costs, tmp_path):
    fitted = AutoClassifier(class_costs=costs).fit(X, Y)
    fitted.save_model(tmp_path / "m.json")
    found = model_costs(load_model(tmp_path / "m.json"))
    assert found == fitted._costs
    ordered = [entry.certificate.cost_bound(found) for entry in fitted.front_]
    assert ordered == sorted(ordered, reverse=True)


def test_models_of_other_forms_name_the_costs_themselves(tmp_path):
    assert model_costs(AutoClassifier().fit(X, Y).model_) is None
    fitted = SetCoveringMachine(class_costs={1: 5}).fit(X, Y)
    fitted.save_model(tmp_path / "m.json")
    assert model_costs(load_model(tmp_path / "m.json")) == (1.0, 5.0)


@pytest.mark.parametrize("form", ["compression", "holdout"])
def test_limits_hold_in_every_form_of_the_certificate(form):
    few = AutoClassifier(max_rules=1, certificate=form).fit(X, Y)
    assert few.model_.body.literals >= 1 and len(few.model_.body.outputs) == 2
    assert AutoClassifier(max_literals=1, certificate=form).fit(X, Y).model_.body.literals == 1


def test_a_tolerance_allows_models_with_fewer_errors_on_all_rows():
    exact, near = (AutoClassifier(tolerance=tolerance).fit(X, Y) for tolerance in (0, 100))
    assert near.certificate_.bound >= exact.certificate_.bound

    def priced(fitted):
        return (fitted.predict(X) != Y).sum() + fitted.model_.body.literals / 2

    assert priced(near) <= priced(exact)


def candidate(learner, split, worth, check, total, *, tests=1):
    """A candidate of a learner and a split: bound, share of check rows wrong, errors on all."""
    return SimpleNamespace(
        member=SimpleNamespace(learner=learner),
        checked=SimpleNamespace(number=split),
        body=SimpleNamespace(literals=tests),
        lines=tests,
        worth=worth,
        standard_error=0.02,
        check_loss=check,
        total_loss=total,
        order=(worth, tests, split, learner),
    )


def constants():
    return [candidate(0, split, 0.6, 0.5, 100, tests=0) for split in (1, 2)]


def choice(*candidates, **settings):
    ordered = sorted([*candidates, *constants()], key=lambda one: one.order)
    return AutoSettings(**settings).choose(ordered)


def test_a_learner_that_is_good_in_all_splits_beats_one_lucky_split():
    lucky = [candidate(0, 1, 0.20, 0.10, 30), candidate(0, 2, 0.33, 0.24, 50)]
    steady = [candidate(1, 1, 0.22, 0.12, 29), candidate(1, 2, 0.23, 0.13, 31)]
    assert choice(*lucky, *steady) is steady[0]
    assert choice(*lucky, *steady, tolerance=0) is lucky[0], "the smallest bound"


def test_a_learner_with_a_bound_far_from_the_best_is_not_chosen():
    """Three times half a standard error of 0.02 above the best bound is the limit."""
    best = [candidate(0, 1, 0.20, 0.14, 30), candidate(0, 2, 0.21, 0.15, 32)]
    for bound, chosen in ((0.2299, 1), (0.2301, 0)):
        other = [candidate(1, 1, bound, 0.12, 29), candidate(1, 2, bound + 0.1, 0.13, 31)]
        assert choice(*best, *other).member.learner == chosen


def test_a_split_in_which_a_learner_found_nothing_counts_the_constant_answer():
    once = candidate(0, 1, 0.20, 0.10, 30)
    twice = [candidate(1, 1, 0.21, 0.20, 40), candidate(1, 2, 0.22, 0.20, 41)]
    assert choice(once, *twice) is twice[0]


def test_tests_are_priced_among_the_models_of_the_learner():
    long = candidate(0, 1, 0.20, 0.10, 30, tests=6)
    short = candidate(0, 1, 0.205, 0.11, 32, tests=1)
    assert choice(long, short) is short, "two errors more, five tests fewer"
    far = candidate(0, 1, 0.22, 0.11, 25, tests=1)
    assert choice(long, short, far) is short, "its bound is above the tolerance"
