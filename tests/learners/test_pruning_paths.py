"""The best prunings of a tree, against listing them all and against scikit-learn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracles import pruning_paths as oracle
from sklearn.tree import DecisionTreeClassifier
from strategies.trees import as_arrays, random_nodes

from rulewright.kernels import CUT, LEAF, TreeArrays
from rulewright.learners.tree import cost_complexity_path, fewest_errors


@st.composite
def small_trees(draw):
    """A tree of few enough prunings to list, and whole numbers for its nodes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    tree = as_arrays(rng, random_nodes(rng, 1, 1, draw(st.integers(0, 3))), 1)
    numbers = rng.integers(0, draw(st.sampled_from([2, 5, 100])), tree.kind.size)
    return tree, numbers.astype(float)


def costs_of(tree, numbers):
    """Impurities that splits do not raise; whole, so that equal alphas are equal to the bit."""
    cost = numbers.copy()
    for node in range(tree.kind.size - 1, -1, -1):
        cost[node] += sum(cost[child] for child in oracle.children_of(tree, node))
    return cost


def pruned_leaves(tree, removed_at, alpha):
    leaves, waiting = [], [0]
    while waiting:
        node = waiting.pop()
        if tree.kind[node] != LEAF and removed_at[node] > alpha:
            waiting.extend(oracle.children_of(tree, node))
        else:
            leaves.append(node)
    return leaves


@given(small_trees())
def test_the_path_costs_the_least_for_every_alpha(case):
    tree, numbers = case
    cost = costs_of(tree, numbers)
    path = cost_complexity_path(tree, cost)
    assert (np.diff(path.alphas) >= 0).all()
    assert path.removed_at[0] == (path.alphas[-1] if tree.kind[0] != LEAF else np.inf)
    middles = (path.alphas[1:] + path.alphas[:-1]) / 2
    for alpha in [*path.alphas, *middles, path.alphas[-1] + 1]:
        leaves = pruned_leaves(tree, path.removed_at, alpha)
        impurity = cost[leaves].sum()
        least = oracle.least_cost(tree, cost, alpha)
        assert impurity + alpha * len(leaves) == pytest.approx(least, rel=1e-12)
        reached = np.searchsorted(path.alphas, alpha, side="right") - 1
        assert path.impurities[reached] == pytest.approx(impurity, rel=1e-12)


@given(small_trees())
def test_of_equal_subtrees_the_path_has_the_smallest(case):
    tree, numbers = case
    cost = costs_of(tree, numbers)
    path = cost_complexity_path(tree, cost)
    for alpha in path.alphas:
        kept = len(pruned_leaves(tree, path.removed_at, alpha))
        costs = [
            (sum(cost[leaf] for leaf in leaves) + alpha * len(leaves), len(leaves))
            for leaves in oracle.prunings(tree)
        ]
        least = min(total for total, _ in costs)
        assert kept == min(size for total, size in costs if total <= least * (1 + 1e-12))


def from_scikit_learn(fitted):
    inner = fitted.children_left >= 0
    none = np.full(inner.size, -1, np.int32)
    both = np.stack([fitted.children_left, fitted.children_right], axis=1)
    return TreeArrays(
        kind=np.where(inner, CUT, LEAF).astype(np.int8),
        column=np.where(inner, fitted.feature, -1).astype(np.int32),
        low=fitted.threshold,
        high=fitted.threshold,
        low_row=none,
        high_row=none,
        missing=none,
        largest=none,
        start=np.append(0, np.cumsum(2 * inner)).astype(np.int32),
        branches=both[inner].ravel().astype(np.int32),
        table_start=np.zeros(inner.size + 1, np.int32),
        branch_of=np.empty(0, np.int32),
        weight=fitted.value[:, 0] * fitted.weighted_n_node_samples[:, None],
        gain=np.zeros(inner.size),
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
def test_the_path_is_scikit_learns(seed, criterion):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(300, 4)).round(1)
    y = (X[:, 0] * X[:, 1] > 0) * 1 + (rng.random(300) < 0.3)
    weight = rng.random(300)  # so that no two links are equally weak
    model = DecisionTreeClassifier(criterion=criterion, random_state=seed)
    expected = model.cost_complexity_pruning_path(X, y, weight)
    grown = model.fit(X, y, weight).tree_
    tree = from_scikit_learn(grown)
    share = grown.weighted_n_node_samples / grown.weighted_n_node_samples[0]
    path = cost_complexity_path(tree, grown.impurity * share)
    np.testing.assert_allclose(path.alphas, expected.ccp_alphas, rtol=0, atol=1e-9)
    np.testing.assert_allclose(path.impurities, expected.impurities, rtol=0, atol=1e-9)
    for alpha in expected.ccp_alphas[1::7] + 1e-12:
        pruned = DecisionTreeClassifier(criterion=criterion, random_state=seed, ccp_alpha=alpha)
        pruned = pruned.fit(X, y, weight).tree_
        kept = sorted(pruned_leaves(tree, path.removed_at, alpha))  # both are in preorder
        np.testing.assert_array_equal(grown.value[kept], pruned.value[pruned.children_left < 0])


@given(small_trees(), st.integers(1, 12))
def test_the_fewest_errors_of_each_size_are_found_with_their_subtree(case, most):
    tree, wrong = case
    found = fewest_errors(tree, wrong, most)
    assert found.errors.size == most
    for size in range(1, most + 1):
        expected = oracle.best_of_size(tree, wrong.tolist(), size)
        if expected is None:
            assert found.errors[size - 1] == np.inf
            with pytest.raises(ValueError, match=f"no subtree with {size} leaves"):
                found.leaves(size)
            continue
        assert found.errors[size - 1] == expected[0]
        assert set(np.flatnonzero(found.leaves(size))) == set(expected[3])


def test_a_size_that_was_not_asked_for_is_refused():
    tree = as_arrays(np.random.default_rng(0), random_nodes(np.random.default_rng(0), 1, 1, 2), 1)
    wrong = np.zeros(tree.kind.size)
    with pytest.raises(ValueError, match="no subtree with 0 leaves"):
        fewest_errors(tree, wrong, 3).leaves(0)
    with pytest.raises(ValueError, match="no subtree with 4 leaves"):
        fewest_errors(tree, wrong, 3).leaves(4)
    with pytest.raises(ValueError, match="max_leaves must be 1 or more, found 0"):
        fewest_errors(tree, wrong, 0)
