"""Models as documents for people: Markdown, LaTeX and plain English.

The rules are in the order and with the numbers of ``get_rules``, with their counts in training and
the certificate.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from rulewright.render.adverse_reasons import adverse_lines
from rulewright.render.code_writing import comment_text
from rulewright.render.english_conditions import english_text
from rulewright.render.export_programs import ExportedModel, head_lines
from rulewright.render.formatting import number_text, weight_text
from rulewright.render.renderer_models import RenderedModel
from rulewright.render.score_documents import points_table
from rulewright.render.scorecards import risk_text
from rulewright.render.text import NO_ANSWER
from rulewright.rules import (
    ABSTAIN,
    AllOf,
    ClassScorecard,
    Predicate,
    RuleList,
    RuleVote,
    Scorecard,
    TotalRange,
    Tree,
    WeightedRule,
)


class DocumentedModel(ExportedModel, RenderedModel, Protocol):
    """What a document reads of a model."""


class RuleLine(NamedTuple):
    """A rule in a document."""

    number: int
    condition: str
    answer: str
    weight: str
    counts: str
    risk: str = ""


MARKDOWN = frozenset("\\`*_[]<>|~$&#")
LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    **{letter: f"\\{letter}" for letter in "$&#_%"},
}


def _lines(model: DocumentedModel) -> list[RuleLine]:
    support = model.rule_support
    lines = []
    for number, rule in enumerate(model.body.rules):
        answer = NO_ANSWER if rule.output == ABSTAIN else model.answer_texts[rule.output]
        counts = ""
        if support:
            weight, right = support[number]
            counts = f"{weight_text(right)} of {weight_text(weight)}"
            counts = weight_text(weight) if rule.output == ABSTAIN else counts
        weight_of = number_text(rule.weight) if isinstance(rule, WeightedRule) else ""
        known = rule.condition.risk if isinstance(rule.condition, TotalRange) else None
        risk = "" if known is None else risk_text(known)
        headline = model.rule_headline(number)
        lines.append(RuleLine(number + 1, headline, answer, weight_of, counts, risk))
    return lines


def _how(model: DocumentedModel) -> str:
    """Return how the rules give an answer, in a sentence."""
    match model.body:
        case RuleVote():
            return (
                "Every rule that holds adds its weight to its answer. The answer with the largest "
                "sum is given; the last rule answers where no other holds."
            )
        case Tree():
            return "The rules are the paths of a tree: the one that holds gives the answer."
        case RuleList():
            return "The first rule that holds gives the answer."
        case Scorecard():
            return (
                "The points of the conditions that hold are added. The rules are the ranges of "
                "their total."
            )
        case ClassScorecard():
            return (
                "Every condition that holds adds its points to the totals of the classes. The "
                "class with the largest total is the answer; of equal totals, the first."
            )
        case _:
            return "The first test that decides gives the answer."


def _table(
    model: DocumentedModel, escape: Callable[[str], str]
) -> tuple[list[str], list[list[str]]]:
    """Return the head and the cells of the table of rules."""
    lines = _lines(model)
    used = ["number", "condition", "answer"]
    used += [
        name for name in ("risk", "weight", "counts") if any(getattr(line, name) for line in lines)
    ]
    titles = {
        "number": "Rule",
        "condition": "If",
        "answer": "Answer",
        "risk": f"Risk of {escape(''.join(model.answer_texts[1:2]))}",
        "weight": "Weight",
        "counts": "Right in training",
    }
    cells = [[escape(str(getattr(line, name))) for name in used] for line in lines]
    return [titles[name] for name in used], cells


def markdown_export(model: DocumentedModel) -> str:
    """Write a model as a page of Markdown."""
    head = head_lines(model)
    comment = "\n".join(comment_text(line, "<>").replace("--", "- -") for line in head)
    titles, cells = _table(model, _markdown)
    table = _markdown_table(titles, cells)
    points = points_table(model.body, model.answer_texts)
    if points is not None:
        scores = [[_markdown(cell) for cell in row] for row in points.cells]
        table = f"{_markdown_table(list(map(_markdown, points.titles)), scores)}\n\n{table}"
    *about, certificate = map(_markdown, head)
    facts = "\n".join(f"- {line}" for line in about)
    return f"<!--\n{comment}\n-->\n\n{facts}\n\n{_how(model)}\n\n{table}\n\n{certificate}\n"


def _markdown_table(titles: list[str], cells: list[list[str]]) -> str:
    rows = [titles, ["---:", *["---"] * (len(titles) - 1)], *cells]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _markdown(text: str) -> str:
    r"""Return a text in which nothing is markup.

    Examples
    --------
    >>> print(_markdown("a_b > 3 | <b>"))
    a\_b \> 3 \| \<b\>
    """
    return "".join(f"\\{letter}" if letter in MARKDOWN else letter for letter in _one_line(text))


def _one_line(text: str) -> str:
    return "".join(c if c.isprintable() else f"U+{ord(c):04X}" for c in text)


def latex_export(model: DocumentedModel) -> str:
    """Write a model as a table of LaTeX, to be included in a document."""
    head = head_lines(model)
    comment = "".join(f"% {_one_line(line)}\n" for line in head)
    titles, cells = _table(model, _latex)
    form = "r" + r"p{0.5\linewidth}" + "l" * (len(titles) - 2)
    tables = _latex_table(form, titles, cells)
    points = points_table(model.body, model.answer_texts)
    if points is not None:
        scores = [[_latex(cell) for cell in row] for row in points.cells]
        form = "r" * (len(points.titles) - 1) + r"p{0.5\linewidth}"
        first = _latex_table(form, list(map(_latex, points.titles)), scores)
        tables = f"{first}\n\\medskip\\noindent\n{tables}"
    *about, certificate = map(_latex, head)
    facts = " ".join(about)
    return (
        f"{comment}\\noindent {facts} {_latex(_how(model))}\n\n\\medskip\\noindent\n"
        f"{tables}\n\\medskip\\noindent {certificate}\n"
    )


def _latex_table(form: str, titles: list[str], cells: list[list[str]]) -> str:
    rows = "".join(f"{' & '.join(row)} \\\\\n" for row in cells)
    return (
        f"\\begin{{tabular}}{{{form}}}\n\\hline\n{' & '.join(titles)} \\\\\n\\hline\n{rows}"
        "\\hline\n\\end{tabular}\n"
    )


def _latex(text: str) -> str:
    r"""Return a text in which nothing is a command.

    Examples
    --------
    >>> print(_latex("50 % of \\x"))
    50 \% of \textbackslash{}x
    """
    return "".join(LATEX.get(letter, letter) for letter in _one_line(text))


def english_export(model: DocumentedModel, *, adverse: str = "") -> str:
    """Write a model as sentences.

    Parameters
    ----------
    model : DocumentedModel
    adverse : str, default=""
        An answer, such as that of refused applications. The reasons for it are listed as a letter
        would state them.
    """
    sentences = [*head_lines(model)[:-1], "", _how(model), ""]
    points = points_table(model.body, model.answer_texts)
    if points is not None:
        sentences += [*(f"- {sentence}" for sentence in points.sentences), ""]
    lines = _lines(model)
    rules = model.body.rules
    listed = isinstance(model.body, RuleList)
    for line, rule in zip(lines, rules, strict=True):
        sentences.append(f"{line.number}. {_sentence(line, rule.condition, listed)}")
    if adverse:
        sentences += ["", *adverse_lines(model, adverse)]
    return "\n".join([*map(_one_line, sentences), "", head_lines(model)[-1], ""])


def _sentence(line: RuleLine, condition: Predicate, listed: bool) -> str:
    answer = "there is no answer" if line.answer == NO_ANSWER else f"the answer is {line.answer}"
    if line.weight:
        answer = f"{line.weight} is added to {line.answer}"
    if line.risk:
        answer = f"{answer}, and the risk is {line.risk}"
    if condition == AllOf():
        text = f"{'In every case' if line.weight else 'Otherwise'}, {answer}."
    else:
        start = "Otherwise, if" if listed and line.number > 1 else "If"
        text = f"{start} {english_text(condition)}, {answer}."
    if not line.counts:
        return text
    if line.answer == NO_ANSWER:
        return f"{text} (Training cases: {line.counts}.)"
    return f"{text} (Right for {line.counts} training cases.)"
