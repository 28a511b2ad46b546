"""Model files: JSON with a version. Every member of a file is checked when it is read.

A reader of certificates is an argument: ``rulewright.certificates`` has one.
"""

from __future__ import annotations

import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, get_args

from rulewright.data import CategoryOrder, Field, Kind, write_atomically
from rulewright.errors import FileError, InputError, ModelFileError
from rulewright.models.model import Label, Model, ModelCertificate
from rulewright.models.profile import read_profile
from rulewright.models.regression import RegressionModel
from rulewright.render import register_renderer
from rulewright.rules import Tree, decode, encode

FORMAT = "rulewright-model"
VERSION = 1
MAX_INDENTED = 1_000_000
"""Length of the longest text that is indented, which takes six times as long as not to."""

MODEL_START = re.compile(rf'\s*{{\s*"format"\s*:\s*"{FORMAT}"')
REGRESSION = "regression"
"""The task in the file of a regression model; the file of a classifier has none."""

MAX_CATEGORIES = 2**31 - 1
"""Maximum number of categories of a column: a table numbers them with 32 bits."""

CertificateReader = Callable[[Any], ModelCertificate]
"""Makes a certificate of a JSON object, and checks it."""
AnyReader = Callable[[Any], Any]
"""The same for the certificate of a regression model."""

CLASSIFIER_MEMBERS = ("target", "classes", "named", "columns", "body", "evidence", "certificate")
FRONT = "front"
SHARED = ("format", "version", "made_by", "target", "classes", "named", "columns", "class_costs")
"""Members that models of all sizes in a file have in common."""
REGRESSION_MEMBERS = ("target", "named", "columns", "body", "values", "evidence")


class SizedModel(Protocol):
    """A model of a certain size; ``rulewright.certificates.PathEntry`` is one."""

    @property
    def size(self) -> int:
        """Number of steps that it took: rules, or leaves of a tree."""

    @property
    def model(self) -> Model:
        """The model with its certificate."""

    @property
    def errors(self) -> int:
        """Training examples that it misclassifies."""

    @property
    def usefulness(self) -> float:
        """Score of the last step."""


def save_model(
    model: Model | RegressionModel,
    path: str | os.PathLike[str],
    *,
    front: Sequence[SizedModel] = (),
) -> None:
    """Write a model, and its certificate if it has one, to a JSON file.

    Parameters
    ----------
    model : Model or RegressionModel
    path : path of the file
    front : sequence of PathEntry
        Other sizes of the model, such as ``front_`` of ``AutoClassifier``; ``load_front`` reads
        them.
    """
    text = model_text(model, front)
    with write_atomically(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def model_text(model: Model | RegressionModel, front: Sequence[SizedModel] = ()) -> str:
    """Return the text of a model file."""
    data = to_json(model)
    if front:
        data[FRONT] = [_front_to_json(entry) for entry in front]
    text = json.dumps(data, ensure_ascii=False, allow_nan=False)
    if len(text) <= MAX_INDENTED:
        text = json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)
    broken = _broken(text)
    if broken:
        raise InputError(f"A name or value holds {broken}: rename it to save the model.")
    return f"{text}\n"


def _front_to_json(entry: SizedModel) -> dict[str, Any]:
    """Return what a model of another size has of its own."""
    members = {name: each for name, each in to_json(entry.model).items() if name not in SHARED}
    return {
        "size": entry.size,
        "errors": entry.errors,
        "usefulness": entry.usefulness if math.isfinite(entry.usefulness) else None,
        **members,
    }


register_renderer("json", model_text)


