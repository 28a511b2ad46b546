"""Large and deep trees have all that small ones have."""

import numpy as np
import pandas as pd
import pytest

from rulewright import load_model, save_model
from rulewright.certificates import Code, certify
from rulewright.data import detect_table
from rulewright.families import as_families
from rulewright.models import Model
from rulewright.rules import Leaf, Split, Threshold, Tree


def certified(tree, X, y):
    table = detect_table(X)
    certificate = certify(tree, table, y, Code(as_families("thresholds"), 2, combinations=()))
    evidence = np.zeros((len(tree.outputs), 2))
    np.add.at(evidence, (tree.answer(table), y), 1)
    rows = tuple(map(tuple, evidence.tolist()))
    return Model(table.fields, (0, 1), tree, rows, certificate=certificate)


@pytest.mark.slow
def test_a_deep_tree_is_certified_saved_loaded_explained_and_verified(tmp_path):
    random = np.random.default_rng(3)
    X = pd.DataFrame({"x": random.normal(size=1000), "z": random.normal(size=1000)})
    y = random.integers(0, 2, 1000).astype(np.int32)
    order = np.argsort(X.x.to_numpy())
    nodes = []
    for level in range(5_000):
        row = int(order[level // 5])
        test = Threshold("x", False, float(X.x[row]), anchored_on=(row,))
        nodes += [Split((test,), (2 * level + 1, 2 * level + 2)), Leaf(int(y[row]))]
    model = certified(Tree((*nodes, Leaf(1 - nodes[-1].output))), X, y)
    assert (model.predict(X) == y).all()
    assert model.certificate.bound == 1.0  # all examples rebuild it, and none are left to test it
    save_model(model, tmp_path / "deep.json")
    loaded = load_model(tmp_path / "deep.json")
    assert loaded == model
    loaded.certificate.verify(loaded, X, y)
    assert str(loaded) == str(model)
    row = X.iloc[[order[500]]]
    low, high = X.x[order[499:501]].tolist()
    assert (
        loaded.explain(row).why.iloc[0] == f"x = {high!r} (> {low!r}); x = {high!r} (<= {high!r})"
    )
    assert loaded.explain(row).rule.iloc[0] == 2501
