"""Forms: the settings of the learners as fields, and what a person entered as a command."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from rulewright.errors import InputError, preview
from rulewright.render import ExportOption, export_options
from rulewright.workbench.session import StoredModel, StoredTable

FieldKind = Literal["switch", "choice", "number", "text", "lines"]
USES = ("categorical", "drop", "group", "time")
"""What else a column can be used for than what it is read as."""


@dataclass(frozen=True)
class OptionField:
    """An option of a learner on the page.

    Attributes
    ----------
    flag, off : str
        The option on the command line, and of a switch the option that turns it off.
    help : str
    kind : str
        "lines" is an option that may be given several times: one value a line.
    default : str
        The default as text; empty where there is none.
    choices : tuple of str
    group : str
        Heading; empty for the options that only this learner has.
    """

    flag: str
    off: str
    help: str
    kind: FieldKind
    default: str
    choices: tuple[str, ...]
    group: str

    def arguments(self, value: str) -> list[str]:
        """Return what a person entered as arguments; none where it is the default."""
        if self.kind == "lines":
            lines = [line.strip() for line in value.splitlines()]
            return [word for line in lines if line for word in self._argument(line)]
        given = value.strip()
        if given in ("", self.default):
            return []
        if self.kind == "switch":
            return [self.flag if given == "True" else self.off]
        if self.choices and given not in self.choices:
            known = preview(list(self.choices), max_values=20)
            raise InputError(f"{self.flag} must be one of {known}, got {given!r}.")
        return self._argument(given)

    def _argument(self, value: str) -> list[str]:
        # One word, so that a value that begins with a hyphen is not taken for an option.
        return [f"{self.flag}={value}"] if self.flag.startswith("--") else [self.flag, value]


@dataclass(frozen=True)
class LearnerForm:
    """A learner on the page: its name, its summary and its options."""

    name: str
    summary: str
    options: tuple[OptionField, ...]

    @property
    def groups(self) -> dict[str, list[OptionField]]:
        """The options by heading, those of this learner alone first."""
        found: dict[str, list[OptionField]] = {"": []}
        for option in self.options:
            found.setdefault(option.group, []).append(option)
        return found

    def arguments(self, given: Mapping[str, str]) -> list[str]:
        """Return what a person entered as arguments."""
        known = {option.flag: option for option in self.options}
        strange = [flag for flag in given if flag not in known]
        if strange:
            raise InputError(f"The learner {self.name} has no option {strange[0]!r}.")
        return [word for flag, value in given.items() for word in known[flag].arguments(value)]


def fit_arguments(
    table: StoredTable, form: LearnerForm, given: Mapping[str, Any], folder: Path
) -> list[str]:
    """Return the command that fits a model.

    Parameters
    ----------
    table : StoredTable
    form : LearnerForm
    given : mapping
        What the page sent: the target, the options by flag, the use of columns by name, columns
        by which errors are shown, and whether rows without a class are left out.
    folder : Path
        Where the model and its report go.
    """
    uses = texts_in(given.get("uses", {}), "uses")
    strange = [use for use in uses.values() if use not in USES]
    if strange:
        raise InputError(f"The use of a column must be one of {', '.join(USES)}.")
    return [
        "fit",
        *data_arguments(table),
        f"--target={text_in(given, 'target')}",
        f"--learner={form.name}",
        *form.arguments(texts_in(given.get("options", {}), "options")),
        *(f"--{use}={column}" for column, use in uses.items()),
        *(f"--by={column}" for column in names_in(given, "by")),
        *(["--drop-unlabelled"] if given.get("drop_unlabelled") is True else []),
        f"--out={folder / 'model.json'}",
        f"--report={folder / 'report.html'}",
        "--front",
        "--json",
    ]


def certify_arguments(
    table: StoredTable, target: str, original: StoredModel, model: StoredModel
) -> list[str]:
    """Return the command that certifies edited rules."""
    return [
        "certify",
        str(model.rules),
        *data_arguments(table),
        f"--target={target}",
        f"--like={original.path}",
        f"--out={model.path}",
        f"--report={model.folder / 'report.html'}",
        "--json",
    ]


def check_arguments(table: StoredTable, target: str, model: StoredModel) -> list[str]:
    """Return the command that checks a certificate and writes a report."""
    return [
        "certify",
        str(model.path),
        *data_arguments(table),
        f"--target={target}",
        f"--report={model.check.product}",
        "--json",
    ]


def size_arguments(original: StoredModel, size: int, model: StoredModel) -> list[str]:
    """Return the command that takes another size of a model."""
    return ["show", str(original.path), f"--size={size}", f"--out={model.path}", "--json"]


def data_arguments(table: StoredTable) -> list[str]:
    """Return a table as arguments."""
    return [str(table.path), *([f"--table={table.table}"] if table.table else [])]


def text_in(given: Mapping[str, Any], name: str) -> str:
    """Return a member that must be a text."""
    value = given.get(name)
    if not isinstance(value, str) or not value:
        raise InputError(f"{name!r} must be a text, and not empty.")
    return value


def names_in(given: Mapping[str, Any], name: str) -> list[str]:
    """Return a member that must be a list of texts; none where it is absent."""
    value = given.get(name, [])
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise InputError(f"{name!r} must be a list of texts.")
    return value


def export_values(form: str, given: Mapping[str, str]) -> dict[str, Any]:
    """Return the options of an export from what the page sent; empty ones have their default."""
    known = export_options(form)
    strange = [name for name in given if name not in known]
    if strange:
        raise InputError(f"The form {form} has no option {strange[0]!r}.")
    return {name: _export_value(known[name], text) for name, text in given.items() if text.strip()}


def _export_value(option: ExportOption, text: str) -> Any:
    if option.several:
        return [line.strip() for line in text.splitlines() if line.strip()]
    try:
        return option.value(text.strip())
    except InputError as error:
        raise InputError(f"{option.name}: {error}") from error


def texts_in(given: Any, name: str) -> dict[str, str]:
    """Return a member that must be an object of texts."""
    if not isinstance(given, dict) or not all(isinstance(v, str) for v in given.values()):
        raise InputError(f"{name!r} must be an object of texts.")
    return given