def is_model_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file starts like a model file."""
    try:
        with Path(path).open(encoding="utf-8") as file:
            return MODEL_START.match(file.read(200)) is not None
    except (OSError, UnicodeDecodeError):
        return False


def read_model(
    path: str | os.PathLike[str],
    read_certificate: CertificateReader,
    read_regression_certificate: AnyReader,
    functions: Mapping[str, Callable[..., Any]] | None = None,
) -> Model | RegressionModel:
    """Return the model of a JSON file that ``save_model`` wrote.

    Parameters
    ----------
    path : path of the file
    read_certificate, read_regression_certificate : functions of a JSON object
        Readers of the certificate of a classifier, and of a regression model.
    functions : dict of str to function
        The functions that the model calls, by name.
    """
    with errors_of_file(path):
        data = read_data(path)
        found = model_from_json(data, read_certificate, read_regression_certificate)
        return found.bound_to(functions or {})


@contextmanager
def errors_of_file(path: str | os.PathLike[str]) -> Iterator[None]:
    """Put the name of a file before the message of an error in it."""
    try:
        yield
    except ModelFileError as error:
        raise ModelFileError(f"{Path(path).name}: {error}") from error


def read_data(path: str | os.PathLike[str]) -> Any:
    """Return the JSON value of a model file."""
    path = Path(path)
    try:
        text = sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"Cannot read {str(path)!r}: {error.strerror or error}. Check the path."
        ) from error
    except UnicodeDecodeError as error:
        raise ModelFileError("this is not a model file: it is not UTF-8 text.") from error
    return _parse(text)


def _parse(text: str) -> Any:
    def no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = dict(pairs)
        if len(names) < len(pairs):
            raise ModelFileError("this is not a model file: an object has a member twice.")
        return names

    def no_constant(name: str) -> Any:
        raise ModelFileError(f"this is not a model file: {name} is not a number in JSON.")

    try:
        data = json.loads(text, object_pairs_hook=no_repeats, parse_constant=no_constant)
        broken = _broken(json.dumps(data, ensure_ascii=False))
        if broken:
            raise ModelFileError(f"a name or value holds {broken}.")
        return data
    except ModelFileError:
        raise
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deep" if isinstance(error, RecursionError) else str(error)
        raise ModelFileError(
            f"this is not a model file, or it was cut off: {reason}. Save the model again."
        ) from error


def _broken(text: str) -> str | None:
    """Return the first character that UTF-8 cannot encode, None if there is none."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        return f"{text[error.start]!r}, which is not a character"
    return None


def to_json(model: Model | RegressionModel) -> dict[str, Any]:
    """Return a model as a JSON object."""
    head = {"format": FORMAT, "version": VERSION, "made_by": f"rulewright {_own_version()}"}
    columns = [_field_to_json(column) for column in model.columns]
    if isinstance(model, RegressionModel):
        return {
            **head,
            "task": REGRESSION,
            "target": model.target,
            "named": model.named,
            "columns": columns,
            "body": encode(model.body),
            "values": list(model.values),
            "evidence": [list(row) for row in model.evidence],
            **_regression_certificate(model),
            **_profile(model),
        }
    unsupported = [label for label in model.classes if not isinstance(label, Label)]
    if unsupported:
        raise InputError(
            "A model file holds classes that are text, numbers or Booleans; "
            f"{unsupported[0]!r} is a {type(unsupported[0]).__name__}. Train on such labels to "
            "save the model."
        )
    certificate: ModelCertificate | None = model.certificate
    return {
        **head,
        "target": model.target,
        "classes": list(model.classes),
        "named": model.named,
        "columns": columns,
        "body": encode(model.body),
        "evidence": [list(row) for row in model.evidence],
        "certificate": None if certificate is None else certificate.to_json(),
        **_profile(model),
        **({} if model.class_costs is None else {"class_costs": list(model.class_costs)}),
    }


def _profile(model: Model | RegressionModel) -> dict[str, Any]:
    """The member of the training profile, which files of earlier versions do not have."""
    return {} if model.profile is None else {"profile": model.profile.to_json(model.columns)}


def _regression_certificate(model: RegressionModel) -> dict[str, Any]:
    """The member of a certificate, which files of regression models need not have."""
    certificate = model.certificate
    return {} if certificate is None else {"certificate": certificate.to_json()}


