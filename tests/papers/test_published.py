"""One split of the papers' tables (``rulewright reproduce NAME --quick``) beside what is known.

Published errors are minima over a grid on a split that nobody knows, so they are not required.
Required are the ranges of another implementation over ten splits.
"""

import pytest

from rulewright.experiments import EXPERIMENTS, run_cells

pytestmark = [pytest.mark.slow, pytest.mark.papers]

RANGES = {
    "BreastW": ((15, 20), None),  # ties: docs/papers.md
    "Pima": ((182, 196), (168, 190)),
    "Haberman": ((70, 79), (66, 74)),
    "Bupa": ((103, 124), (95, 110)),
    "Glass": ((26, 35), (31, 42)),
    "Credit": (None, None),  # the coding of categories: docs/papers.md
}
"""Least and most errors of balls and of half-spaces; None where ours are known to differ."""
SAVINGS = {"Glass": 0.1}  # nine examples of 147 are most of what both forms pay for


@pytest.fixture(scope="module")
def tables(data_folder):
    """The tables of an experiment by their titles, each a dict from the first column to rows."""
    found = {}

    def of(name):
        if name not in found:
            experiment = EXPERIMENTS[name]
            page = experiment.page(run_cells(experiment.cells(True), jobs=-1), True)
            print("\n" + page.text(160))
            found[name] = [
                {row[0]: dict(zip(table.names, row, strict=True)) for row in table.rows}
                for table in page.tables
            ]
        return found[name]

    return of


@pytest.mark.parametrize("name", RANGES)
def test_errors_of_set_covering_machines_are_in_the_range_of_others(tables, name):
    errors = tables("scm-table1")[0][name]
    for column, limits in zip(("balls", "half-spaces"), RANGES[name], strict=True):
        if limits is not None:
            assert limits[0] <= float(errors[column]) <= limits[1]


@pytest.mark.parametrize("name", RANGES)
def test_support_vectors_are_as_many_as_published(tables, name):
    sizes = tables("scm-table1")[4][name]
    assert sizes["support vectors"] == pytest.approx(float(sizes["SVM, paper"]), rel=0.03)


@pytest.mark.parametrize("name", RANGES)
def test_counting_in_order_gives_the_column_of_the_paper(tables, name):
    bounds = tables("scm-table1")[2][name]
    assert bounds["ordered"] == pytest.approx(float(bounds["paper"]), rel=0.03)


@pytest.mark.parametrize("name", RANGES)
def test_the_certificate_is_well_below_the_theorem_made_valid(tables, name):
    bounds = tables("scm-table1")[2][name]
    assert bounds["compression"] <= (1 - SAVINGS.get(name, 0.25)) * bounds["made valid"]


@pytest.mark.parametrize("plain", ["DL", "WV"])
def test_the_correction_helps_on_average_as_published(tables, plain):
    assert tables("sc-table")[1][plain]["mean"] > 0
