"""What the user says of a row: Boolean columns and functions."""

import numpy as np
import pytest

from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.errors import InputError
from rulewright.families import (
    Examples,
    GivenPredicates,
    Question,
    Site,
    Training,
    as_families,
    prepare,
)
from rulewright.rules import Function, Given

ROWS = 4
TABLE = Table(
    [
        NumericColumn("height", np.array([150.0, 170.0, 195.0, 200.0])),
        NumericColumn("bit", np.array([0.0, 1.0, np.nan, 1.0])),
        CategoricalColumn("name", "text", np.array([0, 1, 1, 0], np.int32), ("Ann", "Bob")),
        CategoricalColumn("flag", "boolean", np.array([0, 0, -1, 0], np.int32), ("True",)),
    ],
    ROWS,
)
TRAINING = Training(TABLE, np.zeros(ROWS, np.int32))
WEIGHT = np.array([-1, -1, 2, 2])


def tall(columns):
    return columns["height"] > 190


def either(columns):
    """Looks at the name only where the height does not decide."""
    answer = columns["height"] > 160
    return answer if answer.all() else answer | (columns["name"] == "Ann")


def test_all_boolean_columns_are_taken_where_nothing_is_named():
    family = GivenPredicates()
    assert [family.options(f) for f in TABLE.fields] == [0, 0, 0, 2]
    assert family.usable(TABLE) == ["flag"]
    assert as_families("given") == (family,)


def test_columns_of_zeros_and_ones_are_taken_when_named():
    family = GivenPredicates(columns=["flag", "bit"])
    assert family.columns == ("flag", "bit")
    assert family.usable(TABLE) == ["bit", "flag"]
    found = family.heaviest(TABLE, np.array([-5, 2, -1, 2]))
    assert found == (Given("bit"), 4, 4)


def test_functions_alone_leave_the_columns_out():
    family = GivenPredicates(functions={"tall": tall})
    assert sum(family.options(f) for f in TABLE.fields) == 0
    assert family.extra_options() == 2
    found = family.heaviest(TABLE, WEIGHT)
    assert found == (Function("tall", ("height",), function=tall), 4, 4)
    assert found.predicate.columns == ("height",)


def test_functions_and_columns_come_together():
    family = GivenPredicates(columns=("flag",), functions={"tall": tall, "either": either})
    assert list(family.named) == ["either", "tall"]
    assert family.extra_options() == 4
    search = prepare([family], TRAINING)
    assert search.heaviest(Question(np.array([1, 1, 0, 1]))).predicate == Given("flag")
    assert search.heaviest(Question(np.array([0, 0, 1, 1]))).predicate.name == "either"
    assert search.heaviest(Question(np.array([-1, -1, 1, 1]))).predicate.name == "tall"


def test_a_function_that_looks_at_no_column_works():
    def always(columns):
        return np.ones(columns.rows, bool)

    found = GivenPredicates(functions={"always": always}).heaviest(TABLE, WEIGHT)
    assert found == (Function("always", ()), 2, 4)
    assert found.predicate.columns == ()
    assert found.predicate.holds(TABLE).all()


def test_a_function_keeps_the_columns_that_it_looked_at_in_training():
    """Rebuilt from few examples, or none, it may look at fewer."""
    family = GivenPredicates(functions={"either": either}).measured(TABLE, np.arange(0))
    found = family.heaviest(TABLE, WEIGHT)
    site = family.site(found.predicate)
    none = Examples(TABLE.take(np.arange(0)), np.zeros(0, np.int32), np.arange(0), np.arange(0))
    assert site == Site(None, ("function", "either", found.predicate.truth))
    assert found.predicate.on == ("height", "name")
    assert family.build(site, none, ()) == found.predicate


def test_a_function_that_was_not_given_back_is_missed_only_where_it_is_asked():
    family = GivenPredicates(functions=("either", "tall")).bound_to({"tall": tall})
    measured = family.measured(TABLE, np.arange(0))
    examples = Examples.of(TRAINING)
    assert measured.build(Site(None, ("function", "tall", True)), examples, ()) == Function(
        "tall", ("height",)
    )
    with pytest.raises(InputError, match=r"'either', which a file cannot hold"):
        measured.build(Site(None, ("function", "either", True)), examples, ())