def model_from_json(
    data: Any, read_certificate: CertificateReader, read_regression_certificate: AnyReader
) -> Model | RegressionModel:
    """Return the model of a JSON object.

    Raises
    ------
    ModelFileError
        If the object is not a model, or a member of it is wrong.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise ModelFileError("this is not a model file of this library.")
    if type(data.get("version")) is not int or data["version"] < 1:
        raise ModelFileError("the file has no version.")
    if data["version"] > VERSION:
        raise ModelFileError(
            f"the file has version {data['version']}, written by {data.get('made_by')!s:.60}; this "
            f"version of rulewright reads up to {VERSION}. Upgrade: pip install -U rulewright"
        )
    if data.get("task", REGRESSION) != REGRESSION:
        raise ModelFileError(f"'task' must be {REGRESSION!r}, or absent for a classifier.")
    is_regression = "task" in data
    _check_members(data, REGRESSION_MEMBERS if is_regression else CLASSIFIER_MEMBERS)
    try:
        if is_regression:
            return _regression(data, read_regression_certificate)
        return _classifier(data, read_certificate)
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"the parts of the file do not fit together: {error}.") from error


def _check_members(data: dict[str, Any], members: Sequence[str]) -> None:
    absent = sorted(set(members) - set(data))
    if absent:
        raise ModelFileError(f"the file lacks {absent[0]!r}.")
    if not (data["target"] is None or isinstance(data["target"], str)):
        raise ModelFileError("'target' must be text or null.")
    if not isinstance(data["named"], bool):
        raise ModelFileError("'named' must be true or false.")


def _classifier(data: dict[str, Any], read_certificate: CertificateReader) -> Model:
    certificate, columns, body = data["certificate"], _fields(data["columns"]), decode(data["body"])
    return Model(
        columns=columns,
        classes=tuple(_label(label) for label in _list(data["classes"], "classes")),
        body=body,
        evidence=tuple(
            tuple(_weight(w) for w in _list(row, "evidence"))
            for row in _list(data["evidence"], "evidence")
        ),
        target=data["target"],
        named=data["named"],
        certificate=None if certificate is None else read_certificate(certificate),
        profile=read_profile(data.get("profile"), columns, len(body.outputs)),
        class_costs=_costs(data.get("class_costs")),
    )


def _costs(data: Any) -> tuple[float, ...] | None:
    if data is None:
        return None
    costs = tuple(_finite(cost, "class_costs") for cost in _list(data, "class_costs"))
    if min(costs, default=1.0) <= 0:
        raise ModelFileError("'class_costs' must hold numbers above 0.")
    return costs


def _regression(data: dict[str, Any], read_certificate: AnyReader) -> RegressionModel:
    certificate, columns = data.get("certificate"), _fields(data["columns"])
    body = decode(data["body"], Tree)
    return RegressionModel(
        columns=columns,
        body=body,
        values=tuple(_finite(value, "values") for value in _list(data["values"], "values")),
        evidence=tuple(_weight_and_spread(row) for row in _list(data["evidence"], "evidence")),
        target=data["target"],
        named=data["named"],
        certificate=None if certificate is None else read_certificate(certificate),
        profile=read_profile(data.get("profile"), columns, len(body.outputs)),
    )


def _own_version() -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415

    try:
        return version("rulewright")
    except PackageNotFoundError:
        return "(not installed)"


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise ModelFileError(f"'{what}' must be a list.")
    return value


def _label(value: Any) -> Label:
    if not isinstance(value, str | int | float | bool) or value in (math.inf, -math.inf):
        raise ModelFileError("a class must be text, a number or a Boolean.")
    return value


def _weight(value: Any) -> float:
    if type(value) not in (int, float) or not 0 <= value < 2.0**1000:
        raise ModelFileError("'evidence' must hold numbers of 0 or more.")
    return float(value)


def _weight_and_spread(row: Any) -> tuple[float, float]:
    match row:
        case [weight, spread]:
            return _weight(weight), _finite(spread, "evidence")
    raise ModelFileError("'evidence' must hold a weight and a spread for each leaf.")


def _finite(value: Any, what: str) -> float:
    if type(value) not in (int, float) or not abs(value) <= sys.float_info.max:
        raise ModelFileError(f"'{what}' must hold finite numbers.")
    return float(value)


def _fields(columns: Any) -> tuple[Field, ...]:
    return tuple(_field(column) for column in _list(columns, "columns"))


def _field_to_json(column: Field) -> dict[str, Any]:
    data = {"name": column.name, "kind": column.kind, "categories": column.categories}
    return data if column.order is None else {**data, "order": list(column.order.labels)}


def _order(labels: Any, categories: int, kind: str) -> CategoryOrder:
    texts = isinstance(labels, list) and all(isinstance(label, str) for label in labels)
    ordered = kind in ("text", "code") and texts and len(set(labels)) == len(labels) == categories
    if not ordered:
        raise ModelFileError("'order' must hold each category of its column once, as text.")
    return CategoryOrder(tuple(labels))


def _field(data: Any) -> Field:
    match data:
        case {"name": str(name), "kind": str(kind), "categories": int(categories), **rest} if (
            set(rest) <= {"order"}
            and kind in get_args(Kind)
            and type(categories) is int
            and categories >= 0
        ):
            if categories > MAX_CATEGORIES:
                raise ModelFileError(
                    f"column {name!r:.80} cannot have {categories} categories: a table has at most "
                    f"{MAX_CATEGORIES}."
                )
            order = _order(rest["order"], categories, kind) if "order" in rest else None
            return Field(name, kind, categories, order)  # type: ignore[arg-type]
        case _:
            raise ModelFileError("'columns' must hold objects with name, kind and categories.")
