"""SQL in every dialect: it is read back, it runs, and names and values are only data."""

import datetime
import re

import duckdb
import numpy as np
import pyarrow as pa
import pytest
import sqlglot
from exports.hard_rows import ODD_TEXTS
from exports.test_hostile_names import HOSTILE, hostile_model, hostile_table
from golden import make
from sqlglot import exp

from rulewright import load_model
from rulewright.data import Field
from rulewright.errors import InputError, UnrenderableError
from rulewright.exports import SQL_ENGINES, check_export
from rulewright.models import Model
from rulewright.render import DIALECTS, MAX_NAME_LENGTHS
from rulewright.rules import Category, Leaf, Rule, RuleList, Split, Threshold, Tree

FOLDER = make.FOLDER / "0.1"
NAMES = (
    *("RipperClassifier", "from_sklearn", "node-fractional_tree", "node-rule_vote", "node-code"),
    *("ScorecardClassifier", "ScorecardClassifier-three"),
)


def golden(name):
    return load_model(FOLDER / f"{name}.json", functions=make.FUNCTIONS)


def need_engine(dialect):
    if absent := SQL_ENGINES[dialect].absent():
        pytest.skip(f"{absent[0]} is not installed")


def text_literals(statement, dialect):
    """Texts that a statement holds, as the dialect reads them."""
    tree = sqlglot.parse_one(statement, read=dialect)
    strings = [node.this for node in tree.find_all(exp.Literal) if node.is_string]
    joined = ["".join(part.name for part in node.expressions) for node in tree.find_all(exp.Concat)]
    return {*strings, *joined, *(node.this for node in tree.find_all(exp.National))}


@pytest.mark.cross_section(21)
@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", NAMES)
def test_sql_is_read_back_as_it_was_written(name, dialect):
    model = golden(name)
    for shape in ("select", "view"):
        text = model.to_sql(dialect, shape=shape, keep="id")
        (tree,) = sqlglot.parse(text, read=dialect)
        written = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
        assert tree.sql(dialect=dialect, pretty=True, comments=False) + ";" == written


