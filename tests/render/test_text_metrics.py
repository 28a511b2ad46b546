"""Text for drawings: no line is wider than it may be, and no letter is lost unseen."""

from hypothesis import given
from hypothesis import strategies as st

from rulewright.render.text_metrics import ELLIPSIS, NO_BREAK, shorten, text_width, wrap_text

TEXTS = st.text(st.sampled_from(f"ab_-. WMil,é中{NO_BREAK}"), max_size=40)
WIDTHS = st.sampled_from([30.0, 33.3, 60.0, 150.0])


@given(TEXTS, WIDTHS, st.integers(1, 4), st.booleans())
def test_no_line_is_too_wide_and_none_is_too_many(text, width, most, strong):
    lines = wrap_text(text, width, 12, max_lines=most, strong=strong)
    assert len(lines) <= most
    assert all(text_width(line, 12, strong=strong) <= width for line in lines)


@given(TEXTS, WIDTHS, st.booleans())
def test_breaking_loses_nothing_but_blanks(text, width, strong):
    lines = wrap_text(text, width, 12, max_lines=100, strong=strong)
    assert "".join("".join(lines).split()) == "".join(text.replace(NO_BREAK, " ").split())


@given(TEXTS, WIDTHS, st.integers(1, 3))
def test_what_is_left_out_is_marked(text, width, most):
    lines = wrap_text(text, width, 12, max_lines=most)
    whole = wrap_text(text, width, 12, max_lines=100)
    if len(whole) <= most:
        assert lines == whole
    else:
        assert lines[:-1] == whole[: most - 1] and lines[-1].endswith(ELLIPSIS)


@given(TEXTS.map(str.strip), WIDTHS, st.booleans())
def test_a_shortened_text_fits_and_keeps_both_ends(text, width, strong):
    short = shorten(text, width, 12, strong=strong)
    assert text_width(short, 12, strong=strong) <= width
    if short != text:
        head, tail = short.split(ELLIPSIS)
        assert text.startswith(head) and text.endswith(tail) and head
        assert text_width(text, 12, strong=strong) > width


def test_lines_end_between_words_where_that_can_be():
    assert wrap_text("one two three", 60, 12, max_lines=9) == ("one two", "three")
    assert wrap_text(f"mean radius <={NO_BREAK}127", 80, 12, max_lines=9) == (
        "mean radius",
        "<= 127",
    )
    assert wrap_text("worst_concave_points", 100, 12, max_lines=9) == ("worst_concave_", "points")


def test_long_texts_are_broken_at_once():
    assert len(wrap_text("ab " * 1_000_000, 60, 12, max_lines=3)) == 3
    assert len(wrap_text("ab" * 1_000_000, 60, 12, max_lines=3)) == 3


def test_a_text_that_just_fits_is_left_whole():
    for text in ("_.i.a-", "mean radius", "0.1" * 9):
        assert shorten(text, text_width(text, 12), 12) == text
