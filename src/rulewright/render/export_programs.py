"""The program of a whole model, with the lines about it that every export starts with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.render import score_lowering, space_lowering  # noqa: F401, register their nodes
from rulewright.render.certificates import cost_sentence_text, error_text
from rulewright.render.formatting import class_text, count_text
from rulewright.render.lowering import Inputs, lowered_choice
from rulewright.render.programs import BandForm, ExportedAnswers, ModelProgram
from rulewright.render.text import summary_text
from rulewright.rules import Arrangement

MAX_SHOWN = 12
"""Maximum number of classes that the comment of an export lists."""

MAX_NAME = 100
"""Maximum number of characters of a name in the comment of an export."""


class ExportedModel(Protocol):
    """What an export reads of a model."""

    @property
    def body(self) -> Arrangement:
        """The arrangement of rules."""

    @property
    def columns(self) -> tuple[Field, ...]:
        """All columns of the training data."""

    @property
    def target(self) -> str | None:
        """Name of the column that held the answers."""

    @property
    def certificate(self) -> Any:
        """The certificate, or None."""

    @property
    def class_costs(self) -> tuple[float, ...] | None:
        """Costs of misclassifying a case of each class, if the model was chosen by costs."""

    @property
    def exported_answers(self) -> ExportedAnswers:
        """What the model answers."""

    def rule_headline(self, answer: int) -> str:
        """Text of a rule's condition."""


def program_of(model: ExportedModel, *, reasons: bool = True) -> ModelProgram:
    """Return the program of a model.

    Parameters
    ----------
    model : ExportedModel
    reasons : bool, default=True
        Whether the program holds the text of each rule.
    """
    body = model.body
    used = set(body.columns)
    inputs = Inputs({field.name: field for field in model.columns if field.name in used})
    answers, probabilities, label = model.exported_answers
    choice = lowered_choice(body, inputs)
    if isinstance(choice, BandForm):
        probabilities = tuple(_filled(row, len(answers)) for row in choice.probabilities)
    return ModelProgram(
        inputs=inputs.fields,
        choice=choice,
        answers=tuple(map(_plain_label, answers)),
        outputs=body.outputs,
        probabilities=probabilities,
        reasons=tuple(map(model.rule_headline, range(len(body.outputs)))) if reasons else (),
        abstain_label=label,
        head=tuple(head_lines(model)),
    )


def _filled(shares: tuple[float, ...], classes: int) -> tuple[float, ...]:
    """Return the probabilities of all classes: 0 for those that are never answered."""
    return (*shares, *[0.0] * (classes - len(shares)))


def _plain_label(label: Any) -> str | int | float | bool:
    """Return a label as a plain object; others than text, numbers and Booleans are refused."""
    plain = label.item() if hasattr(label, "item") else label
    if not isinstance(plain, str | int | float | bool):
        raise UnrenderableError(
            f"Classes must be text, numbers or Booleans; {plain!r:.80} is a "
            f"{type(plain).__name__}. Train on such labels to export the model."
        )
    return plain


def head_lines(model: ExportedModel) -> list[str]:
    """Return lines about a model: what it is, what it answers, and its certificate."""
    body, given = model.body, model.exported_answers
    used = count_text(len(body.columns), "column")
    lines = [f"Rulewright model: {summary_text(body)} on {used}."]
    lines.append(f"Target: {'not named' if model.target is None else _quoted(model.target)}.")
    if given.probabilities:
        lines.append(f"Classes: {_listed([str(label) for label in given.answers])}.")
    else:
        lines.append(f"Answers: {count_text(len(given.answers), 'number')}, one for each leaf.")
    lines.append(f"Certificate: {_certificate_text(model)}")
    return lines


def _certificate_text(model: ExportedModel) -> str:
    """Return what a certificate says: the cost first, where classes have costs."""
    certificate, costs = model.certificate, model.class_costs
    if certificate is None:
        return "none"
    sentence = error_text(certificate, costs)
    if costs is not None:
        labels = list(map(class_text, model.exported_answers.answers))
        sentence = f"{cost_sentence_text(certificate, costs, labels)} {sentence}"
    return " ".join(sentence.split())


def _listed(texts: Sequence[str]) -> str:
    shown = ", ".join(map(_quoted, texts[:MAX_SHOWN]))
    more = len(texts) - MAX_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _quoted(text: str) -> str:
    return f'"{text}"' if len(text) <= MAX_NAME else f'"{text[:MAX_NAME]}..."'


def check_line(name: str) -> str:
    """Return the line that says how to check an export."""
    return f"Check: rulewright export MODEL --to {name} --check DATA"