@pytest.mark.parametrize("dialect", DIALECTS)
def test_hostile_names_and_values_are_only_data(dialect):
    texts = [text for text in HOSTILE if len(text) + 2 <= 63]
    texts = texts if dialect in MAX_NAME_LENGTHS else HOSTILE
    if dialect == "spark":
        texts = [text for text in texts if "${" not in text]
    model = hostile_model(texts)
    text = model.to_sql(dialect, table='"; DROP TABLE x; --', keep="a`b]c\"d'e")
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, exp.Select)
    assert {node.name for node in tree.find_all(exp.Table)} >= {'"; DROP TABLE x; --'}
    columns = {node.name for node in tree.find_all(exp.Column)}
    names = {field.name for field in model.columns} | {"a`b]c\"d'e"}
    if dialect == "bigquery":  # a name with a dot is a path there, which no column has
        names = {name for name in names if "." not in name}
    assert names <= columns
    assert {field.name[2:] for field in model.columns} <= text_literals(text, dialect)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_that_a_dialect_cuts_or_refuses_are_refused(dialect):
    """PostgreSQL cuts names at 63 bytes, and two names would become the same column."""
    size = MAX_NAME_LENGTHS.get(dialect, 10_000)
    letters = {"postgres": ["x" * size, "\u00e9" * (size // 2)]}.get(dialect, ["\u00e9" * size])
    for name in letters:
        model = threshold_model(name)
        assert name in model.to_sql(dialect, table=name, keep=name, view=name, shape="view")
    for name in [f"{name}{end}" for name in letters for end in ("yy", "zz")]:
        if dialect not in MAX_NAME_LENGTHS:
            assert name in threshold_model(name).to_sql(dialect)
            continue
        with pytest.raises(UnrenderableError, match=f"names in {dialect} have at most {size}"):
            threshold_model(name).to_sql(dialect)
        for option in ("table", "schema", "keep", "view"):
            with pytest.raises(UnrenderableError, match=f"and names in {dialect} have at most"):
                threshold_model("x").to_sql(dialect, shape="view", **{option: name})
    with pytest.raises(UnrenderableError, match="the character NUL"):
        threshold_model("a\0b").to_sql(dialect)


def test_variables_of_spark_are_not_replaced():
    """Spark replaces ${name} in the whole text of a query, in comments and texts too."""
    with pytest.raises(UnrenderableError, match="holds a variable of Spark"):
        threshold_model("${user.home}").to_sql("spark")
    texts = ("${user.home}", "a${b}${c:d}e$", "${${x}}", "${a b}")
    body = RuleList((Rule(Category("x", texts), 0),), 1)
    evidence = ((1.0, 2.0), (3.0, 4.0))
    model = Model((Field("x", "text", 2),), texts[:2], body, evidence, target="${x}")
    text = model.to_sql("spark")
    assert set(texts) <= text_literals(text, "spark")
    assert re.search(r"\$\{\S+?\}", text) is None


def threshold_model(name):
    body = RuleList((Rule(Threshold(name, True, 1.0), 0),), 1)
    return Model((Field(name, "numeric"),), ("no", "yes"), body, ((1.0, 2.0), (3.0, 4.0)))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_texts_are_read_back_letter_by_letter(dialect):
    body = RuleList((Rule(Category("x", ODD_TEXTS), 0),), 1)
    model = Model((Field("x", "text", 2),), ("no", "yes"), body, ((1.0, 2.0), (3.0, 4.0)))
    assert set(ODD_TEXTS) <= text_literals(model.to_sql(dialect), dialect)


@pytest.mark.parametrize("name", ["RipperClassifier", "TreeClassifier", "TreeRegressor"])
def test_an_expression_answers_as_the_query_does(name):
    model = golden(name)
    frame = make.inputs()
    results = ["prediction", "rule", "reason"]
    results += ["probability"] if isinstance(model, Model) else []
    expressions = ", ".join(
        f"{model.to_sql(shape='expression', what=what)} AS {what}" for what in results
    )
    connection = duckdb.connect()
    connection.register("frame", frame.to_arrow())
    by_expression = connection.execute(f"SELECT {expressions} FROM frame").fetchall()
    query = model.to_sql(table="frame").rstrip().rstrip(";")
    wanted = ", ".join(results)
    assert connection.execute(f"SELECT {wanted} FROM ({query}\n)").fetchall() == by_expression
    assert [row[0] for row in by_expression] == model.predict(frame).tolist()
    reasons = {row[2] for row in by_expression}
    assert reasons <= {model.rule_headline(rule) for rule in range(len(model.rules))}


def quoted(name):
    return exp.to_identifier(name, quoted=True).sql(dialect="duckdb")


@pytest.mark.parametrize("name", ["RipperClassifier", "TreeClassifier", "TreeRegressor", "hostile"])
def test_a_function_answers_as_the_model_does(name):
    model = hostile_model() if name == "hostile" else golden(name)
    connection = duckdb.connect()
    if name == "hostile":
        table = hostile_table(model)
        data = {c.name: c.cells() for c in table.columns}
        frame = pa.table(data)
    else:
        table = make.inputs()
        frame = table.to_arrow()
    connection.register("frame", frame)
    text = model.to_sql(shape="function", view='score "it"')
    connection.execute(text)
    named = sqlglot.parse_one(text, read="duckdb").find(exp.UserDefinedFunction)
    arguments = ", ".join(quoted(argument.name) for argument in named.expressions)
    call = f"{named.this.sql(dialect='duckdb')}({arguments})"
    found = connection.execute(f"SELECT {call} FROM frame").fetchall()
    assert [row[0] for row in found] == model.predict(table).tolist()


@pytest.mark.parametrize("dialect", ["postgres", "snowflake", "spark", "bigquery", "clickhouse"])
@pytest.mark.parametrize("what", ["prediction", "rule", "probability", "reason"])
def test_a_function_is_read_back_as_it_was_written(dialect, what):
    text = golden("RipperClassifier").to_sql(dialect, shape="function", what=what)
    (tree,) = sqlglot.parse(text, read=dialect)
    assert isinstance(tree, exp.Create)
    assert tree.kind == "FUNCTION"
    written = "\n".join(line for line in text.splitlines() if not line.startswith("--"))
    assert tree.sql(dialect=dialect, pretty=True, comments=False) + ";" == written


@pytest.mark.parametrize("dialect", ["sqlite", "mysql", "tsql"])
def test_a_function_that_a_database_cannot_have_is_refused(dialect):
    with pytest.raises(UnrenderableError, match=f"{dialect} has no function"):
        golden("RipperClassifier").to_sql(dialect, shape="function")


def test_a_view_is_created_and_can_be_queried():
    model = golden("node-rule_vote")
    connection = duckdb.connect()
    connection.register("frame", make.inputs().to_arrow())
    connection.execute("CREATE TABLE patients AS SELECT *, 7 AS id FROM frame")
    connection.execute(model.to_sql(shape="view", table="patients", view="my view", keep="id"))
    found = connection.execute('SELECT * FROM "my view"')
    assert [column[0] for column in found.description] == [
        *("id", "prediction", "rule", "probability", "reason")
    ]
    labels = [row[1] for row in found.fetchall()]
    assert labels == model.predict(make.inputs()).tolist()


def test_the_single_probability_is_that_of_the_class():
    model = golden("SlipperClassifier-three")
    connection = duckdb.connect()
    connection.register("frame", make.inputs().to_arrow())
    query = model.to_sql(table="frame", probabilities=True, reasons=False)
    for label, _, probability, *shares in connection.execute(query).fetchall():
        assert probability == shares[model.classes.index(label)]


def test_columns_of_dates_have_their_types():
    model = golden("node-dates")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'Asia/Tokyo'")
    connection.register("frame", make.inputs().to_arrow())
    query = model.to_sql(table="frame", keep="admitted")
    rows = connection.execute(query).fetchall()
    assert isinstance(rows[0][0], datetime.date)
    assert [row[2] - 1 for row in rows] == model.body.answer(model.table(make.inputs())).tolist()


@pytest.mark.parametrize("dialect", SQL_ENGINES)
def test_a_check_runs_in_the_engine_of_the_dialect(dialect):
    need_engine(dialect)
    model = golden("node-rule_list")
    found = check_export(model, model.table(make.inputs()), "sql", dialect=dialect)
    assert str(found) == f"150 of 150 rows have the same answer in {dialect}"


def deep_tree(depth):
    nodes = []
    for level in range(depth):
        nodes += [Split((Threshold("x", False, float(level)),), (2 * level + 1, 2 * level + 2))]
        nodes += [Leaf(level % 2)]
    body = Tree((*nodes, Leaf(0)))
    return Model((Field("x", "numeric"),), ("a", "b"), body, ((1.0, 1.0),) * (depth + 1))


@pytest.mark.parametrize("dialect", SQL_ENGINES)
def test_a_deep_tree_runs_or_is_refused(dialect):
    need_engine(dialect)
    for depth in (9, 10, 11, 20, 75):
        model = deep_tree(depth)
        table = model.table(np.linspace(-1, depth + 1, 200).reshape(-1, 1))
        assert check_export(model, table, "sql", dialect=dialect).agree == 200
    with pytest.raises(UnrenderableError, match="The tree has a depth of 11, and an expression"):
        deep_tree(11).to_sql(dialect, shape="expression")
    assert deep_tree(10).to_sql(dialect, shape="expression")


def test_what_sql_cannot_say_is_refused():
    vote = golden("node-rule_vote")
    with pytest.raises(UnrenderableError, match="A vote, .* or a tree that divides rows"):
        vote.to_sql(shape="expression")
    with pytest.raises(UnrenderableError, match="RBF kernel. Its exponential has no exact equal"):
        golden("node-half_space_rbf").to_sql()
    with pytest.raises(UnrenderableError, match="holds instants, which mysql has no exact type"):
        golden("node-dates").to_sql("mysql")
    with pytest.raises(UnrenderableError, match="the character NUL"):
        hostile_model(("a\0b",), ("no", "yes")).to_sql()
    with pytest.raises(InputError, match="dialect must be one of duckdb, sqlite"):
        vote.to_sql("oracle")
    assert vote.to_sql("databricks") == vote.to_sql("spark")
    with pytest.raises(InputError, match="shape must be one of select, view, table, expression"):
        vote.to_sql(shape="udf")
    with pytest.raises(InputError, match="would have the column 'Rule' twice"):
        vote.to_sql(keep="Rule")
    with pytest.raises(InputError, match="A regression model has no probabilities"):
        golden("TreeRegressor").to_sql(shape="expression", what="probability")
    with pytest.raises(InputError, match="SQL of the dialect 'mysql' cannot be run here"):
        check_export(vote, vote.table(make.inputs()), "sql", dialect="mysql")
