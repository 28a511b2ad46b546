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
from rulewright.families import Family
from rulewright.models.checking import (
    check_bound,
    check_columns,
    check_errors,
    check_examples,
    check_predicates,
    check_sizes,
)
from rulewright.models.message import message_of
from rulewright.render import certificate_text
from rulewright.rules import Arrangement

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
    m, positives : int
        Training examples, and how many of them are of the second class.
    misses, false_alarms : int
        Positives and negatives misjudged, outside the examples that rebuild the model.
    roles : dict of str to tuple of int
        Training rows that rebuild the model, by the role they play, numbered from 0.
    positive_roles : dict of str to int
        How many of these are positives.
    message : tuple of (str, float)
        What must be said besides, each with its price in nats.
    families : tuple of str
        Kinds of predicates the search could choose from.
    kinds : int
        Kinds of arrangement the search could choose from.
    form : str
        "tail": from the training sample itself.
    """

    bound: float
    delta: float
    m: int
    positives: int
    misses: int
    false_alarms: int
    roles: dict[str, tuple[int, ...]]
    positive_roles: dict[str, int]
    message: Message
    families: tuple[str, ...]
    kinds: int
    form: str = "tail"

    @property
    def errors(self) -> int:
        """Training examples misjudged, outside those that rebuild the model."""
        return self.misses + self.false_alarms

    @property
    def examples(self) -> tuple[int, ...]:
        """Training rows that rebuild the model, in increasing order."""
        return tuple(sorted(row for rows in self.roles.values() for row in rows))

    @property
    def message_nats(self) -> float:
        """Length of the message that, with the examples, rebuilds the model."""
        return math.fsum(nats for _, nats in self.message)

    @property
    def miss_rate_bound(self) -> float:
        """Bound on the share of positives that are misjudged, together with the false alarms."""
        return self._class_bounds()[0]

    @property
    def false_alarm_bound(self) -> float:
        """Bound on the share of negatives that are misjudged, together with the misses."""
        return self._class_bounds()[1]

    @property
    def printed_bound(self) -> float | None:
        """The papers' own formula where one applies; never a promise, and None for thresholds."""
        return None

    def _class_bounds(self) -> tuple[float, float]:
        roles_p = list(self.positive_roles.values())
        sizes = [len(rows) for rows in self.roles.values()]
        return class_tail(
            m_p=self.positives,
            m_n=self.m - self.positives,
            roles_p=roles_p,
            roles_n=[size - p for size, p in zip(sizes, roles_p, strict=True)],
            k_p=self.misses,
            k_n=self.false_alarms,
            log_message=self.message_nats,
            delta=self.delta,
        )

    def recomputed_bound(self) -> float:
        """Compute the bound again from the counts."""
        return compression_tail(
            m=self.m,
            roles=[len(rows) for rows in self.roles.values()],
            k=self.errors,
            log_message=self.message_nats,
            delta=self.delta,
        )

    def __str__(self) -> str:
        return certificate_text(
            bound=self.bound,
            delta=self.delta,
            examples=len(self.examples),
            bits=self.message_nats / math.log(2),
            others=self.m - len(self.examples),
            errors=self.errors,
            guess=min(self.positives, self.m - self.positives) / self.m if self.m else 0.0,
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
        check_predicates(self, body, training)
        check_errors(self, body, training, codes)
        check_bound(self, model)

    def to_json(self) -> dict[str, Any]:
        """Make a JSON object of it."""
        data = {f.name: getattr(self, f.name) for f in fields(self)}
        data["roles"] = {name: list(rows) for name, rows in self.roles.items()}
        data["message"] = [[what, nats] for what, nats in self.message]
        data["families"] = list(self.families)
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
    kinds: int,
    anchor_labels: NDArray[np.int32],
    m: int,
    positives: int,
    misses: int,
    false_alarms: int,
    delta: float,
) -> Certificate:
    """Make the certificate of a conjunction or disjunction from its training counts.

    ``anchor_labels`` are the labels of ``body.anchors``; the errors are those outside of them.
    """
    certificate = Certificate(
        bound=1.0,
        delta=delta,
        m=m,
        positives=positives,
        misses=misses,
        false_alarms=false_alarms,
        roles={"anchors": body.anchors},
        positive_roles={"anchors": int((anchor_labels == 1).sum())},
        message=message_of(body, columns, families, kinds),
        families=tuple(family.name for family in families),
        kinds=kinds,
    )
    return replace(certificate, bound=certificate.recomputed_bound())


def _read(data: Any) -> dict[str, Any]:
    _need(isinstance(data, dict), "it is not an object")
    names = {f.name for f in fields(Certificate)}
    _need(set(data) == names, f"its members are not {', '.join(sorted(names))}")
    for name in ("m", "positives", "misses", "false_alarms", "kinds"):
        _whole(data[name])
    for name in ("bound", "delta"):
        _need(type(data[name]) in (int, float), f"{name} must be a number")
    _need(0 <= data["bound"] <= 1, "bound must be from 0 to 1")
    _need(0 < data["delta"] < 1, "delta must be between 0 and 1")
    _need(1 <= data["kinds"] <= 2, "kinds must be 1 or 2")
    _need(data["form"] == "tail", "no other form than 'tail' is known")
    roles, positive_roles = data["roles"], data["positive_roles"]
    _need(isinstance(roles, dict) and isinstance(positive_roles, dict), "roles must be objects")
    _need(list(roles) == list(positive_roles), "roles and positive_roles must name the same")
    read = {
        **data,
        "roles": {name: tuple(map(_whole, _items(rows))) for name, rows in roles.items()},
        "positive_roles": {name: _whole(count) for name, count in positive_roles.items()},
        "message": tuple(_priced(part) for part in _items(data["message"])),
        "families": tuple(_text(name) for name in _items(data["families"])),
    }
    _check_counts(read)
    return read


def _check_counts(read: dict[str, Any]) -> None:
    sizes = [len(rows) for rows in read["roles"].values()]
    positive = list(read["positive_roles"].values())
    negatives = read["m"] - read["positives"]
    _need(
        all(p <= size for p, size in zip(positive, sizes, strict=True))
        and read["misses"] <= read["positives"] - sum(positive)
        and read["false_alarms"] <= negatives - (sum(sizes) - sum(positive)),
        "its counts do not fit together",
    )


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
