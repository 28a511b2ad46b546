"""Certificate of a scikit-learn classifier, checked by fitting it again on the design rows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from rulewright.certificates import (
    SplitCertificate,
    Verification,
    row_cautions,
    source_assumptions,
)
from rulewright.errors import CertificateError, InputError
from rulewright.rules import NOT_SERIALIZED
from rulewright.selection.estimator_pool import (
    Codes,
    EstimatorPool,
    LabelledRows,
    SortedRows,
    answers_of,
    make_pools,
)
from rulewright.selection.estimator_recipe import (
    changes_text,
    parameter_json,
    versions_of,
    versions_text,
    without_versions,
)

TOLERANCE = 1e-9
"""Maximum difference of two computations of the same number."""


@dataclass(frozen=True, repr=False, kw_only=True)
class EstimatorCertificate(SplitCertificate):
    """Split certificate of a scikit-learn classifier.

    Its JSON has the parameters of all candidates of the grid, as far as JSON can hold them. To run
    the recipe again, ``verify`` uses ``candidates``, which are kept in memory and in pickles.

    Attributes
    ----------
    candidates : tuple of estimators
        The unfitted estimators of the grid. Not in JSON.
    versions : dict of str to str
        Versions of scikit-learn, NumPy, Python and other libraries that the certificate was made
        with.
    """

    candidates: tuple[Any, ...] = field(
        default=(), compare=False, repr=False, metadata=NOT_SERIALIZED
    )

    @property
    def versions(self) -> Mapping[str, str]:
        """Versions of the libraries that the certificate was made with."""
        found: Mapping[str, str] = self.recipe["parameters"]["versions"]
        return found

    @property
    def details(self) -> str:
        """The split, the place in the pool, their price, and what a check needs."""
        return f"{super().details} To check it: {versions_text(self.versions)}."

    def form_assumptions(self) -> Iterator[str]:
        yield from super().form_assumptions()
        yield (
            "No part of the estimator was fitted on these rows beforehand: its fit method learns "
            "from the rows that it is given, and from nothing else."
        )

    def assumptions(self, model: Any = None) -> list[str]:
        """Return the assumptions, one sentence each."""
        return source_assumptions(self)

    # Verification.

    def verify(  # type: ignore[override]
        self, estimator: Any, X: Any, y: Any, sample_weight: Any = None
    ) -> Verification:
        """Check the certificate by running its recipe again on the design rows.

        The key and the split are drawn again, all candidates of the grid are fitted again on the
        design rows, and their parameters, their answers on all rows and their errors must have the
        digest of the certificate. The estimator must give the answers of its candidate on all
        rows. Errors, prior probability and bound are computed again.

        The fits must give the same answers as before. That needs the libraries of
        ``certificate.versions``. Where the pool differs, the error names the versions that differ.

        Parameters
        ----------
        estimator : CertifiedClassifier or fitted estimator
            What the certificate is about: the classifier itself, or its ``estimator_``.
        X, y : the training data
            The rows in any order if the splits were drawn by a hash of the data, and in the same
            order if they were drawn by a seed. Columns in the same order.
        sample_weight : array
            The weights that the fit was given, if any.

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
        self._check_recipe()
        given = self._read_rows(X, y, sample_weight)
        sorted_rows = self._sorted(given)
        pool = self._pool_again(sorted_rows)
        self._check_candidates(pool, sorted_rows.rows)
        self._check_estimator(_delivered(estimator), pool, sorted_rows.rows)
        self._check_bound()
        wrong = sorted_rows.as_given(pool.answers[self.place - 1] != sorted_rows.rows.codes)
        cautions = row_cautions(given.table, given.codes, wrong, given.classes.tolist())
        return Verification(self, True, "", tuple(self.assumptions()), cautions)

    def _check_recipe(self) -> None:
        if not self.candidates:
            raise CertificateError(
                "The certificate was read without the estimators of its recipe. Use the "
                "certificate_ of the classifier, or certify the estimator again and compare."
            )
        parameters = self.recipe["parameters"]
        given = [parameter_json(candidate) for candidate in self.candidates]
        settled = (self.delta, self.n_splits, self.check_share)
        named = tuple(parameters.get(name) for name in ("delta", "n_splits", "check_share"))
        if settled != named:
            raise CertificateError(
                f"The certificate has delta, n_splits and check_share {settled}; its recipe says "
                f"{named}."
            )
        if given != parameters.get("candidates"):
            raise CertificateError(
                f"The parameters of the estimators are not those of the recipe. {self._changes()}"
            )

    def _read_rows(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        try:
            return LabelledRows.of(X, y, sample_weight, "The certificate")
        except InputError as error:
            raise CertificateError(f"These are not the training data: {error}") from error

    def _sorted(self, given: LabelledRows) -> SortedRows:
        splitter = given.splitter(without_versions(self.recipe), self.seed, self.check_share)
        self.check_key(splitter)
        return SortedRows.of(given, splitter)

    def _pool_again(self, sorted_rows: SortedRows) -> EstimatorPool:  # type: ignore[override]
        try:
            pools = make_pools(self.candidates, sorted_rows, [self.split], n_jobs=None)
        except ValueError as error:
            raise CertificateError(
                f"The recipe cannot be run again on the design rows: {error} {self._changes()}"
            ) from error
        if not pools or pools[0].design.size != self.design:
            raise CertificateError(
                f"Split {self.split} does not have {self.design} design rows of all classes."
            )
        return pools[0]

    def _check_candidates(self, pool: EstimatorPool, rows: LabelledRows) -> None:
        if pool.size != self.pool_size or pool.digest != self.pool_digest:
            raise CertificateError(
                "The pool differs: fitting the candidates again on the design rows gives other "
                f"answers. {self._changes()}"
            )
        self.check_prior(float(pool.log_prior[self.place - 1]))
        counts, wrong = checked_counts(pool, self.place, rows)
        if (counts, wrong) != (self.counts, self.wrong):
            raise CertificateError(
                f"The certificate counts {list(self.wrong)} errors on {list(self.counts)} check "
                f"rows, by class; counting again gives {list(wrong)} on {list(counts)}."
            )

    def _check_estimator(self, estimator: Any, pool: EstimatorPool, rows: LabelledRows) -> None:
        reason = ""
        try:
            answers: Codes | None = answers_of(estimator, rows)
        except (AttributeError, TypeError, ValueError) as error:
            answers, reason = None, f" {error}"
        certified = self.candidates[pool.members[self.place - 1]]
        same = answers is not None and np.array_equal(answers, pool.answers[self.place - 1])
        if not same or parameter_json(estimator) != parameter_json(certified):
            raise CertificateError(
                f"The estimator is not candidate {self.place} of the pool: its parameters or its "
                f"answers differ.{reason}"
            )

    def _check_bound(self) -> None:
        bound = self.recomputed_bound()
        if not math.isclose(bound, self.bound, rel_tol=0.0, abs_tol=TOLERANCE):
            raise CertificateError(
                f"The certificate claims a bound of {self.bound}, but its own numbers give {bound}."
            )

    def _changes(self) -> str:
        """The versions that differ; if none do, what else may have happened."""
        changes = changes_text(self.versions, versions_of(self.candidates))
        if changes:
            return f"The certificate was {changes}. Check it with the versions that made it."
        return (
            "The versions of the libraries are the same, so the certificate, its estimators or the "
            "data were changed, or the estimator is not deterministic."
        )


def _delivered(estimator: Any) -> Any:
    """The fitted estimator of a CertifiedClassifier; others as they are."""
    certified = hasattr(estimator, "certificate_") and hasattr(estimator, "estimator_")
    return estimator.estimator_ if certified else estimator


def checked_counts(
    pool: EstimatorPool, place: int, rows: LabelledRows
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the check rows of each class, and those of them that a candidate misclassifies."""
    codes, classes = rows.codes[pool.check], rows.classes.size
    wrong = codes[pool.answers[place - 1, pool.check] != codes]
    counts = np.bincount(codes, minlength=classes), np.bincount(wrong, minlength=classes)
    return tuple(counts[0].tolist()), tuple(counts[1].tolist())


def certify_estimator(
    pool: EstimatorPool,
    place: int,
    sorted_rows: SortedRows,
    *,
    candidates: tuple[Any, ...],
    recipe: dict[str, Any],
    n_splits: int,
    delta: float,
    seed: int | None,
    check_share: float | None,
) -> EstimatorCertificate:
    """Return the certificate of the candidate at a place of a pool, from 1."""
    counts, wrong = checked_counts(pool, place, sorted_rows.rows)
    certificate = EstimatorCertificate(
        bound=1.0,
        delta=delta,
        counts=counts,
        wrong=wrong,
        message=pool.message(place, n_splits),
        recipe=recipe,
        n_splits=n_splits,
        split=pool.number,
        design=pool.design.size,
        seed=seed,
        check_share=check_share,
        key=sorted_rows.splitter.key.hex(),
        pool_size=pool.size,
        place=place,
        log_prior=float(pool.log_prior[place - 1]),
        pool_digest=pool.digest,
        candidates=candidates,
    )
    return replace(certificate, bound=certificate.recomputed_bound())
