"""What the exports as code share: conditions with infix operators, texts, tables and comments."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cache
from importlib.resources import files
from typing import NoReturn

from rulewright.errors import UnrenderableError
from rulewright.render.formatting import UNSAFE
from rulewright.render.programs import (
    NEGATED,
    AbsoluteForm,
    AndForm,
    ArgmaxForm,
    ArithmeticForm,
    AtLeastForm,
    BandForm,
    ComparisonForm,
    Condition,
    ConstantForm,
    ExponentialForm,
    FilledForm,
    FirstTrueForm,
    MemberForm,
    ModelProgram,
    NotForm,
    NumberForm,
    OrForm,
    RankForm,
    TotalsForm,
    TreeForm,
    TruthForm,
    UndefinedForm,
    UnknownForm,
    ValueForm,
    forms_in,
)

PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2}
MAX_TERMS = 400
"""Maximum number of operations in one number: compilers nest them."""


def refuse_exponential(name: str) -> NoReturn:
    """Raise the error of a form that has no exponential of the C library."""
    raise UnrenderableError(
        f"The model compares rows by an RBF kernel. Its exponential has no exact equal in {name}. "
        "Export the model to python or c, or train with another kernel."
    )


class CodeWriter(ABC):
    """Writer of conditions in a language with infix operators.

    Parameters
    ----------
    program : ModelProgram
        The lists of texts and of knots in it are numbered; ``sets`` and ``ranks`` hold them.
    """

    name: str
    and_, or_, not_ = " && ", " || ", "!"
    true, false = "true", "false"

    def __init__(self, program: ModelProgram) -> None:
        self.program = program
        forms = list(forms_in(program.conditions))
        self.sets = list(dict.fromkeys(f.texts for f in forms if isinstance(f, MemberForm)))
        self.ranks = list(
            dict.fromkeys((f.knots, f.between, f.at) for f in forms if isinstance(f, RankForm))
        )
        self._set_places = {texts: place for place, texts in enumerate(self.sets)}
        self._rank_places = {rank: place for place, rank in enumerate(self.ranks)}

    @abstractmethod
    def value(self, place: int) -> str:
        """Return the number of an input."""

    @abstractmethod
    def unknown(self, place: int) -> str:
        """Return the condition that a category is missing."""

    @abstractmethod
    def member(self, place: int, texts: tuple[str, ...], number: int) -> str:
        """Return the condition that a category is one of the texts of the set of a number."""

    @abstractmethod
    def absolute(self, number: str) -> str:
        """Return a number without its sign."""

    @abstractmethod
    def rank(self, number: str, place: int) -> str:
        """Return the rank of a number among the knots of a number."""

    def filled(self, number: str, constant: str) -> str:
        """Return a number, or a constant where it is missing."""
        return f"({number} != {number} ? {constant} : {number})"

    def exponential(self, number: str) -> str:
        """Return the exponential of the C library; most languages have none to the last bit."""
        refuse_exponential(self.name)

    def counted(self, condition: str) -> str:
        """Return a condition as a number, 1 or 0."""
        return condition

    def constant(self, number: float) -> str:
        """Return a finite number: the shortest text that reads back as the same double."""
        return repr(float(number))

    def condition(self, form: Condition) -> str:
        """Return a condition; one with operators is in parentheses."""
        match form:
            case TruthForm(truth):
                return self.true if truth else self.false
            case ComparisonForm(comparator, number, constant, if_undefined):
                return self._comparison(comparator, number, constant, if_undefined)
            case UndefinedForm(number):
                text = self.number(number)
                return f"({text} != {text})"
            case UnknownForm(place):
                return self.unknown(place)
            case MemberForm(place, texts):
                return self.member(place, texts, self._set_places[texts])
            case AndForm(parts):
                return f"({self.and_.join(map(self.condition, parts))})"
            case OrForm(parts):
                return f"({self.or_.join(map(self.condition, parts))})"
            case NotForm(part):
                return f"({self.not_}{self.condition(part)})"
            case AtLeastForm(count, parts):
                total = " + ".join(self.counted(self.condition(part)) for part in parts)
                return f"({total} >= {count})"

    def _comparison(
        self, comparator: str, number: NumberForm, constant: float, if_undefined: bool
    ) -> str:
        left, right = self.number(number), self.constant(constant)
        if not if_undefined:
            return f"({left} {comparator} {right})"
        if comparator in NEGATED:  # NaN fails every comparison
            return f"({self.not_}({left} {NEGATED[comparator]} {right}))"
        return f"({left} == {right}{self.or_}{left} != {left})"

    def number(self, form: NumberForm) -> str:
        """Return a number; operations are done in the order of the form."""
        match form:
            case ValueForm(place):
                return self.value(place)
            case ConstantForm(number):
                text = self.constant(number)
                return f"({text})" if text.startswith("-") else text
            case FilledForm(part, number):
                return self.filled(self.number(part), self.constant(number))
            case AbsoluteForm(part):
                return self.absolute(self.number(part))
            case RankForm(part, knots, between, at):
                return self.rank(self.number(part), self._rank_places[knots, between, at])
            case ExponentialForm(part):
                return self.exponential(self.number(part))
            case ArithmeticForm():
                return self._arithmetic(form)

    def _arithmetic(self, form: ArithmeticForm) -> str:
        """Return a chain of operations: what comes first stands first, without parentheses."""
        pieces: list[str] = []
        node: NumberForm = form
        while isinstance(node, ArithmeticForm):
            pieces.append(f" {node.operator} {self.number(node.right)}")
            left = node.left
            if isinstance(left, ArithmeticForm) and (
                PRECEDENCE[left.operator] < PRECEDENCE[node.operator]
            ):
                pieces.append(self.number(left))
                break
            node = left
        else:
            pieces.append(self.number(node))
        if len(pieces) > MAX_TERMS:
            raise UnrenderableError(
                f"A ball, half-space or half-plane of the model adds {len(pieces)} terms, more "
                f"than the {MAX_TERMS} that one expression in {self.name} can hold. Train on fewer "
                "columns."
            )
        return f"({''.join(reversed(pieces))})"


def comment_text(text: str, escaped: str = "") -> str:
    r"""Return a text that cannot end a comment of one line, or start anything in it.

    Characters that are not printed, backslashes, doubled question marks (trigraphs of C) and the
    characters ``escaped`` are written as their numbers.

    Examples
    --------
    >>> comment_text("two\nlines"), comment_text("</script>", "<")
    ('two<U+000A>lines', '<U+003C>/script>')
    """

    def safe(letter: str) -> str:
        odd = not letter.isprintable() or letter == "\\" or letter in escaped
        return f"<U+{ord(letter):04X}>" if odd or UNSAFE.match(letter) else letter

    return "".join(map(safe, text)).replace("??", "?<U+003F>")


@cache
def runtime(name: str) -> str:
    """Return a part of the text that all exports in a language share."""
    return files("rulewright.render").joinpath("runtimes", f"{name}.txt").read_text("utf-8")


def wrapped(items: Sequence[str], indent: str, width: int = 96) -> str:
    """Return items separated by commas, broken into indented lines.

    Examples
    --------
    >>> print(wrapped(["1", "2", "3"], "  ", width=8))
      1, 2,
      3
    """
    lines: list[str] = []
    line = indent
    for number, item in enumerate(items):
        piece = item + ("," if number < len(items) - 1 else "")
        if line != indent and len(line) + 1 + len(piece) > width:
            lines.append(line)
            line = indent
        line += piece if line == indent else f" {piece}"
    return "\n".join([*lines, line]) if items else ""


def decision_parts(program: ModelProgram) -> str:
    """Name of the part of a runtime that finds the rule."""
    match program.choice:
        case TreeForm():
            return "tree"
        case ArgmaxForm():
            return "vote"
        case BandForm():
            return "bands"
        case TotalsForm():
            return "totals"
        case FirstTrueForm():
            return "first"


MIXED_PARTS = ("tree", "vote", "totals")
"""Parts that compute probabilities; the others take those of the rule."""
EXPONENTIAL_PARTS = ("vote", "totals")
"""Parts that need the exponential of a number of 0 or less."""


def node_table(tree: TreeForm) -> list[tuple[int, tuple[int, ...], int, tuple[int, ...]]]:
    """Return the nodes of a tree by the numbers of their conditions.

    Each is the number of its first test, its branches, the number of the condition that divides a
    row (-1 for none), and the shares.
    """
    table, number = [], 0
    for node in tree.nodes:
        divided = number + len(node.tests) if node.divided is not None else -1
        table.append((number, node.branches, divided, node.shares))
        number += len(node.tests) + (node.divided is not None)
    return table


def lines_of(items: Sequence[str], indent: str, text: Callable[[str], str] = str) -> str:
    """Return items one to a line, each followed by a comma."""
    return "\n".join(f"{indent}{text(item)}," for item in items)
