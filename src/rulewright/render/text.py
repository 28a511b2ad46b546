"""Nodes as text that a person reads."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from rulewright.data import CategoricalColumn, Table
from rulewright.errors import UnrenderableError
from rulewright.rules import (
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    Ball,
    Category,
    Conjunction,
    Disjunction,
    Given,
    HalfSpace,
    Interval,
    Leaf,
    Missing,
    Not,
    Predicate,
    RuleList,
    RuleVote,
    Threshold,
    Tree,
)


def number_text(number: float) -> str:
    """Write a number in full: the shortest text that reads back as the same number.

    Examples
    --------
    >>> number_text(127.0), number_text(29.9), number_text(0.1 + 0.2)
    ('127', '29.9', '0.30000000000000004')
    """
    if float(number).is_integer() and abs(number) < 1e15:
        return str(int(number))
    return repr(float(number))


def percent_text(share: float) -> str:
    """Write an upper bound as a percentage, rounded up so that it stays true.

    Examples
    --------
    >>> percent_text(0.12301), percent_text(0.5), percent_text(1.0)
    ('12.4 %', '50.0 %', '100.0 %')
    """
    return f"{min(math.ceil(share * 1000 - 1e-9) / 10, 100.0):.1f} %"


def name_text(text: str) -> str:
    """Write a column's name or a category so that it stays on one line."""
    return text if text.isprintable() and text == text.strip() and text else repr(text)


def class_text(label: object) -> str:
    """Write a class label, with the word where it would not read as a name.

    Examples
    --------
    >>> class_text("malignant"), class_text(1), class_text("+")
    ('malignant', 'class 1', 'class +')
    """
    text = name_text(str(label))
    return text if any(letter.isalpha() for letter in text) else f"class {text}"


def value_text(text: str) -> str:
    """Write a category, in quotes where it could be mistaken for something else."""
    return repr(text) if set(text) & set(",{}='\"<>") else name_text(text)


def predicate_text(node: Predicate) -> str:
    """Write a predicate.

    Examples
    --------
    >>> predicate_text(AllOf((Threshold("glucose", True, 127.0), Category("sex", ("f",), False))))
    'glucose > 127 and sex != f'
    >>> predicate_text(~Threshold("glucose", True, 127.0))
    'glucose <= 127 or missing'
    """
    match node:
        case Threshold(column, above, cut, if_missing):
            return (
                f"{name_text(column)} {'>' if above else '<='} {number_text(cut)}{_or(if_missing)}"
            )
        case Interval(column, low, high, inside, if_missing):
            name, a, b = name_text(column), number_text(low), number_text(high)
            test = f"{a} <= {name} <= {b}" if inside else f"{name} < {a} or {name} > {b}"
            return test + _or(if_missing)
        case Category(column, (value,), among, if_missing):
            test = f"{name_text(column)} {'=' if among else '!='} {value_text(value)}"
            return test + _or(if_missing)
        case Category(column, values, among, if_missing):
            listed = ", ".join(map(value_text, values))
            return f"{name_text(column)} {'' if among else 'not '}in {{{listed}}}{_or(if_missing)}"
        case Missing(column, missing):
            return f"{name_text(column)} is {'' if missing else 'not '}missing"
        case Given(column, truth, if_missing):
            return f"{'' if truth else 'not '}{name_text(column)}{_or(if_missing)}"
        case Ball():
            return _ball_text(node)
        case HalfSpace():
            return _half_space_text(node)
        case AllOf(parts):
            return " and ".join(map(_part_text, parts)) if parts else "always"
        case AnyOf(parts):
            return " or ".join(map(_part_text, parts)) if parts else "never"
        case AtLeast(count, parts):
            return f"at least {count} of ({'; '.join(map(predicate_text, parts))})"
        case Not(part):
            return f"not ({predicate_text(part)})"
        case _:
            raise UnrenderableError(f"{type(node).__name__} has no form as text.")


