"""Predicates as text: a sentence on one line, and the lines below it."""

from __future__ import annotations

from rulewright.render.registry import Pieces, predicate_renderer
from rulewright.rules import Predicate


def predicate_text(node: Predicate) -> str:
    """Text of a predicate on one line.

    Examples
    --------
    >>> from rulewright.rules import AllOf, Category, Threshold
    >>> predicate_text(AllOf((Threshold("glucose", True, 127.0), Category("sex", ("f",), False))))
    'glucose > 127 and sex != f'
    >>> predicate_text(~Threshold("glucose", True, 127.0))
    'glucose <= 127 or missing'
    >>> predicate_text(AllOf((Threshold("bmi", True, 18.5), Threshold("bmi", False, 25.0))))
    '18.5 < bmi <= 25'
    """
    return predicate_renderer(node).text(node)


def headline_text(node: Predicate) -> str:
    """Text of a predicate on one line, without the details (see ``predicate_details``)."""
    return predicate_renderer(node).text(node, headline=True)


def brief_text(condition: Predicate, max_characters: int) -> str:
    """Text of a condition in about this number of characters, where that is possible.

    Long lists of categories show their first values. Many tests show the first one and as many of
    the last ones as fit. A syndrome shows as many of its first parts as fit.

    Examples
    --------
    >>> from rulewright.rules import AllOf, AtLeast, Category, Given, Threshold
    >>> colour, size = Category("colour", tuple("abcdef")), Threshold("size", True, 2.0)
    >>> brief_text(AllOf((colour, size)), 20)
    'colour in {a, b, … 4 more} and size > 2'
    >>> brief_text(AllOf((size, colour, Given("wet"), Given("cold"))), 30)
    'size > 2 and … and wet and cold'
    >>> brief_text(AtLeast(2, (size, colour, Given("wet"), Given("cold"))), 20)
    'at least 2 of (size > 2; … 3 more)'
    """
    whole = headline_text(condition)
    if len(whole) <= max_characters:
        return whole
    return predicate_renderer(condition).brief_text(condition, max_characters)


def predicate_details(node: Predicate) -> list[str]:
    """Lines below a headline: weights, and examples that the headline only names.

    Examples
    --------
    >>> from rulewright.rules import HalfSpace
    >>> half = HalfSpace(("x", "y"), (3.0, 1.0), (1.0, 4.0), 4.5, anchored_on=(17, 203, 9))
    >>> predicate_details(half)
    ['2 x - 3 y >= 4.5', 'example 17: x 3, y 1', 'example 203: x 1, y 4']
    """
    return [" ".join(pieces) for pieces in detail_lines(node)]


def detail_lines(node: Predicate) -> list[Pieces]:
    """Details of a predicate, in pieces between which a line may be broken."""
    return predicate_renderer(node).details(node)


def pieces_of(condition: Predicate) -> Pieces:
    """Headline of a condition, in pieces between which a line may be broken.

    Examples
    --------
    >>> from rulewright.rules import AllOf, AtLeast, Category, Threshold
    >>> parts = Threshold("bmi", True, 18.5), Category("sex", ("f",))
    >>> pieces_of(AllOf(parts))
    ['bmi > 18.5', 'and sex = f']
    >>> pieces_of(AtLeast(1, parts))
    ['at least 1 of (bmi > 18.5;', 'sex = f)']
    """
    return predicate_renderer(condition).pieces(condition)


def or_missing(if_missing: bool, comma: str = "") -> str:
    """Suffix of a test that also holds where its value is missing."""
    return f"{comma} or missing" if if_missing else ""
