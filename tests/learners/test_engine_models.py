"""Every engine gives the model file of memory: real tables and a hard one, for each learner.

All engines have the same rows: of a table with more than ``MAX_ROWS`` rows those at equal
distances, except in the last test. Nodes of over ``EXACT_ROWS`` rows are counted in bins first,
others by value, so that both occur in most models.
"""

import warnings

import pytest
from engine_tables import KEY, TABLES, Learner, real_frame
from lazy_frames import ENGINES, written

from rulewright import (
    AutoClassifier,
    DecisionListMachine,
    RipperClassifier,
    RuleListClassifier,
    SetCoveringMachine,
    TreeClassifier,
    TreeRulesClassifier,
)
from rulewright.data import LazyTable

EXACT_ROWS = 100
EVERY_ENGINE = [*ENGINES, "postgres", "spark"]
LEARNERS = {
    "tree": Learner(lambda _: TreeClassifier(certificate=None, max_depth=5)),
    "id3": Learner(lambda _: TreeClassifier("id3", certificate=None, max_depth=3)),
    "c4.5": Learner(
        lambda rows: TreeClassifier("c4.5", certificate=None, min_samples_leaf=max(2, rows // 50))
    ),
    "dlm": Learner(lambda _: DecisionListMachine(certificate=None, max_rules=4, penalty=2)),
    "rule-list": Learner(
        lambda _: RuleListClassifier(certificate=None, max_rules=1, max_terms=2, beam_width=2)
    ),
    "tree-rules": Learner(
        lambda rows: TreeRulesClassifier(certificate=None, min_samples_leaf=max(2, rows // 50))
    ),
    "ripper": Learner(
        lambda rows: RipperClassifier(certificate=None, k=1, max_growing=max(20, rows // 5)),
        keyed=True,
    ),
    "split": Learner(lambda _: TreeClassifier(certificate="split", max_depth=3, n_splits=1)),
}

pytestmark = pytest.mark.engines


@pytest.fixture(autouse=True)
def few_exact_rows(monkeypatch):
    monkeypatch.setattr(LazyTable, "exact_rows", EXACT_ROWS)


@pytest.mark.parametrize("name", [*TABLES, "hostile"])
@pytest.mark.parametrize("learner", LEARNERS)
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_every_engine_gives_the_model_of_memory(tables, engine, learner, name):
    learner = LEARNERS[learner]
    assert tables.in_engine(learner, name, engine) == tables.in_memory(learner, name)


@pytest.mark.parametrize("name", ["banknote", "breastw", "pima"])
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_every_engine_gives_the_machine_of_memory(tables, engine, name):
    machine = Learner(lambda _: SetCoveringMachine(certificate=None, max_rules=3))
    assert tables.in_engine(machine, name, engine) == tables.in_memory(machine, name)


@pytest.mark.parametrize("name", ["pima"])
@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_every_engine_gives_the_choice_of_memory(tables, engine, name):
    settings = {"n_splits": 1, "max_rules": 4, "min_weight_fraction_leaf": 0.001}
    auto = Learner(lambda _: AutoClassifier(among=("machines", "cart"), **settings))
    assert tables.in_engine(auto, name, engine) == tables.in_memory(auto, name)


@pytest.mark.parametrize("engine", EVERY_ENGINE)
def test_every_engine_finds_what_changes_along_a_column(tables, engine):
    frame = tables.frame("pima")
    target = frame.columns[-1]
    cautions = []
    for name in ("polars", engine):
        tree = TreeClassifier(certificate="split", max_depth=2, n_splits=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree.fit(tables.loaded(name, "pima"), target=target, key=KEY, order_by="plasma_glucose")
        cautions.append(tree.certificate_.cautions)
    assert cautions[0] == cautions[1]
    assert "frequent along 'plasma_glucose': " in cautions[0][0]


@pytest.mark.parametrize("engine", ENGINES)
def test_all_rows_of_a_large_table_give_the_model_of_memory(data_folder, engine):
    frame = real_frame(data_folder, "adult", 10**6)
    assert frame.height > 40_000
    tree = TreeClassifier(certificate=None, max_depth=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = written(tree.fit(frame, target=frame.columns[-1]).model_)
        found = tree.fit(ENGINES[engine](frame), target=frame.columns[-1]).model_
    assert written(found) == expected
