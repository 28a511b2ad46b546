"""Certificate of a regression model: a bound on its mean error, from check rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from rulewright.bounds import bounded_loss_bound
from rulewright.certificates import parsing
from rulewright.certificates.assumptions import (
    BEFORE,
    SOURCE,
    seed_text,
    seen_columns,
    table_assumptions,
)
from rulewright.certificates.checks import TOLERANCE
from rulewright.certificates.exchangeability import order_cautions
from rulewright.certificates.parsing import need
from rulewright.certificates.pool_record import PoolRecord
from rulewright.certificates.printing import PrintedCertificate
from rulewright.certificates.recipes import check_agreement, check_recipe
from rulewright.certificates.regression_pool import (
    RegressionCandidates,
    RegressionMember,
    RegressionPool,
    RegressionRows,
    make_regression_pool,
    regression_evidence,
    regression_identity,
    run_regression_recipe,
)
from rulewright.certificates.repetition import repetition_cautions
from rulewright.certificates.splits import RowSplit, RowSplitter, make_splitter, usual_splits
from rulewright.certificates.verification import Verification
from rulewright.data import NumericColumn, Table
from rulewright.errors import CertificateError, InputError, ModelFileError
from rulewright.models import RegressionModel, kept_rows, normalised_weight
from rulewright.render import confidence_text, regression_text
from rulewright.rules import NOT_SERIALIZED

Floats = NDArray[np.float64]


@dataclass(frozen=True, repr=False, kw_only=True)
class RegressionCertificate(PoolRecord, PrintedCertificate):
    """A bound on the mean error of a regression model on new cases.

    The error of a case is the distance of the prediction from the target, and at most ``scale``.
    With probability at least ``1 - delta`` over the drawing of the sample, the expected error of a
    new case from the same source is at most ``bound``.

    A recipe learns a pool of candidates from the design rows. The model is one of them, chosen with
    the help of all rows. The bound pays for the choice of the split and of the candidate, which
    ``PoolRecord`` describes.

    Attributes
    ----------
    form : str
        Name of the form, "split".
    bound : float
        The expected error is at most this, in units of the target.
    delta : float
        Probability that the bound fails.
    mean_loss : float
        Mean error on the check rows as a share of the scale, from 0 to 1.
    n : int
        Number of check rows.
    scale : float
        Larger errors count as this, in units of the target.
    cautions : tuple of str
        Reasons not to rely on the certificate. They are printed, and not checked.
    unverified : bool
        Whether it was read from a file, and not compared with data.
    """

    form: ClassVar[str] = "split"
    parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        "bound": parsing.amount,
        "delta": parsing.fraction,
        "mean_loss": parsing.probability,
        "n": parsing.settings,
        "scale": parsing.positive,
        **PoolRecord.record_parsers,
        "cautions": parsing.texts,
    }
    """Parser of each member in JSON."""

    bound: float
    delta: float
    mean_loss: float
    n: int
    scale: float
    cautions: tuple[str, ...] = field(default=(), compare=False)
    unverified: bool = field(default=False, compare=False, repr=False, metadata=NOT_SERIALIZED)

    # The bound, and what is printed.

    def recomputed_bound(self) -> float:
        """Return the bound that the mean loss gives."""
        splits = math.log(self.n_splits)
        share = bounded_loss_bound(self.mean_loss, self.n, self.log_prior, splits, self.delta)
        return self.scale * share

    @property
    def model_nats(self) -> float:
        """Nats that name the model: its split, and its place among the candidates."""
        return math.log(self.n_splits) - self.log_prior

    @property
    def m(self) -> int:
        """Number of rows that the errors are counted on: the check rows."""
        return self.n

    @property
    def rows_used(self) -> int:
        """Number of the check rows that the model depends on: none."""
        return 0

    @property
    def mean_error(self) -> float:
        """Mean error on the check rows in units of the target."""
        return self.scale * self.mean_loss

    @property
    def sentence(self) -> str:
        """The bound and its grounds in words."""
        return regression_text(
            bound=self.bound,
            delta=self.delta,
            mean=self.mean_error,
            scale=self.scale,
            check=self.n,
        )

    @property
    def check_count(self) -> int:
        return self.n

    def __repr__(self) -> str:
        return (
            f"RegressionCertificate(bound={self.bound:.4g}, delta={self.delta:g}, "
            f"mean_error={self.mean_error:.4g}, n={self.n}, scale={self.scale:.4g})"
        )

    def assumptions(self) -> Iterator[str]:
        """Yield what the certificate takes on trust, one sentence each."""
        yield SOURCE
        yield f"The confidence of {confidence_text(self.delta)} was chosen {BEFORE}."
        if self.recipe["parameters"].get("loss_scale") is not None:
            yield f"The loss_scale was chosen {BEFORE}."
        yield "The search tried 1 recipe, and no other recipe was tried on these rows."
        yield seed_text(self.seed)

    # Verification.

    def check(
        self, model: RegressionModel, X: Any, y: Any, sample_weight: Any = None
    ) -> Verification:
        """Check the certificate as ``verify`` does; return the reason if it does not hold."""
        try:
            return self.verify(model, X, y, sample_weight)
        except CertificateError as error:
            return Verification(self, holds=False, reason=str(error))

    def verify(
        self, model: RegressionModel, X: Any, y: Any, sample_weight: Any = None
    ) -> Verification:
        """Check the certificate against the model and the training data.

        The split is drawn again. The recipe is run again on the design rows, which must find the
        same candidates, and the model among them. The errors on the check rows are measured again,
        and the bound is computed again.

        Parameters
        ----------
        model : RegressionModel
        X, y : the training data with all its columns
            The columns may have another order.
        sample_weight : array
            The weights that the fit was given, if any: rows of weight zero count as absent.

        Returns
        -------
        Verification
            What is taken on trust, and cautions.

        Raises
        ------
        CertificateError
            With the reason, if anything does not agree.
        """
        self.check_numbers()
        table = model.table(X, every=True)
        rows = _rows_of(table, y, sample_weight)
        split = self._split_again(rows)
        pool, found = self._pool_again(rows.take(split.design))
        self._check_place(model, pool)
        check = rows.take(split.check)
        self._check_loss(pool.candidates[self.place - 1], check)
        _check_leaves(model, rows, found.by_median)
        self._check_bound()
        names, kinds = seen_columns(X, model.columns)
        assumptions = (
            *self.assumptions(),
            *table_assumptions(names, kinds, model.columns),
            *_absent_rows(table.rows, rows.target.size),
        )
        cautions = regression_cautions(rows.table, rows.target, model.target)
        return Verification(self, True, "", assumptions, cautions)

    def check_numbers(self) -> None:
        """Check that the numbers agree with each other, the bound aside.

        Raises
        ------
        CertificateError
            If they do not.
        """
        check_recipe(self.recipe)
        parameters = self.recipe["parameters"]
        wanted = parameters.get("n_splits")
        usual = wanted is None and self.n_splits == usual_splits(self.design + self.n)
        scale = parameters.get("loss_scale")
        check_agreement(
            self.recipe,
            certificate=self.form,
            delta=self.delta,
            n_splits=wanted if usual else self.n_splits,
            check_share=self.check_share,
            random_state=self.seed,
            loss_scale=None if scale is None else self.scale,
        )
        self.check_possible()

    def _split_again(self, rows: RegressionRows) -> RowSplit:
        splitter = regression_splitter(rows, self.recipe, self.seed, self.check_share)
        split = self.drawn_again(splitter)
        if split.check.size != self.n:
            raise CertificateError(
                f"Split {self.split} has {split.check.size} check rows; the certificate says "
                f"{self.n}."
            )
        return split

    def _pool_again(self, design: RegressionRows) -> tuple[RegressionPool, RegressionCandidates]:
        found = run_regression_recipe(self.recipe, design)
        scale = self.recipe["parameters"].get("loss_scale")
        return make_regression_pool(found.members, design, scale), found

    def _check_place(self, model: RegressionModel, pool: RegressionPool) -> None:
        if pool.scale != self.scale:
            raise CertificateError(
                f"The design rows give the scale {pool.scale}; the certificate says {self.scale}."
            )
        self.check_pool(pool.size, pool.digest)
        if pool.candidates[self.place - 1].identity != regression_identity(
            model.body, model.values
        ):
            raise CertificateError(
                f"The model is not candidate {self.place} of the pool. A rule or a value was "
                "changed."
            )
        self.check_prior(float(pool.log_prior[self.place - 1]))

    def _check_loss(self, member: RegressionMember, check: RegressionRows) -> None:
        mean = mean_loss(member, check, self.scale)
        if abs(mean - self.mean_loss) > TOLERANCE:
            raise CertificateError(
                f"The certificate says that the mean loss on the {self.n} check rows is "
                f"{self.mean_loss:.9f}; measuring again gives {mean:.9f}."
            )

    def _check_bound(self) -> None:
        bound = self.recomputed_bound()
        if not math.isclose(bound, self.bound, rel_tol=TOLERANCE, abs_tol=0.0):
            raise CertificateError(
                f"The certificate claims a bound of {self.bound}, but its own numbers give {bound}."
            )

    # Files.

    @classmethod
    def members(cls) -> list[str]:
        """Return the names of the members in JSON, without the form."""
        return [f.name for f in fields(cls) if f.metadata.get("serialized", True)]

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON object."""
        members = {name: getattr(self, name) for name in self.members()}
        return {"form": self.form, **members, "cautions": list(self.cautions)}

    @classmethod
    def from_json(cls, data: Any) -> RegressionCertificate:
        """Return the certificate of a JSON object.

        Raises
        ------
        ModelFileError
            If a member is wrong, or the bound is not the one that the other numbers give.
        """
        need(isinstance(data, dict), "it is not an object")
        need(data.get("form") == cls.form, f"form must be {cls.form!r}")
        names = cls.members()
        need(set(data) == {"form", *names}, f"its members are not {', '.join(sorted(names))}")
        parsed = {name: cls.parsers[name](data[name], name) for name in names}
        certificate = cls(**parsed, unverified=True)
        try:
            certificate.check_numbers()
            certificate._check_bound()
        except CertificateError as error:
            raise ModelFileError(f"the certificate cannot be true: {error}") from error
        return certificate


