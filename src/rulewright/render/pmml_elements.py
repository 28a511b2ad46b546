"""Elements of XML for PMML: their text, and the expressions that derived fields are made of."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from xml.etree.ElementTree import Element

from rulewright.errors import UnrenderableError

IMPOSSIBLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot hold in any form."""
REFERENCED = re.compile("[\t\n\r\x7f-\x9f\u2028\u2029]")
"""Characters that are written by their numbers, because readers of XML may change them."""


def xml_text(text: str) -> str:
    r"""Return a text as it stands in an attribute or in an element.

    Examples
    --------
    >>> xml_text('a < "b"\n')
    'a &lt; &quot;b&quot;&#10;'
    """
    found = IMPOSSIBLE.search(text)
    if found:
        raise UnrenderableError(
            f"The name or value {text!r:.80} holds the character U+{ord(found[0]):04X}, which XML "
            "cannot hold. Rename it, or export the model to another form."
        )
    escaped = escape(text, quote=False).replace('"', "&quot;")
    return REFERENCED.sub(lambda letter: f"&#{ord(letter[0])};", escaped)


def element(tag: str, /, *parts: Element | str | None, **attributes: str | None) -> Element:
    """Return an element with some parts, or with a text; what is None is left out."""
    made = Element(tag, {key: value for key, value in attributes.items() if value is not None})
    for part in parts:
        if isinstance(part, str):
            made.text = part
        elif part is not None:
            made.append(part)
    return made


def xml_lines(root: Element) -> Iterator[str]:
    """Yield the lines of an element and of what is in it."""
    waiting: list[tuple[Element | str, int]] = [(root, 0)]
    while waiting:
        item, depth = waiting.pop()
        indent = " " * min(depth, 40)
        if isinstance(item, str):
            yield f"{indent}</{item}>\n"
            continue
        attributes = "".join(f' {key}="{xml_text(value)}"' for key, value in item.items())
        start = f"{indent}<{item.tag}{attributes}"
        if item.text is not None:
            yield f"{start}>{xml_text(item.text)}</{item.tag}>\n"
        elif len(item) and all(part.text is not None for part in item):
            parts = "".join(f"<{p.tag}>{xml_text(p.text or '')}</{p.tag}>" for p in item)
            yield f"{start}>{parts}</{item.tag}>\n"
        elif len(item):
            yield f"{start}>\n"
            waiting.append((item.tag, depth))
            waiting += [(part, depth + 1) for part in reversed(item)]
        else:
            yield f"{start}/>\n"


def field_ref(name: str, if_missing: float | None = None) -> Element:
    """Return the value of a field, or a number where it is missing."""
    filling = None if if_missing is None else repr(float(if_missing))
    return element("FieldRef", field=name, mapMissingTo=filling)


def constant(value: float | bool | str) -> Element:
    """Return a constant; numbers are doubles."""
    if isinstance(value, bool):
        return element("Constant", "true" if value else "false", dataType="boolean")
    if isinstance(value, str):
        return element("Constant", value, dataType="string")
    return element("Constant", repr(float(value)), dataType="double")


def missing_constant() -> Element:
    """Return a missing value."""
    return element("Constant", dataType="double", missing="true")


def apply(function: str, *parts: Element, if_missing: bool | None = None) -> Element:
    """Return a function of some expressions; ``if_missing`` is its truth where one is missing.

    A result that is not a number, as the difference of infinite numbers, is missing.
    """
    numeric = "asMissing" if function in ARITHMETIC else None
    truth = None if if_missing is None else str(if_missing).lower()
    return element(
        "Apply", *parts, function=function, mapMissingTo=truth, invalidValueTreatment=numeric
    )


ARITHMETIC = ("+", "-", "*", "/")


def derived(name: str, expression: Element, data_type: str = "double") -> Element:
    """Return a field that is computed from others."""
    optype = "continuous" if data_type == "double" else "categorical"
    return element("DerivedField", expression, name=name, optype=optype, dataType=data_type)
