"""Sparse matrices: the same tables as dense ones, and a limit on their size."""

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import make_classification

from rulewright import SetCoveringMachine, TreeClassifier, learners
from rulewright.data import detect_table
from rulewright.errors import InputError

FORMATS = ["csr", "csc", "coo", "lil", "dok"]
DENSE = np.array([[0, 1.5, 0], [2, 0, np.nan], [0, -3, 0], [0, 0, 4]])


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("container", [scipy.sparse.coo_array, scipy.sparse.coo_matrix])
def test_a_sparse_table_has_the_values_of_the_dense_one(kind, container):
    table = detect_table(container(DENSE).asformat(kind))
    dense = detect_table(DENSE)
    assert table.fields == dense.fields and table.rows == 4 and not table.named
    for name in dense.names:
        assert np.array_equal(table.numbers(name), dense.numbers(name), equal_nan=True)


def test_cells_that_are_stored_twice_add_up():
    twice = scipy.sparse.coo_array(([1.0, 2.0, 5.0], ([1, 1, 0], [0, 0, 0])), shape=(3, 1))
    stored = scipy.sparse.csc_array((twice.data, twice.row, [0, 3]), shape=(3, 1))
    assert detect_table(stored).numbers("x0").tolist() == [5, 3, 0]


def test_sparse_columns_can_be_categories():
    table = detect_table(scipy.sparse.csr_array(np.array([[0, 1], [2, 1]])), categorical=[0])
    assert [field.kind for field in table.fields] == ["code", "numeric"]


def test_sparse_text_and_complex_numbers_are_refused():
    with pytest.raises(InputError, match="must hold real numbers, got complex128"):
        detect_table(scipy.sparse.csr_array(np.array([[1j]])))


@pytest.mark.parametrize("name", learners.ESTIMATORS)
def test_learners_answer_sparse_rows_as_dense_ones(name):
    X, y = make_classification(80, 6, random_state=1)
    X[X < 0.5] = 0.0
    estimator = getattr(learners, name)()
    dense = estimator.fit(X, y)
    expected, text = dense.predict(X), str(dense.model_)
    sparse = estimator.fit(scipy.sparse.csr_array(X), y)
    assert str(sparse.model_) == text
    assert (sparse.predict(scipy.sparse.csr_array(X)) == expected).all()
    assert (sparse.model_.predict(scipy.sparse.coo_matrix(X)) == expected).all()
    assert len(sparse.explain(scipy.sparse.csr_matrix(X[:3]))) == 3
    if sparse.certificate_ is not None:
        sparse.certificate_.verify(sparse.model_, scipy.sparse.csr_array(X), y)


def test_a_sparse_matrix_that_is_too_large_as_dense_columns_is_refused_with_the_way_out():
    wide = scipy.sparse.csr_array((1000, 1_000_000))
    with pytest.raises(InputError, match=r"1000000 columns, which take 7.5 GiB .* fewer columns"):
        SetCoveringMachine().fit(wide, np.arange(1000) % 2)


def test_prediction_makes_dense_only_the_columns_in_use(monkeypatch):
    X, y = make_classification(60, 5, random_state=0)
    tree = TreeClassifier(max_leaf_nodes=3).fit(X, y)
    expected = tree.predict(X)
    monkeypatch.setattr("rulewright.data.sparse.MAX_DENSE_BYTES", 100)
    assert (tree.predict(scipy.sparse.csr_array(X)) == expected).all()
