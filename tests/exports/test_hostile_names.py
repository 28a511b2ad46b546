"""Names and values are data: whatever they hold, an export answers as its model does."""

import numpy as np
import pytest

from rulewright.data import CategoricalColumn, Field, NumericColumn, Table
from rulewright.exports import ENGINES, SQL_ENGINES, Job, compare, model_answers
from rulewright.models import Model
from rulewright.rules import AllOf, Category, Rule, RuleList, Threshold

ALL = {n: e for n, e in {**ENGINES, **SQL_ENGINES}.items() if n not in ("excel", "sklearn")}
HOSTILE = (
    '"; DROP TABLE x; --',
    "'; DROP TABLE x; --",
    "</script><script>throw 1</script>",
    "<!-- x -->",
    "${process.exit(7)}",
    "#{x} {{x}} {% x %} %(x)s %s",
    "__import__('os').system('touch pwned')",
    "$(touch pwned) `touch pwned`",
    "two\nlines\r\nand more",
    "\u2028 and \u2029 and \x85",
    "*/ int main(void); /*",
    "??/ ??= trigraphs ??/",
    "\\",
    "\\u0022; \\u002a\\u002f \\x22 \\042",
    "'''",
    '"""',
    "``` | & <b>bold</b> * _ # \\section{x} $x^2$ ~",
    "[x](javascript:alert(1))",
    "]]>",
    "__proto__",
    "constructor",
    "class",
    "é",
    "e\u0301",
    "\U0001f600 \u202e right to left \u202c",
    "\x01\x1b[31mred",
    " blanks ",
    "tab\there",
    "long " + "x" * 10_000,
)


def hostile_model(texts=HOSTILE, classes=None):
    """A list with a numeric test and a test of categories for each text."""
    classes = classes or (*texts[:5], "otherwise")
    fields, rules = [], []
    for number, text in enumerate(texts):
        fields += [Field(f"n {text}", "numeric"), Field(f"t {text}", "text", 2)]
        test = AllOf((Threshold(f"n {text}", True, number), Category(f"t {text}", (text, "b"))))
        rules.append(Rule(test, number % len(classes)))
    body = RuleList(tuple(rules), len(classes) - 1)
    evidence = tuple((float(number),) * len(classes) for number, _ in enumerate(body.outputs))
    return Model(tuple(fields), classes, body, evidence, target=texts[0] + "\n" + texts[-1])


def hostile_table(model, rows=200):
    """A row for each rule, and rows with values that differ from those of the tests."""
    rng = np.random.default_rng(0)
    columns = []
    for number, field in enumerate(model.columns):
        if field.kind == "numeric":
            values = np.full(rows, -1.0)
            values[number // 2 :: len(model.columns) // 2] = 1e6
            columns.append(NumericColumn(field.name, values))
        else:
            text = field.name[2:]
            categories = sorted({text, "a", "b", text + " ", text.upper(), text[:-1]})
            codes = rng.integers(-1, len(categories), rows).astype(np.int32)
            columns.append(CategoricalColumn(field.name, "text", codes, tuple(categories)))
    return Table(columns, rows)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in ALL if name != "sql"])
def test_hostile_names_and_values_change_no_answer(name, tmp_path, monkeypatch):
    engine = ALL[name]
    if engine.absent():
        pytest.skip(f"{engine.absent()[0]} is not installed")
    monkeypatch.chdir(tmp_path)
    refused = {"pmml": "\x1b", "spark": "${"}.get(name)  # in names
    model = hostile_model([text for text in HOSTILE if refused is None or refused not in text])
    table = hostile_table(model)
    (found,) = engine.run([Job(model, table)])
    expected = model_answers(model, table)
    assert len({answer.rule for answer in expected}) > len(HOSTILE) / 2
    assert compare(name, expected, found).differing == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["python", "javascript", "c", "java"])
def test_the_comment_of_an_export_stays_a_comment(form):
    start = {"python": "# ", "javascript": "// ", "c": "/* ", "java": "// "}[form]
    text = hostile_model().export(form)
    head = text.split("\n\n")[0].splitlines()
    assert len(head) >= 5
    assert all(line.startswith(start) and line.isprintable() for line in head)
    assert all(line.count("*/") == (form == "c") for line in head)
    if form == "javascript":
        assert "</script" not in text.lower()
    if form == "java":
        assert text.isascii()


def test_names_that_a_language_does_not_allow_are_refused():
    model = hostile_model()
    for form, option, value in (
        ("c", "prefix", "a b"),
        ("c", "prefix", "x; system()"),
        ("java", "class_name", "model"),
        ("java", "package", "a..b"),
        ("c", "part", "object"),
    ):
        with pytest.raises(ValueError, match=f"{option} must be"):
            model.export(form, **{option: value})


def test_a_text_that_c_cannot_hold_is_refused():
    with pytest.raises(ValueError, match="holds the character NUL"):
        hostile_model(("a\0b",), ("no", "yes")).export("c")
