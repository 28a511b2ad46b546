"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

STANDARD_OUTPUT = Path("/dev/stdout")


def output_path(path: Path | None) -> Path | None:
    """Return the path of an output; "-" is the standard output."""
    return STANDARD_OUTPUT if path == Path("-") else path


Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="A CSV, Parquet or Excel file, or a DuckDB or SQLite file (see --table); - reads "
        "standard input.",
        show_default=False,
    ),
]
ModelPath = Annotated[
    Path, typer.Argument(metavar="MODEL", help="A model file.", show_default=False)
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COL",
        help="Column of categories: numbers that are codes, or text that looks like a key; "
        "repeatable.",
    ),
]
DataTable = Annotated[
    str | None,
    typer.Option(
        "--table",
        help="Name of the table or sheet, if DATA is a database or workbook with several.",
    ),
]
Target = Annotated[
    str | None,
    typer.Option(
        "--target", help="Column that holds the class; by default the one named in the model."
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Verbose = Annotated[
    bool, typer.Option("--verbose", "-v", help="Print also what the certificate is made of.")
]
All = Annotated[
    bool, typer.Option("--all", help="Print a long model in full, not only its first lines.")
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]
OutPath = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        metavar="FILE",
        help="Write CSV, .parquet or .xlsx here, not to the screen.",
        callback=output_path,
    ),
]
Overwrite = Annotated[
    bool,
    typer.Option("--overwrite", help="Replace an output file that rulewright did not write."),
]
Engine = Annotated[
    str | None,
    typer.Option(
        metavar="ENGINE",
        help="Answer inside the database: duckdb or sqlite for the file DATA, or an address "
        "postgres://..., whose table is DATA.",
    ),
]
Into = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="New table of the answers, with --engine."),
]
AsView = Annotated[bool, typer.Option("--view", help="Make a view, not a table, with --engine.")]
ExcelSafe = Annotated[
    bool,
    typer.Option(
        "--excel-safe",
        help="Write an apostrophe before CSV cells that a spreadsheet would run as formulas: text "
        "that begins with =, +, -, @, a tab or a line break.",
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(metavar="COL", help="Column of DATA to copy to the output; repeatable."),
]
NewCosts = Annotated[
    list[str] | None,
    typer.Option(
        "--class-costs",
        metavar="CLASS=NUMBER",
        help="Cost of misclassifying a case of a class, 1 for others: answer by the smallest "
        "expected cost, without learning again; repeatable.",
    ),
]
AllClasses = Annotated[
    bool, typer.Option("--all-classes", help="Write the probability of each class as well.")
]
Batch = Annotated[int, typer.Option(min=1, help="Number of rows held in memory at a time.")]
