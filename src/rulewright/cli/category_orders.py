"""Orders of categories that are declared on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from rulewright.data import CategoryOrder
from rulewright.errors import InputError, preview

Order = Annotated[
    list[str] | None,
    typer.Option(
        "--order",
        metavar="COL=A<B<C",
        help="Column of ordered categories, from the lowest to the highest; repeatable.",
    ),
]


def read_orders(texts: Sequence[str], columns: Sequence[str]) -> dict[str, CategoryOrder]:
    """Return the orders of columns from texts such as ``size=small<medium<large``.

    Examples
    --------
    >>> read_orders(["size = small < large"], ["size"])["size"].labels
    ('small', 'large')
    """
    return dict(_read_order(text, columns) for text in texts)


def _read_order(text: str, columns: Sequence[str]) -> tuple[str, CategoryOrder]:
    places = [place for place, letter in enumerate(text) if letter == "="]
    for place in places:
        name, labels = text[:place].strip(), [part.strip() for part in text[place + 1 :].split("<")]
        if name in columns:
            if len(labels) < 2 or not all(labels) or len(set(labels)) < len(labels):
                raise InputError(
                    f"--order needs two or more different categories, got {text!r}. Write them "
                    "from the lowest to the highest: size=small<medium<large."
                )
            return name, CategoryOrder(tuple(labels))
    raise InputError(
        f"--order must name a column and its categories, such as size=small<medium<large, got "
        f"{text!r}. The columns are {preview(list(columns), 12)}."
    )
