"""Certificates: a bound on a model's error, with all that is needed to check it again."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import Message, class_tail, compression_tail
from rulewright.data import Field
from rulewright.errors import CertificateError, InputError, ModelFileError
from rulewright.families import Family, family_from_json
from rulewright.models.checking import (
    check_bound,
    check_columns,
    check_errors,
    check_examples,
    check_rebuilding,
    check_sizes,
    measured_families,
    rows_aside,
)
from rulewright.models.message import message_of
from rulewright.models.rebuilding import compress
from rulewright.render import certificate_text
from rulewright.rules import Arrangement, functions_of

if TYPE_CHECKING:
    from rulewright.models.model import Model


@dataclass(frozen=True)
class Certificate:
    """What is promised about a model's error on new cases, and from what it follows.

    With probability at least ``1 - delta`` over the drawing of the training sample, a new case
    drawn from the same source is misjudged with probability at most ``bound``.

    Attributes
    ----------
    bound : float
        The promise: the error rate is at most this.
    delta : float
        The probability that the promise fails.
    counts : tuple of int
        Training examples of each class.
    wrong : tuple of int
        Examples of each class that are misjudged, outside those that rebuild the model.
    roles : dict of str to tuple of int
        Training rows that rebuild the model, by the role they play, numbered from 0.
    role_counts : dict of str to tuple of int
        How many of these are of each class.
    aside : tuple of int
        Examples of each class that were set aside to measure the columns' scales, and play no role.
    message : tuple of (str, float)
        What must be said besides, each with its price in nats.
    families : tuple of Family
        Kinds of predicates the search could choose from.
    kinds : int
        Kinds of arrangement the search could choose from.
    implied : bool
        Whether borders follow from the examples, so that the message need not name them.
    form : str
        "tail": from the training sample itself.
    """

    bound: float
    delta: float
    counts: tuple[int, ...]
    wrong: tuple[int, ...]
    roles: dict[str, tuple[int, ...]]
    role_counts: dict[str, tuple[int, ...]]
    aside: tuple[int, ...]
    message: Message
    families: tuple[Family, ...]
    kinds: int = 1
    implied: bool = False
    form: str = "tail"

    @property
    def m(self) -> int:
        """Training examples."""
        return sum(self.counts)

    @property
    def errors(self) -> int:
        """Training examples misjudged, outside those that rebuild the model."""
        return sum(self.wrong)

    @property
    def others(self) -> int:
        """Training examples that the model was tested on: those that it does not depend on."""
        return self.m - len(self.examples) - sum(self.aside)

    @property
    def examples(self) -> tuple[int, ...]:
        """Training rows that rebuild the model, in increasing order."""
        return tuple(sorted(row for rows in self.roles.values() for row in rows))

    @property
    def message_nats(self) -> float:
        """Length of the message that, with the examples, rebuilds the model."""
        return math.fsum(nats for _, nats in self.message)

    @property
    def miss_rate_bound(self) -> float | None:
        """Bound on the share of positives that are misjudged, together with the false alarms.

        The positives are the second class; None where there are more than two.
        """
        return self._class_bounds()[0] if len(self.counts) == 2 else None

    @property
    def false_alarm_bound(self) -> float | None:
        """Bound on the share of negatives that are misjudged, together with the misses."""
        return self._class_bounds()[1] if len(self.counts) == 2 else None

    @property
    def printed_bound(self) -> float | None:
        """The papers' own formula where one applies; never a promise, and None for thresholds."""
        return None

    def _class_bounds(self) -> tuple[float, float]:
        roles_n, roles_p = zip(*self.role_counts.values(), strict=True)
        return class_tail(
            m_p=self.counts[1],
            m_n=self.counts[0],
            roles_p=roles_p,
            roles_n=roles_n,
            k_p=self.wrong[1],
            k_n=self.wrong[0],
            log_message=self.message_nats,
            delta=self.delta,
            aside_p=self.aside[1],
            aside_n=self.aside[0],
        )

    def recomputed_bound(self) -> float:
        """Compute the bound again from the counts."""
        return compression_tail(
            m=self.m,
            roles=[len(rows) for rows in self.roles.values()],
            k=self.errors,
            log_message=self.message_nats,
            delta=self.delta,
            aside=sum(self.aside),
        )

    def __str__(self) -> str:
        return certificate_text(
            bound=self.bound,
            delta=self.delta,
            examples=len(self.examples),
            bits=self.message_nats / math.log(2),
            others=self.others,
            errors=self.errors,
            guess=1 - max(self.counts) / self.m if self.m else 0.0,
        )

    def verify(self, model: Model, X: Any, y: Any, sample_weight: Any = None) -> None:
        """Check the certificate against the model and the training data, without fitting again.

        Every rule must be one that the families make from the row it is anchored on; the errors are
        counted again, and the message and the bound are computed again. What was offered to the
        learner (columns, families, kinds) is taken from the model and the certificate.

        Parameters
        ----------
        model : Model
        X, y : the training data with all its columns, its rows in the same order
        sample_weight : array
            The weights that the fit was given, if any: rows of weight zero count as absent.

        Raises
        ------
        CertificateError
            With the reason, if anything does not agree.
        """
        table = model.table(X, every=True)
        codes = model.codes(y)
        if codes.size != table.rows:
            raise CertificateError(f"There are {table.rows} rows but {codes.size} labels.")
        kept = kept_rows(sample_weight, table.rows)
        if kept.size < table.rows:
            table, codes = table.take(kept), codes[kept]
        training = table.observed()
        check_sizes(self, model, codes)
        check_columns(model, training)
        body = check_examples(self, model, kept)
        families = measured_families(self, training, functions_of(model.body))
        check_rebuilding(self, body, training, codes, kept, families)
        check_errors(self, body, training, codes, families)
        check_bound(self, body, model, codes, families)

    def to_json(self) -> dict[str, Any]:
        """Make a JSON object of it."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        for name in ("counts", "wrong", "aside"):
            data[name] = list(data[name])
        for name in ("roles", "role_counts"):
            data[name] = {role: list(numbers) for role, numbers in data[name].items()}
        data["message"] = [[what, nats] for what, nats in self.message]
        data["families"] = [family.to_json() for family in self.families]
        return data

    @classmethod
    def from_json(cls, data: Any) -> Certificate:
        """Make a certificate of a JSON object, or say what is wrong with it."""
        return cls(**_read(data))


def kept_rows(sample_weight: Any, rows: int) -> NDArray[np.intp]:
    """Rows that a fit with these weights learns from: all but those of weight zero."""
    if sample_weight is None:
        return np.arange(rows)
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (rows,):
        raise InputError(f"{rows} rows need as many weights; found shape {weight.shape}.")
    return np.flatnonzero(weight > 0)


def certify(
    body: Arrangement,
    columns: Sequence[Field],
    *,
    families: Sequence[Family],
    y: NDArray[np.int32],
    right: NDArray[np.bool_],
    classes: int,
    kinds: int = 1,
    implied: bool = False,
    delta: float = 0.05,
    counts: tuple[int, ...] | None = None,
) -> Certificate:
    """Make the certificate of a model from its training labels and which of them it got right.

    ``counts``, the examples of each class, need not be counted again where they are known.
    """
    said = compress(body, y, families, implied=implied)
    places = np.array(said.places, np.intp)
    aside = np.setdiff1d(np.flatnonzero(rows_aside(families, y.size)), places)
    wrong = ~right
    wrong[places] = wrong[aside] = False
    certificate = Certificate(
        bound=1.0,
        delta=delta,
        counts=counts or _by_class(y, classes),
        wrong=_by_class(y[wrong], classes),
        roles=said.roles,
        role_counts={
            role: _by_class(y[np.array(rows, np.intp)], classes)
            for role, rows in said.roles.items()
        },
        aside=_by_class(y[aside], classes),
        message=message_of(said, y[places], columns, families, kinds=kinds, classes=classes),
        families=tuple(families),
        kinds=kinds,
        implied=implied,
    )
    return replace(certificate, bound=certificate.recomputed_bound())


def _by_class(y: NDArray[np.int32], classes: int) -> tuple[int, ...]:
    return tuple(np.bincount(y, minlength=classes).tolist())


def _read(data: Any) -> dict[str, Any]:
    _need(isinstance(data, dict), "it is not an object")
    names = {f.name for f in fields(Certificate)}
    _need(set(data) == names, f"its members are not {', '.join(sorted(names))}")
    for name in ("bound", "delta"):
        _need(type(data[name]) in (int, float), f"{name} must be a number")
    _need(0 <= data["bound"] <= 1, "bound must be from 0 to 1")
    _need(0 < data["delta"] < 1, "delta must be between 0 and 1")
    _need(1 <= _whole(data["kinds"]) <= 2, "kinds must be 1 or 2")
    _need(type(data["implied"]) is bool, "implied must be true or false")
    _need(data["form"] == "tail", "no other form than 'tail' is known")
    roles, role_counts = data["roles"], data["role_counts"]
    _need(isinstance(roles, dict) and isinstance(role_counts, dict), "roles must be objects")
    _need(list(roles) == list(role_counts), "roles and role_counts must name the same")
    read = {
        **data,
        "roles": {name: _wholes(rows) for name, rows in roles.items()},
        "role_counts": {name: _wholes(counts) for name, counts in role_counts.items()},
        "message": tuple(_priced(part) for part in _items(data["message"])),
        "families": tuple(family_from_json(f, {}) for f in _items(data["families"])),
        **{name: _wholes(data[name]) for name in ("counts", "wrong", "aside")},
    }
    _check_counts(read)
    return read


def _wholes(value: Any) -> tuple[int, ...]:
    return tuple(map(_whole, _items(value)))


def _check_counts(read: dict[str, Any]) -> None:
    counts, roles, role_counts = read["counts"], read["roles"], read["role_counts"]
    columns = [read["wrong"], read["aside"], *role_counts.values()]
    fitting = (
        len(counts) >= 2
        and all(len(column) == len(counts) for column in columns)
        and all(sum(role_counts[name]) == len(rows) for name, rows in roles.items())
        and all(sum(used) <= count for count, *used in zip(counts, *columns, strict=True))
    )
    _need(fitting, "its counts do not fit together")


def _need(condition: bool, otherwise: str) -> None:
    if not condition:
        raise ModelFileError(f"the certificate cannot be read: {otherwise}.")


def _items(value: Any) -> list[Any]:
    _need(isinstance(value, list), "a list is missing")
    return list(value)


def _whole(value: Any) -> int:
    _need(type(value) is int and 0 <= value < 2**53, "a count or row must be a whole number")
    return int(value)


def _text(value: Any) -> str:
    _need(isinstance(value, str), "a name must be text")
    return str(value)


def _priced(part: Any) -> tuple[str, float]:
    match part:
        case [str(what), int() | float() as nats] if 0 <= nats < 2**53:
            return what, float(nats)
    raise ModelFileError("the certificate cannot be read: a part of the message has no price.")