def regression_splitter(
    rows: RegressionRows, recipe: Any, seed: int | None, check_share: float | None
) -> RowSplitter:
    """Return the splits of rows with numbers to predict."""
    return make_splitter(
        rows.table,
        rows.target + 0.0,  # -0.0 is 0.0
        normalised_weight(rows.weight),
        (),
        recipe=recipe,
        seed=seed,
        check_share=check_share,
    )


def mean_loss(member: RegressionMember, check: RegressionRows, scale: float) -> float:
    """Return the mean loss of a candidate on the check rows."""
    losses = member.losses(check.table, check.target, scale)
    return min(math.fsum(losses.tolist()) / losses.size, 1.0)


def certify_regression(
    pool: RegressionPool,
    place: int,
    mean: float,
    *,
    n: int,
    design: int,
    split: int,
    n_splits: int,
    recipe: dict[str, Any],
    key: str,
    seed: int | None,
    check_share: float | None,
    delta: float,
) -> RegressionCertificate:
    """Return the certificate of a candidate of a pool.

    Parameters
    ----------
    pool : RegressionPool
    place : int
        Place of the model in the pool, from 1.
    mean : float
        Its mean loss on the check rows.
    n, design, split, n_splits, recipe, key, seed, check_share, delta
        As in ``RegressionCertificate``.
    """
    certificate = RegressionCertificate(
        bound=pool.scale,
        delta=float(delta),
        mean_loss=mean,
        n=n,
        design=design,
        scale=pool.scale,
        n_splits=n_splits,
        split=split,
        place=place,
        pool_size=pool.size,
        log_prior=float(pool.log_prior[place - 1]),
        pool_digest=pool.digest,
        key=key,
        seed=seed,
        check_share=None if check_share is None else float(check_share),
        recipe=recipe,
    )
    return replace(certificate, bound=certificate.recomputed_bound())


