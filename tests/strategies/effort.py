"""Numbers of examples for tests that are dear, have many cases, or look for something rare.

All are parts or multiples of what the profile asks for.
"""

from hypothesis import settings


def examples(factor):
    """Settings with the examples of the profile times ``factor``, one at least."""
    return settings(max_examples=max(int(settings.default.max_examples * factor), 1))


QUADRUPLE, DOUBLE, QUARTER, EIGHTH = (examples(factor) for factor in (4, 2, 1 / 4, 1 / 8))
