"""What a search takes besides rows and labels: groups, metadata, and no pipelines."""

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_breast_cancer
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.model_selection import GroupKFold, KFold, LeaveOneGroupOut, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from rulewright import BoundSearch, DecisionListMachine, SetCoveringMachine
from rulewright.errors import InputError

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[:120, :4], Y[:120]
GROUPS = np.arange(120) // 10
WEIGHT = np.arange(120) % 3


class Recording(GroupKFold):
    """Folds by group that remember the groups they were given."""

    seen = ()

    def split(self, X, y=None, groups=None):
        Recording.seen = tuple(groups)
        return super().split(X, y, groups)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def search(**options):
    return BoundSearch(SetCoveringMachine(max_rules=2), {"penalty": [1, 2]}, **options)


def test_groups_reach_the_splitter():
    found = search(by="cv", cv=Recording(3)).fit(X, Y, groups=GROUPS)
    assert Recording.seen == tuple(GROUPS)
    outright = search(by="cv", cv=list(GroupKFold(3).split(X, Y, GROUPS))).fit(X, Y)
    assert found.cv_results_["cv_loss"].tolist() == outright.cv_results_["cv_loss"].tolist()


def test_groups_of_rows_of_no_weight_are_left_out():
    search(by="cv", cv=Recording(3)).fit(X, Y, sample_weight=WEIGHT, groups=GROUPS)
    assert Recording.seen == tuple(GROUPS[WEIGHT > 0])


@pytest.mark.parametrize("rare", [False, True], ids=["stratified", "with a rare class"])
def test_a_number_of_folds_keeps_groups_together(monkeypatch, rare):
    y = (np.arange(120) < 2).astype(int) if rare else Y
    seen = []
    original = BoundSearch._runs

    def watched(self, points, sample):
        seen.append(set(GROUPS[sample.rows]))
        return original(self, points, sample)

    monkeypatch.setattr(BoundSearch, "_runs", watched)
    if rare:
        y[50:53] = 1
    search(by="cv", cv=6).fit(X, y, groups=GROUPS)
    left_out = [set(GROUPS) - groups for groups in seen[1:]]
    assert len(left_out) == 6
    assert set.union(*left_out) == set(GROUPS)
    assert sum(map(len, left_out)) == 12


def test_more_folds_than_groups_are_refused():
    with pytest.raises(InputError, match="cv must be at most the number of groups, 12; found 20"):
        search(by="cv", cv=20).fit(X, Y, groups=GROUPS)


@pytest.mark.parametrize("by", ["bound", "holdout"])
def test_groups_are_refused_where_nothing_is_cross_validated(by):
    with pytest.raises(InputError, match=r"groups serve cross-validation only.*Use by='cv'"):
        search(by=by).fit(X, Y, groups=GROUPS)


@pytest.mark.parametrize("by", ["bound", "cv", "holdout"])
def test_a_certificate_of_grouped_rows_says_that_it_takes_them_for_independent(by):
    found = search(by=by, cross_validate=True, cv=3).fit(X, Y, groups=GROUPS)
    assert "120 rows come in 12 groups" in str(found.certificate_)
    assert found.model_.certificate == found.certificate_
    assert found.best_estimator_.certificate_ is found.certificate_
    found.certificate_.verify(found.model_, X, Y)


def test_groups_must_have_one_value_a_row():
    with pytest.raises(InputError, match=r"groups must have one value for each of the 120 rows"):
        search(by="cv", cv=3).fit(X, Y, groups=GROUPS[:5])


def test_other_arguments_are_refused():
    with pytest.raises(TypeError, match="unexpected argument 'group'"):
        search(by="cv").fit(X, Y, group=GROUPS)


def test_routing_gives_groups_to_the_splitter(routing):
    search(by="cv", cv=Recording(3)).fit(X, Y, sample_weight=WEIGHT, groups=GROUPS)
    assert Recording.seen == tuple(GROUPS[WEIGHT > 0])


def test_routing_refuses_what_nobody_requests(routing):
    with pytest.raises(TypeError, match="unexpected argument"):
        search(by="cv", cv=KFold(3)).fit(X, Y, strange=GROUPS)


def test_routing_reaches_a_search_inside_cross_validation(routing):
    inner = search(by="cv", cv=Recording(2)).set_fit_request(sample_weight=True)
    inner.set_score_request(sample_weight=False)
    cross_validate(
        inner,
        X,
        Y,
        cv=LeaveOneGroupOut(),
        params={"sample_weight": WEIGHT + 1.0, "groups": GROUPS},
        error_score="raise",
    )
    assert Recording.seen == tuple(GROUPS[GROUPS != 11])


def test_routing_asks_whether_weights_are_meant_for_the_search(routing):
    with pytest.raises(UnsetMetadataPassedError, match="sample_weight"):
        cross_validate(search(), X, Y, cv=3, params={"sample_weight": WEIGHT}, error_score="raise")


def test_routing_gives_a_search_by_certificate_no_groups(routing):
    found = cross_validate(
        search(), X, Y, cv=GroupKFold(3), params={"groups": GROUPS}, error_score="raise"
    )
    assert len(found["test_score"]) == 3


@pytest.mark.parametrize("machine", [SetCoveringMachine(), DecisionListMachine()])
def test_a_pipeline_is_refused_with_the_reason_and_the_way_out(machine):
    pipeline = make_pipeline(StandardScaler(), machine)
    with pytest.raises(InputError, match=r"cannot search a Pipeline.*end of the pipeline"):
        BoundSearch(pipeline, {"penalty": [1]}).fit(X, Y)


def test_a_search_is_the_last_step_of_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(np.abs), search()).fit(X, Y)
    last = pipeline[-1]
    last.certificate_.verify(last.model_, np.abs(X), Y)
    assert (pipeline.predict(X) == last.predict(np.abs(X))).all()