def _or(if_missing: bool) -> str:
    return " or missing" if if_missing else ""


def _part_text(part: Predicate) -> str:
    text = predicate_text(part)
    mixed = isinstance(part, AllOf | AnyOf) and len(part.parts) > 1
    return f"({text})" if mixed or " or " in text else text


def _point_text(names: Sequence[str], point: Sequence[float], anchors: tuple[int, ...]) -> str:
    coordinates = ", ".join(
        f"{name_text(name)} {number_text(x)}" for name, x in zip(names, point, strict=True)
    )
    return f"{f'example {anchors[0]}' if anchors else 'the point'} ({coordinates})"


def _ball_text(ball: Ball) -> str:
    words = {
        (True, True): "nearer than {} to",
        (True, False): "within {} of",
        (False, True): "at least {} from",
        (False, False): "farther than {} from",
    }[ball.inside, ball.strict].format(number_text(ball.radius))
    centre = _point_text(ball.on, ball.centre, ball.anchored_on[:1])
    return f"{words} {centre} by {ball.metric}{_or(ball.if_missing)}"


def _half_space_text(half: HalfSpace) -> str:
    relation = {
        (True, False): ">=",
        (True, True): ">",
        (False, False): "<",
        (False, True): "<=",
    }[half.beyond, half.strict]
    a = _point_text(half.on, half.toward, half.anchored_on[:1])
    b = _point_text(half.on, half.away, half.anchored_on[1:2])
    test = f"likeness to {a} less likeness to {b} {relation} {number_text(half.cut)}"
    return f"{test} ({half.kernel}){_or(half.if_missing)}"


def arrangement_text(body: Arrangement, classes: Sequence[object]) -> str:
    """Write a whole classifier, with the names of its classes.

    Examples
    --------
    >>> parts = (Threshold("glucose", True, 127.0), Threshold("bmi", True, 29.9))
    >>> print(arrangement_text(Conjunction(parts, then=1, otherwise=0), ["healthy", "ill"]))
    ill if all of these hold, otherwise healthy:
      1. glucose > 127
      2. bmi > 29.9
    """
    names = [class_text(label) for label in classes]
    match body:
        case Conjunction((), then) | Disjunction((), _, then):
            return f"always {names[then]}"
        case Conjunction(parts, then, otherwise) | Disjunction(parts, then, otherwise):
            head = f"{names[then]} {condition_text(body)}, otherwise {names[otherwise]}:"
            return "\n".join([head, *_numbered(parts)])
        case RuleList(rules, default):
            lines = [f"{names[r.output]} if {predicate_text(r.condition)}" for r in rules]
            return "\n".join(
                ["the first of these that holds:"]
                + [f"  {i}. {line}" for i, line in enumerate(lines, 1)]
                + [f"otherwise {names[default]}"]
            )
        case RuleVote(voters, default):
            votes = [
                f"{number_text(v.weight)} for {names[v.output]} if {predicate_text(v.condition)}"
                for v in voters
            ]
            return "\n".join(
                ["the class with the most votes:"]
                + [f"  {i}. {line}" for i, line in enumerate(votes, 1)]
                + [f"{names[default]} where nothing votes"]
            )
        case Tree():
            return "\n".join(_tree_lines(body, names))
        case _:
            raise UnrenderableError(f"{type(body).__name__} has no form as text.")


def condition_text(body: Conjunction | Disjunction) -> str:
    """Say how many of its parts must hold."""
    return "if all of these hold" if isinstance(body, Conjunction) else "if any of these holds"


def _numbered(parts: Sequence[Predicate]) -> list[str]:
    return [f"  {i}. {predicate_text(part)}" for i, part in enumerate(parts, 1)]


