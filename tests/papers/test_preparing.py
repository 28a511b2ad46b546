"""The sets have the sizes that the papers print."""

import numpy as np
import pytest

from papers.preparing import SETS, prepare

SIZES = {
    "BreastW": (683, 239),
    "Votes": (232, 124),  # the papers' 52 rows cannot be rebuilt
    "Pima": (768, 268),
    "Haberman": (294, 219),
    "Bupa": (345, 145),
    "Glass": (163, 87),
    "Glass, all": (214, 87),
    "Credit": (653, 296),
    "Credit, listed": (653, 296),
}


@pytest.mark.parametrize("name", SETS)
def test_a_prepared_set_has_the_rows_of_the_papers(name, data_folder):
    X, y = prepare(data_folder, name)
    assert (len(X), y.sum()) == SIZES[name]
    assert np.isfinite(X).all()


def test_all_rows_of_a_contradictory_vector_are_removed(tmp_path):
    rows = ["age,nodes,class", "30,1,1", "30,1,2", "30,1,1", "31,2,2", "31,2,2", "32,,1"]
    (tmp_path / "haberman.csv").write_text("\n".join(rows), encoding="utf-8")
    X, y = prepare(tmp_path, "Haberman")
    assert X.tolist() == [[31.0, 2.0], [31.0, 2.0]]
    assert y.tolist() == [0, 0]


def test_categories_are_coded_in_alphabetical_order_unless_one_is_given(tmp_path):
    rows = ["A1,A2,class", "a,1.5,+", "b,2,-", "a,0,-"]
    (tmp_path / "credit.csv").write_text("\n".join(rows), encoding="utf-8")
    assert prepare(tmp_path, "Credit")[0].tolist() == [[0, 1.5], [1, 2], [0, 0]]
    assert prepare(tmp_path, "Credit, listed")[0].tolist() == [[1, 1.5], [0, 2], [1, 0]]
