"""Pruned trees, against J48's and the lecture's steps taken one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import pruning as oracle
from strategies.trees import grown_trees, random_grown, random_rows

from rulewright.kernels import CUT, LEAF, TreeArrays, prune_pessimistic, prune_reduced_error

CONFIDENCE = st.sampled_from([0.5, 0.25, 0.05, 0.001])


def assert_same(pruned, expected):
    """Every node that stands is the same, with the same answer and the same weights."""
    for node in oracle.standing(expected.root):
        number = node["number"]
        assert pruned.instead[node["place"]] == number
        assert pruned.leaf[number] == (-1 if node["children"] else node["answer"])
        np.testing.assert_allclose(pruned.weight[number], node["weights"], rtol=1e-9, atol=1e-9)


@given(grown_trees(), CONFIDENCE, st.booleans())
def test_pessimistic_pruning_does_what_j48_does(grown, confidence, raising):
    pruned = prune_pessimistic(*grown, confidence=confidence, raising=raising)
    assert_same(pruned, oracle.Pessimistic(*grown, confidence, raising))


@given(grown_trees(), st.integers(0, 2**32 - 1), st.booleans())
def test_reduced_error_pruning_makes_the_fewest_errors_choice_by_choice(grown, seed, raising):
    rng = np.random.default_rng(seed)
    tree, numeric, codes, y, weight = grown
    absent = rng.choice([0.0, 0.3])
    numeric, codes = random_rows(rng, y.size, len(numeric), len(codes), absent)
    pruned = prune_reduced_error(tree, numeric, codes, y, weight, raising=raising)
    assert_same(pruned, oracle.ReducedError(tree, numeric, codes, y, weight, raising))


@pytest.mark.parametrize("absent", [0.0, 0.1])
def test_larger_trees_are_pruned_the_same_and_branches_are_raised(absent):
    raised = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        grown = random_grown(rng, 400, depth=6, classes=3, absent=absent, weights=(1, 2))
        expected = oracle.Pessimistic(*grown)
        assert_same(prune_pessimistic(*grown), expected)
        raised += expected.raised
        aside = grown._replace(y=np.where(rng.random(400) < 0.2, 0, grown.y).astype(np.int32))
        expected = oracle.ReducedError(*aside)
        assert_same(prune_reduced_error(*aside), expected)
        raised += expected.raised
    assert raised > 10


@pytest.mark.parametrize("seed", [3, 23, 26, 65])
def test_rows_that_a_raised_branch_already_had_are_shared_out_anew(seed):
    """A node can have the same rows as before and another weight of them."""
    rng = np.random.default_rng(seed)
    grown = random_grown(rng, 60, depth=4, absent=0.3, weights=(1, 8))
    expected = oracle.Pessimistic(*grown)
    assert expected.raised
    assert_same(prune_pessimistic(*grown), expected)


def test_errors_are_expected_as_in_quinlans_book():
    """Programs for Machine Learning, section 4.2: a leaf of 6, 9 or 1 cases without an error."""
    for cases, rate in [(6, 0.206), (9, 0.143), (1, 0.750)]:
        assert oracle.more_errors(cases, 0, 0.25) / cases == pytest.approx(rate, abs=5e-4)


def chain(splits, cuts, classes=2):
    """Every split has a leaf where x is at most the next cut, and the rest of the chain."""
    nodes = 2 * splits + 1
    kind = np.full(nodes, LEAF, np.int8)
    kind[0:-1:2] = CUT
    low = np.zeros(nodes)
    low[0:-1:2] = cuts
    none, zero = np.full(nodes, -1, np.int32), np.zeros(nodes, np.int32)
    return TreeArrays(
        kind=kind,
        column=np.where(kind == CUT, 0, -1).astype(np.int32),
        low=low,
        high=low,
        low_row=none,
        high_row=none,
        missing=zero - (kind == CUT),
        largest=zero,
        start=np.append(0, np.cumsum(2 * (kind == CUT))).astype(np.int32),
        branches=np.arange(1, nodes, dtype=np.int32),
        table_start=np.zeros(nodes + 1, np.int32),
        branch_of=np.empty(0, np.int32),
        weight=np.zeros((nodes, classes)),
        gain=np.zeros(nodes),
    )


def weighed_chain(splits, x, y, weight):
    tree = chain(splits, np.linspace(0, 1, splits))
    place = np.searchsorted(tree.low[0:-1:2], x)
    weights = np.zeros_like(tree.weight)
    np.add.at(weights, (np.minimum(2 * place + 1, 2 * splits), y), weight)
    weights[0:-1:2] = weights[::-1].cumsum(axis=0)[::-1][0:-1:2]
    return tree._replace(weight=weights)


@pytest.mark.parametrize("splits", [40, 100_000])
def test_a_chain_is_pruned_to_the_blocks_of_its_labels(splits):
    x = np.linspace(0.001, 0.999, 300)
    y = (np.arange(300) // 60 % 2).astype(np.int32)
    weight = np.ones(300)
    tree = weighed_chain(splits, x, y, weight)
    grown = tree, [x], [], y, weight
    for pruned in (prune_pessimistic(*grown), prune_reduced_error(*grown)):
        node, answers = pruned.instead[0], []
        while pruned.leaf[node] < 0:
            leaf, node = (pruned.instead[b] for b in tree.branches[tree.start[node] :][:2])
            answers.append(pruned.leaf[leaf])
        assert [*answers, pruned.leaf[node]] == [0, 1, 0, 1, 0]


def test_a_split_that_no_row_comes_to_becomes_a_leaf_of_its_class_in_training():
    tree = chain(2, [0.0, 1.0])._replace(
        weight=np.array([[3, 5], [3, 0], [0, 5], [0, 1], [0, 4.0]])
    )
    empty = [np.empty(0)], [], np.empty(0, np.int32), np.empty(0)
    pruned = prune_reduced_error(tree, *empty)
    assert pruned.instead[0] == 0
    assert pruned.leaf[0] == 1
    assert not pruned.weight[0].any()


def small():
    x = np.array([0.5, 1.5, 2.5, np.nan])
    y = np.array([0, 1, 0, 1], np.int32)
    return [chain(2, [1.0, 2.0]), [x], [], y, np.ones(4)]


def test_the_given_arrays_are_not_written_to():
    tree, (x,), _, y, weight = small()
    for array in (*tree, x, y, weight):
        array.setflags(write=False)
    prune_pessimistic(tree, [x], [], y, weight)
    prune_reduced_error(tree, [x], [], y, weight)


@pytest.mark.parametrize(
    ("field", "value", "needed"),
    [
        ("kind", np.array([1, 0, 9, 0, 0], np.int8), "kind of a node is not valid"),
        (
            "kind",
            np.array([1, 0, 0, 0, 0], np.int8),
            "splits and no other nodes must have branches",
        ),
        ("kind", np.array([1, 0, 4, 0, 0], np.int8), "must suit its column"),
        ("column", np.array([0, -1, 1, -1, -1], np.int32), "column of a node is out of range"),
        ("missing", np.array([2, 0, 0, 0, 0], np.int32), "a branch is out of range"),
        ("largest", np.array([-1, 0, 0, 0, 0], np.int32), "a branch is out of range"),
        ("branches", np.array([1, 2, 3, 2], np.int32), "children must come after their parent"),
        ("branches", np.array([1, 2, 3, 5], np.int32), "children must come after their parent"),
        ("start", np.array([0, 2, 2, 4, 4, 5], np.int32), "must cover all parts"),
        ("start", np.array([0, 2, 1, 4, 4, 4], np.int32), "in order"),
        ("weight", np.zeros((4, 2)), "one line per node"),
        ("weight", np.full((5, 2), -1.0), "finite and not negative"),
    ],
)
def test_arrays_that_are_no_tree_are_refused(field, value, needed):
    tree, *rows = small()
    with pytest.raises(ValueError, match=needed):
        prune_reduced_error(tree._replace(**{field: value}), *rows)


@pytest.mark.parametrize(
    ("position", "value", "needed"),
    [
        (1, [np.zeros(3)], "must have the same length"),
        (2, [np.zeros(3, np.int32)], "must have the same length"),
        (3, np.array([0, 1, 2, 0], np.int32), "class must be from"),
        (4, np.ones(3), "one number per row"),
        (4, np.array([1, 1, 1, np.nan]), "finite and not negative"),
    ],
)
def test_rows_that_do_not_fit_are_refused(position, value, needed):
    given_ = small()
    given_[position] = value
    for prune in (prune_pessimistic, prune_reduced_error):
        with pytest.raises(ValueError, match=needed):
            prune(*given_)


@pytest.mark.parametrize("confidence", [0.0, 0.6, np.nan])
def test_a_confidence_that_says_nothing_is_refused(confidence):
    with pytest.raises(ValueError, match="above 0 and at most 0.5"):
        prune_pessimistic(*small(), confidence=confidence)
