"""What the dialects of SQL do differently: values that are missing, texts, numbers and dates.

Everything is built from sqlglot's expressions, which quote names and values by the rules of each
dialect.
"""

from __future__ import annotations

import math
import re
from datetime import datetime, timedelta
from fractions import Fraction
from typing import Any

from sqlglot import exp

from rulewright.data import Field, Moment
from rulewright.errors import UnrenderableError
from rulewright.render.programs import Comparator
from rulewright.render.sql_form import MAX_NAME_LENGTHS

Sql = Any
"""An expression of sqlglot. Its base class has several names, by the version of sqlglot."""

EQUAL_NAN = ("duckdb", "postgres", "spark", "snowflake")
"""Dialects in which NaN equals itself and is above all numbers."""

STRICT_NAN = ("bigquery", "clickhouse")
"""Dialects in which NaN fails every comparison, with a function that finds it."""

DURATIONS = ("duckdb", "postgres")
ZONED = ("duckdb", "postgres", "spark", "snowflake", "bigquery", "tsql")
CLICKHOUSE_MOMENTS = {"date": "Nullable(Date32)", "datetime": "Nullable(DateTime64(6, 'UTC'))"}
"""Types that hold years before 1970, which Date does not."""
EPOCH = datetime(1970, 1, 1)
MAX_EXACT_INTEGER = 2**53
SPARK_VARIABLE = re.compile(r"\$\{\S+?\}")
"""What Spark replaces in the text of a query before it reads it, also in names and texts."""
NUMBER_PATTERN = "^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$"