def test_only_what_the_family_has_is_built():
    family = GivenPredicates(columns=("flag",), functions={"tall": tall})
    examples = Examples.of(TRAINING)
    assert family.build(Site("flag", (False,)), examples, ()) == Given("flag", False)
    assert family.build(Site("bit", (True,)), examples, ()) is None
    assert family.build(Site(None, ("function", "short", True)), examples, ()) is None
    assert family.site(Given("bit")) is None
    assert family.site(Given("flag", if_missing=True)) is None
    assert family.site(Function("short", ())) is None
    assert GivenPredicates().build(Site("bit", (True,)), examples, ()) is None


def test_families_compare_by_columns_and_functions():
    family = GivenPredicates(functions={"tall": tall})
    assert family == GivenPredicates(functions=(("tall", tall),))
    assert family == family.measured(TABLE, np.arange(0))
    assert hash(family) == hash(family.measured(TABLE, np.arange(0)))
    assert family != GivenPredicates(functions={"tall": either})
    assert GivenPredicates(functions={}) == GivenPredicates()


def test_a_file_holds_the_names_and_functions_are_given_back():
    family = GivenPredicates(columns=("flag",), functions={"tall": tall})
    assert family.to_json() == {"name": "given", "columns": ["flag"], "functions": ["tall"]}
    read = GivenPredicates(columns=("flag",), functions=("tall",))
    assert read.bound_to(family.named) == family
    with pytest.raises(InputError, match=r"'tall', which a file cannot hold.*functions="):
        read.prepare(TRAINING)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"columns": "flag"}, "columns must be a list of column names, got 'flag'"),
        ({"columns": [3]}, "columns must be a list of column names, but contains 3"),
        ({"columns": []}, "columns is empty. Name a column"),
        ({"columns": ["flag", "flag"]}, "more than once: 'flag'"),
        ({"columns": ["f"], "functions": {"f": tall}}, "more than once: 'f'.*Rename the function"),
        ({"functions": [("f", tall), ("f", tall)]}, "more than once: 'f'"),
        ({"functions": {"f": 3}}, r"functions\['f'\] must be a function.*got 3"),
        ({"functions": {"f": None}}, r"functions\['f'\] must be a function.*got None"),
        ({"functions": {1: tall}}, "name of a function must be a text, got 1"),
        ({"functions": tall}, "functions must be a dict"),
        ({"functions": "f"}, "functions must be a dict"),
        ({"functions": [3]}, "functions must be a dict of names to functions, but contains 3"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        GivenPredicates(**options)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["absent"], "The data has no column 'absent'"),
        (["height"], r"Column 'height'.* holds '150', '170'.*0 and 1.*Leave it out"),
        (["name"], r"Column 'name'.*'Ann', 'Bob'.*must hold Booleans.*use a function"),
    ],
)
def test_columns_that_are_not_boolean_are_refused(columns, message):
    with pytest.raises(InputError, match=message):
        prepare([GivenPredicates(columns=columns)], TRAINING)


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda columns: columns["height"], "must return True or False for each of 4 rows"),
        (lambda columns: np.array([True]), "must return True or False for each of 4 rows"),
        (lambda columns: columns["weight"] > 1, "The function 'f' failed: KeyError: 'weight'"),
    ],
)
def test_a_function_that_answers_nonsense_is_refused(function, message):
    with pytest.raises(InputError, match=message):
        prepare([GivenPredicates(functions={"f": function})], TRAINING)


def test_options_of_a_function_belong_to_no_column():
    family = GivenPredicates(functions={"tall": tall})
    assert family.options(Field("flag", "boolean", 2)) == 0
    assert family.site(Function("tall", ("height",), False)) == Site(
        None, ("function", "tall", False)
    )
