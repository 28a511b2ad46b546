"""The reader of plain CSV files, against DuckDB's reader of all CSV files."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies.effort import EIGHTH, QUARTER

from rulewright.data import NumericColumn, open_data
from rulewright.data.csv_file import CsvFile
from rulewright.errors import RulewrightError
from rulewright.kernels import CsvRows

MISSING = ["", "NA", "?", "null"]
NUMBERS = st.one_of(
    st.sampled_from(
        ["0", "-0", "1", "-2.50", "0.1", "1e5", "1E-7", "123456789012345678", "5e-324"]
    ),
    st.sampled_from(["0.30000000000000004", "9007199254740993.0", "1.7976931348623157e308"]),
    st.integers(-(2**52), 2**52).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=4).map(str),
)
UGLY = st.sampled_from(
    ["+1", "1.", ".5", "1e", "1e999", "-1e-999", "inf", "nan", " 1", "1 ", "--1", "1_000", "0x1",
     "007", "-01", "1,5", '"1"', '"a,b"', '"', "a\rb", "1\0", "\t2", "ß", "e5", "-", "."]
)  # fmt: skip
TEXTS = st.one_of(
    st.sampled_from(["yes", "no", "NA", "", " padded ", "Zürich", "x" * 17, "a" * 8, "2001-02-03"]),
    st.text(st.characters(codec="utf-8", exclude_characters=',\n\r"\0'), max_size=20),
)


def rows_of(cells):
    return st.lists(cells, min_size=1, max_size=12)


@st.composite
def files(draw):
    kinds = draw(st.lists(st.sampled_from(["number", "text", "ugly"]), min_size=1, max_size=4))
    cells = {
        "number": NUMBERS | st.sampled_from(MISSING),
        "text": TEXTS,
        "ugly": NUMBERS | UGLY,
    }
    rows = draw(rows_of(st.tuples(*(cells[kind] for kind in kinds))))
    lines = [",".join(f"c{j}" for j in range(len(kinds))), *(",".join(row) for row in rows)]
    odd = st.sampled_from(["", "1", "a,b,c,d,e"])
    if draw(st.integers(0, 5)) == 0:
        lines.insert(draw(st.integers(1, len(lines))), draw(odd))
    start, end = draw(st.sampled_from(["", "\ufeff"])), draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return (start + end.join(lines) + draw(st.sampled_from(["", end]))).encode()


def outcome(path):
    try:
        with open_data(path) as file:
            table = file.read()
    except RulewrightError as error:
        return type(error), str(error)
    return [
        (c.name, c.kind, c.values.tobytes() if isinstance(c, NumericColumn) else c.cells())
        for c in table.columns
    ]


@QUARTER
@given(files())
def test_both_readers_find_the_same(tmp_path_factory, content):
    path = tmp_path_factory.getbasetemp() / "plain.csv"
    path.write_bytes(content)
    found = outcome(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CsvFile, "_plain_rows", lambda _: None)
        expected = outcome(path)
    assert found == expected


@EIGHTH
@given(rows_of(st.tuples(NUMBERS, TEXTS)), st.integers(1, 3))
def test_numbers_are_the_nearest_and_texts_are_numbered_in_order(tmp_path_factory, rows, threads):
    path = tmp_path_factory.getbasetemp() / "numbers.csv"
    path.write_bytes("".join(f"{number},{text}\n" for number, text in rows).encode())
    read = CsvRows(path, 0, threads).read(["number", "text"], ",", MISSING)
    numbers, (codes, texts) = read
    assert numbers.tobytes() == np.array([float(number) for number, _ in rows]).tobytes()
    assert texts == list(dict.fromkeys(text for _, text in rows if text not in MISSING))
    cells = [*texts, None]
    assert [cells[c] for c in codes] == [None if t in MISSING else t for _, t in rows]


def large_file(path, rows=120_000):
    """Several blocks of lines, with different texts in each."""
    lines = [f"{i / 7},word {i // 3},{'x' * 30},{i % 11}\n" for i in range(rows)]
    path.write_text("a,b,c,d\n" + "".join(lines) + "1.5,last,,10")
    return rows + 1


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_blocks_are_joined_in_the_order_of_the_file(tmp_path, threads):
    path = tmp_path / "large.csv"
    rows = large_file(path)
    assert path.stat().st_size > 3 * 2**21
    a, (codes, texts), nothing, d = CsvRows(path, len("a,b,c,d\n"), threads).read(
        ["number", "text", "", "number"], ",", [""]
    )
    assert nothing is None
    assert a.tolist() == [*(i / 7 for i in range(rows - 1)), 1.5]
    assert texts == [*(f"word {i}" for i in range(rows // 3)), "last"]
    assert codes[:-1].tolist() == [i // 3 for i in range(rows - 1)]
    assert d[-1] == 10


@pytest.mark.parametrize("content", [b"1,2\n\n3,4\n", b"1\n", b"1,2,3\n", b"1,x\n", b'1,"2"\n'])
def test_other_files_are_left_to_the_other_reader(tmp_path, content):
    path = tmp_path / "other.csv"
    path.write_bytes(content)
    assert CsvRows(path, 0).read(["number", "number"], ",", [""]) is None


def test_a_line_longer_than_a_block_is_left_to_the_other_reader(tmp_path):
    path = tmp_path / "long.csv"
    path.write_bytes(b"1," + b"x" * (5 << 20) + b"\n2,y\n")
    assert not CsvRows(path, 0).is_plain
    path.write_bytes(b"x,t\n1," + b"x" * (5 << 20) + b"\n2,y\n")
    with open_data(path) as file:
        assert file.read().rows == 2


def test_text_that_is_not_utf8_is_left_to_the_other_reader(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("1,Zürich\n".encode("latin1"))
    assert CsvRows(path, 0).read(["number", "text"], ",", [""]) is None
    assert CsvRows(path, 0).read(["number", ""], ",", [""]) is None


def test_a_padded_code_far_down_makes_a_column_text(tmp_path, monkeypatch):
    monkeypatch.setattr("rulewright.data.csv_file.PLAIN_DETECTION_ROWS", 3)
    path = tmp_path / "codes.csv"
    path.write_text("x,y\n" + "1,2\n" * 50 + "007,3\n")
    with open_data(path) as file:
        table = file.read()
    assert table.column("x").cells() == [*["1"] * 50, "007"]
    assert table.column("y").cells() == [*[2] * 50, 3]


def test_arrays_of_another_length_are_refused(tmp_path):
    path = tmp_path / "two.csv"
    path.write_text("1\n2\n")
    rows = CsvRows(path, 0)._rows
    with pytest.raises(ValueError, match="one cell per row"):
        rows.read([np.empty(3)], [np.empty(0, np.int32)], ",", [])
    with pytest.raises(ValueError, match="delimiter"):
        rows.read([np.empty(2)], [np.empty(0, np.int32)], "5", [])