def regression_cautions(table: Table, target: Floats, name: str | None) -> tuple[str, ...]:
    """Return cautions about rows that look ordered in time or by target, and about repeated rows.

    ``name`` is the name of the target.
    """
    columns = list(table.columns)
    shown = name or "y"
    if shown not in table.names:
        columns.append(NumericColumn(shown, target))
    codes = np.unique(target, return_inverse=True)[1].astype(np.intp)
    ordered = order_cautions(
        Table(columns, table.rows), np.zeros_like(codes), np.zeros(codes.size, np.bool_)
    )
    return (*ordered, *repetition_cautions(table, codes, "target"))


def _rows_of(table: Table, y: Any, sample_weight: Any) -> RegressionRows:
    """Rows of positive weight of the user's table."""
    try:
        target = np.asarray(y, np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"y must hold numbers: {error}.") from error
    if target.shape != (table.rows,):
        raise CertificateError(f"There are {table.rows} rows but {target.size} numbers in y.")
    kept = kept_rows(sample_weight, table.rows)
    weight = np.ones(table.rows) if sample_weight is None else np.asarray(sample_weight, float)
    if not np.isfinite(target[kept]).all():
        raise CertificateError(
            "A number of the target is missing or infinite in a row that counts. Give the data "
            "and the sample_weight of training."
        )
    return RegressionRows(table, target, weight, np.arange(table.rows)).take(kept)