class SqlDialect:
    """Atoms of a dialect.

    Parameters
    ----------
    name : str
        Name of the dialect in sqlglot.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def number(self, number: float) -> Sql:
        """Return a finite double that the dialect reads to the last bit."""
        if number < 0:
            return exp.Neg(this=self.number(-number))
        if self.name == "sqlite" and Fraction(number) != Fraction(repr(number)):
            return _exact_quotient(number)
        text = repr(float(number))
        literal = exp.Literal.number(text if "e" in text else f"{text}e0")
        # In PostgreSQL it is a decimal, also with an exponent, and decimals add up otherwise.
        return exp.cast(literal, "DOUBLE") if self.name == "postgres" else literal

    def identifier(self, name: str) -> Sql:
        """Return a quoted name; one that the dialect would cut or refuse is refused here."""
        _refuse_nul(name)
        if self.name == "spark" and SPARK_VARIABLE.search(name):
            raise UnrenderableError(
                f"The name {name!r:.80} holds a variable of Spark, which would put its value in "
                "its place. Rename it in the data and train again, or choose another dialect."
            )
        unit = "bytes" if self.name == "postgres" else "characters"
        size = len(name.encode(errors="replace")) if unit == "bytes" else len(name)
        most = MAX_NAME_LENGTHS.get(self.name, size)
        if size > most:
            raise UnrenderableError(
                f"The name {name[:40]!r}... has {size} {unit}, and names in {self.name} have at "
                f"most {most}. Rename it in the data and train again, or choose another dialect."
            )
        return exp.to_identifier(name, quoted=True)

    def column(self, name: str) -> Sql:
        """Return a column of a table."""
        return exp.Column(this=self.identifier(name))

    def text(self, text: str) -> Sql:
        """Return a text."""
        _refuse_nul(text)
        if self.name == "spark" and SPARK_VARIABLE.search(text):
            first, *rest = text.split("${")
            pieces = [first + "$", *("{" + piece + "$" for piece in rest[:-1]), "{" + rest[-1]]
            return exp.func("CONCAT", *map(exp.Literal.string, pieces))
        literal = exp.Literal.string(text)
        return exp.National(this=text) if self.name == "tsql" else literal

    def known(self, number: Sql) -> Sql:
        """Return a number with NULL in the place of NaN."""
        if self.name in EQUAL_NAN:
            nan = exp.cast(exp.Literal.string("NaN"), "DOUBLE")
            return exp.Nullif(this=number, expression=nan)
        if self.name in STRICT_NAN:
            return _case([(exp.IsNan(this=number.copy()), exp.null())], number)
        return number

    def double(self, column: Sql) -> Sql:
        """Return a column as doubles."""
        number: Sql = exp.cast(column, "DOUBLE")
        if self.name == "sqlite":  # a text would become 0
            kind = exp.func("TYPEOF", column.copy())
            return _case([(_in(kind, _strings("integer", "real")), number)], None)
        return self.known(number)

    def category(self, column: Sql) -> Sql:
        """Return a column as texts."""
        if self.name == "tsql":
            return exp.Cast(this=column, to=exp.DataType.build("NVARCHAR(MAX)", dialect="tsql"))
        return exp.cast(column, "TEXT")

    def boolean(self, column: Sql) -> Sql:
        """Return a column of Booleans as the texts True and False."""
        text = self.category(column)
        lower = exp.Lower(this=text.copy())
        return _case(
            [
                (_in(lower, _strings("true", "t", "1")), exp.Literal.string("True")),
                (_in(lower.copy(), _strings("false", "f", "0")), exp.Literal.string("False")),
            ],
            text,
        )

    def code(self, column: Sql) -> Sql:
        """Return a column of codes as doubles; NULL where a code is not a number."""
        text = self.category(column)
        if self.name == "sqlite":
            return _sqlite_code(column, text)
        if self.name in ("postgres", "mysql", "spark"):  # where a cast of other texts is an error
            fits = exp.RegexpLike(this=text.copy(), expression=exp.Literal.string(NUMBER_PATTERN))
            return _case([(fits, exp.cast(text, "DOUBLE"))], None)
        if self.name == "clickhouse":
            return self.known(exp.func("toFloat64OrNull", text))
        return self.known(exp.TryCast(this=text, to=exp.DataType.build("DOUBLE")))

    def same_text(self, value: Sql, texts: list[Sql]) -> Sql:
        """Return the condition that a text is one of some texts, in every letter and blank."""
        if self.name in ("mysql", "tsql"):
            return _in(self._bytes(value), [self._bytes(text) for text in texts])
        if self.name == "sqlite":
            value = exp.Collate(this=value, expression=exp.Var(this="BINARY"))
        if self.name == "postgres":
            value = exp.Collate(this=value, expression=exp.to_identifier("C", quoted=True))
        return _in(value, texts)

    def _bytes(self, text: Sql) -> Sql:
        if self.name == "mysql":
            return exp.cast(text, "BINARY")
        wide = exp.Cast(this=text, to=exp.DataType.build("NVARCHAR(MAX)", dialect="tsql"))
        return exp.Cast(this=wide, to=exp.DataType.build("VARBINARY(MAX)", dialect="tsql"))

    def moment(self, column: Sql, field: Field) -> Sql:
        """Return a column of dates, datetimes or durations as ``moment_test`` compares it."""
        kind = field.moment
        if (kind == "duration" and self.name not in DURATIONS) or (
            kind == "instant" and self.name not in ZONED
        ):
            raise UnrenderableError(
                f"Column {field.name!r:.80} holds {kind}s, which {self.name} has no exact type "
                "for. Store it as a number or as a datetime without a time zone, and train on that."
            )
        if kind == "duration":
            if self.name == "duckdb":
                return exp.cast(exp.func("EPOCH_US", column), "DOUBLE")
            epoch = exp.Extract(this=exp.Var(this="EPOCH"), expression=column)
            return exp.cast(exp.Mul(this=epoch, expression=exp.Literal.number(1000000)), "DOUBLE")
        if self.name == "sqlite":
            return exp.func("DATE", column) if kind == "date" else _sqlite_datetime(column)
        if self.name == "clickhouse" and kind == "datetime":  # as the clock of the column shows it
            column = exp.func("toString", column)
        return self._as_moment(column, str(kind))

    def _as_moment(self, value: Sql, kind: str) -> Sql:
        if self.name == "clickhouse":
            return exp.Cast(
                this=value, to=exp.DataType.build(CLICKHOUSE_MOMENTS[kind], dialect=self.name)
            )
        types = {"date": "DATE", "datetime": "TIMESTAMP", "instant": "TIMESTAMPTZ"}
        return exp.cast(value, types[kind])

    def moment_test(
        self, column: Sql, kind: Moment, comparator: Comparator, cut: float
    ) -> Sql | bool:
        """Return the comparison of a known moment; True or False where all or none pass it."""
        if kind == "duration":
            return _compared(comparator, column, self.number(cut))
        # Values are whole days or microseconds.
        whole = math.floor(cut) if comparator in (">", "<=") else math.ceil(cut)
        if comparator == "==" and whole != cut:
            return False
        try:
            text = self._moment_text(whole, kind)
        except OverflowError:
            return (cut < 0) == (comparator in (">", ">="))
        literal: Sql = exp.Literal.string(text)
        if self.name != "sqlite":
            literal = self._as_moment(literal, kind)
        return _compared(comparator, column, literal)

    def _moment_text(self, whole: int, kind: Moment) -> str:
        unit = timedelta(days=1) if kind == "date" else timedelta(microseconds=1)
        moment = EPOCH + unit * whole
        if self.name == "clickhouse" and not 1900 <= moment.year <= 2299:
            raise OverflowError  # no cell of ClickHouse is so early or late
        if kind == "date":
            return moment.date().isoformat()
        text = moment.isoformat(" ", "microseconds")
        return f"{text}+00:00" if kind == "instant" else text


def _refuse_nul(text: str) -> None:
    if "\0" in text:
        raise UnrenderableError(
            "A name or value of the model holds the character NUL, which SQL cannot hold. "
            "Rename the value."
        )


def _exact_quotient(number: float) -> Sql:
    """Return a double as a whole number times or over powers of 2, without a decimal fraction.

    SQLite's reader of decimals may be wrong in the last bit.
    """
    fraction = Fraction(number)
    top, bottom = fraction.numerator, fraction.denominator
    shift = 0
    while top >= MAX_EXACT_INTEGER:
        top, shift = top // 2, shift + 1
    found: Sql = exp.cast(exp.Literal.number(top), "DOUBLE")
    while shift:
        step = min(shift, 62)
        found, shift = exp.Mul(this=found, expression=_power(step)), shift - step
    while bottom > 1:
        step = min(bottom.bit_length() - 1, 62)
        found, bottom = exp.Div(this=found, expression=_power(step)), bottom >> step
    return exp.Paren(this=found)


def _power(exponent: int) -> Sql:
    return exp.cast(exp.Literal.number(2**exponent), "DOUBLE")


def _sqlite_code(column: Sql, text: Sql) -> Sql:
    """Return a code in SQLite as a double: a number, or a text of digits."""

    def glob(pattern: str) -> Sql:
        bare = exp.func("LTRIM", text.copy(), exp.Literal.string("+-"))
        return exp.Glob(this=bare, expression=exp.Literal.string(pattern))

    number = exp.cast(column.copy(), "DOUBLE")
    numeric = _in(exp.func("TYPEOF", column.copy()), _strings("integer", "real"))
    digits = exp.and_(glob("[0-9]*"), exp.Not(this=glob("*[^0-9.]*")), exp.Not(this=glob("*.*.*")))
    return _case([(numeric, number), (digits, exp.cast(text.copy(), "DOUBLE"))], None)


def _sqlite_datetime(column: Sql) -> Sql:
    """Return a datetime in SQLite as text with microseconds, which sorts by time."""
    form = exp.Literal.string("%Y-%m-%d %H:%M:%S")
    seconds = exp.func("STRFTIME", form, _part(column, 1, 19))
    digits = exp.DPipe(this=_part(column, 21, 6), expression=exp.Literal.string("000000"))
    micro = exp.func("SUBSTR", digits, exp.Literal.number(1), exp.Literal.number(6))
    dot = exp.DPipe(this=seconds, expression=exp.Literal.string("."))
    return exp.DPipe(this=dot, expression=micro)


def _part(column: Sql, first: int, size: int) -> Sql:
    return exp.func("SUBSTR", column.copy(), exp.Literal.number(first), exp.Literal.number(size))


def _strings(*texts: str) -> list[Sql]:
    return [exp.Literal.string(text) for text in texts]


def _in(value: Sql, options: list[Sql]) -> Sql:
    if len(options) == 1:
        return exp.EQ(this=value, expression=options[0])
    return exp.In(this=value, expressions=options)


def _case(branches: list[tuple[Sql, Sql]], otherwise: Sql | None) -> Sql:
    """Return a CASE expression."""
    ifs = [exp.If(this=condition, true=result) for condition, result in branches]
    return exp.Case(ifs=ifs, default=otherwise)


def _compared(comparator: Comparator, left: Sql, right: Sql) -> Sql:
    kinds: dict[str, Sql] = {
        "<": exp.LT,
        "<=": exp.LTE,
        ">": exp.GT,
        ">=": exp.GTE,
        "==": exp.EQ,
    }
    return kinds[comparator](this=left, expression=right)


case_of, compared, member_of = _case, _compared, _in