def _tree_lines(tree: Tree, names: Sequence[str]) -> list[str]:
    lines: list[str] = []
    waiting: list[tuple[int, int, str]] = [(0, 0, "")]
    while waiting:
        number, depth, prefix = waiting.pop()
        node = tree.nodes[number]
        indent = "  " * depth
        if isinstance(node, Leaf):
            lines.append(f"{indent}{prefix}{names[node.output]}")
            continue
        if prefix:
            lines.append(f"{indent}{prefix.rstrip()}")
            depth += 1
        heads = [f"if {predicate_text(test)}: " for test in node.tests] + ["else: "]
        branches = list(zip(node.branches, heads, strict=True))
        waiting += [(child, depth, head) for child, head in reversed(branches)]
    return lines


def reason_text(grounds: Sequence[Predicate], table: Table, row: int) -> str:
    """Say with the row's own values why predicates that hold on it do.

    Examples
    --------
    >>> from rulewright.data import detect_table
    >>> import numpy as np
    >>> reason_text([Threshold("x0", True, 3.0)], detect_table(np.array([[5.5]])), 0)
    'x0 = 5.5 (> 3)'
    """
    return "; ".join(_reason(ground, table, row) for ground in grounds) or "always"


def _reason(ground: Predicate, table: Table, row: int) -> str:
    match ground:
        case Threshold(column, above, cut):
            relation = f" ({'>' if above else '<='} {number_text(cut)})"
            return _cell_text(table, column, row, relation)
        case Category(column, values, among) if len(values) > 1 or not among:
            said = predicate_text(Category(column, values, among))
            return _cell_text(
                table, column, row, f" ({said.removeprefix(name_text(column) + ' ')})"
            )
        case Ball():
            distance = number_text(float(ball_distance(ground, table, row)))
            return f"{predicate_text(ground)}: its distance is {distance}"
        case HalfSpace():
            margin = number_text(float(half_space_margin(ground, table, row)))
            return f"{predicate_text(ground)}: its margin is {margin}"
        case Interval(column) | Category(column) | Given(column):
            return _cell_text(table, column, row, "")
        case _:
            return predicate_text(ground)


def ball_distance(ball: Ball, table: Table, row: int) -> float:
    """Distance of one row to a ball's centre."""
    return float(ball.distance(table.select(ball.on).take(np.array([row])))[0])


def half_space_margin(half: HalfSpace, table: Table, row: int) -> float:
    """How far one row leans towards a half-space's first example."""
    return float(half.margin(table.select(half.on).take(np.array([row])))[0])


def _cell_text(table: Table, name: str, row: int, relation: str) -> str:
    column = table.column(name)
    if column.missing[row]:
        return f"{name_text(name)} is missing"
    if isinstance(column, CategoricalColumn):
        return f"{name_text(name)} = {value_text(column.categories[column.codes[row]])}{relation}"
    return f"{name_text(name)} = {number_text(float(column.values[row]))}{relation}"


def confidence_text(delta: float) -> str:
    """Write one less delta, never as a certainty."""
    if delta < 1e-7:
        return f"1 - {delta:g}"
    return f"{number_text(round(100 * (1 - delta), 6))} %"


def certificate_text(
    *,
    bound: float,
    delta: float,
    examples: int,
    bits: float,
    others: int,
    errors: int,
    guess: float,
) -> str:
    """Say a certificate in words, and say so when it says nothing.

    ``guess`` is the share of errors of always answering the more frequent class.
    """
    text = (
        f"With confidence {confidence_text(delta)}, at most {percent_text(bound)} of new cases are "
        "misjudged; "
        f"{_count(examples, 'training example')} and {bits:.1f} bits rebuild the model; "
        f"checked on {others} others: {_count(errors, 'error')}."
    )
    if bound >= 0.5:
        return text + " This certificate says nothing: a coin would do as well."
    if bound >= guess:
        text += (
            " This certificate says little: always answering the more frequent class misjudges "
            f"{100 * guess:.1f} % of the training cases."
        )
    return text


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