def _check_leaves(model: RegressionModel, rows: RegressionRows, by_median: bool) -> None:
    """Check the weight and the spread of each leaf."""
    claimed = np.array(model.evidence, np.float64)
    counted = regression_evidence(
        model.body.answer(rows.table),
        rows.target,
        normalised_weight(rows.weight),
        model.numbers,
        by_median,
    )
    floor = TOLERANCE * np.array([1.0, np.abs(rows.target).max(initial=0.0)])
    wrong = (np.abs(claimed - counted) > floor + TOLERANCE * np.abs(counted)).any(axis=1)
    if wrong.any():
        leaf = int(wrong.argmax())
        given, again = (
            "{:.10g} and {:.10g}".format(*part[leaf].tolist()) for part in (claimed, counted)
        )
        raise CertificateError(
            f"The model says that the weight and the spread of leaf {leaf + 1} are {given}; "
            f"measuring again gives {again}. The file was changed, or the fit had a "
            "sample_weight: give it, too."
        )


def _absent_rows(rows: int, kept: int) -> list[str]:
    if kept == rows:
        return []
    return [
        f"{rows - kept} of the {rows} rows count as absent, and that does not depend on their "
        "target or on the model's prediction."
    ]


def regression_certificate_schema() -> dict[str, Any]:
    """Return the JSON Schema of the certificate of a regression model."""
    whole = {"type": "integer", "minimum": 1}
    members: dict[str, Any] = {
        "form": {"const": RegressionCertificate.form},
        "bound": {"type": "number", "minimum": 0},
        "delta": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "mean_loss": {"type": "number", "minimum": 0, "maximum": 1},
        "n": whole,
        "scale": {"type": "number", "exclusiveMinimum": 0},
        **RegressionCertificate.record_schema,
        "cautions": {"type": "array", "items": {"type": "string"}},
    }
    return {
        "type": "object",
        "properties": members,
        "required": list(members),
        "additionalProperties": False,
    }
