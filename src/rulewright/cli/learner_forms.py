"""The learners as forms of the workbench, made from their settings."""

from __future__ import annotations

from typing import Any

from rulewright.cli.learner_options import flag_of
from rulewright.learners import Option, Settings, options_of
from rulewright.selection import LEARNERS
from rulewright.workbench import FieldKind, LearnerForm, OptionField


def learner_forms() -> list[LearnerForm]:
    """Return all learners with the options that they have on the command line."""
    return [_form(settings) for settings in LEARNERS.values()]


def _form(settings: type[Settings]) -> LearnerForm:
    fields = [
        _field(name, default, option)
        for name, (default, option) in options_of(settings).items()
        if option.parse is not None
    ]
    return LearnerForm(settings.learner, settings.summary, tuple(fields))


def _field(name: str, default: Any, option: Option) -> OptionField:
    flag = flag_of(name)
    return OptionField(
        flag=flag,
        off=f"--no-{flag.lstrip('-')}",
        help=option.help,
        kind=_kind(default, option),
        default="" if default is None else str(default),
        choices=option.choices,
        group=option.group,
    )


def _kind(default: Any, option: Option) -> FieldKind:
    if isinstance(default, bool):
        return "switch"
    if option.repeatable:
        return "lines"
    if option.choices:
        return "choice"
    return "number" if option.parse in (int, float) else "text"
