"""Any scikit-learn classifier with a certificate."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from html import escape
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from rulewright.certificates import row_cautions, usual_splits
from rulewright.errors import InputError, preview
from rulewright.learners import read_delta, read_seed, read_share, read_whole
from rulewright.render import count_text
from rulewright.selection.estimator_certificate import EstimatorCertificate, certify_estimator
from rulewright.selection.estimator_pool import (
    EstimatorPool,
    LabelledRows,
    SortedRows,
    answers_of,
    fit_estimator,
    make_pools,
    weight_argument,
)
from rulewright.selection.estimator_recipe import (
    EstimatorGrid,
    make_recipe,
    read_grid,
    without_versions,
)

AnyCertified = TypeVar("AnyCertified", bound="CertifiedClassifier")


Method = TypeVar("Method", bound=Callable[..., Any])


def _delegates(name: str) -> Callable[[Method], Method]:
    """Check that the fitted estimator, or before ``fit`` the given one, has a method."""

    def has(self: CertifiedClassifier) -> bool:
        return hasattr(getattr(self, "estimator_", self.estimator), name)

    decorate: Callable[[Method], Method] = available_if(has)
    return decorate


class CertifiedClassifier(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """Any scikit-learn classifier, or a grid of them, with a certificate of its error.

    Random splits divide the rows into design rows and check rows. Each candidate of the grid is
    fitted on the design rows of each split, and its errors on the check rows are counted. The
    bounds of all candidates of all splits hold at once with confidence ``1 - delta``, so the one
    with the smallest bound is delivered, and the choice is paid for. ``estimator_`` has learnt from
    the design rows only: it must not be fitted again on all rows, because the certificate would not
    be about the result.

    A pipeline is fitted as a whole on the design rows. So what its steps learn, such as scales,
    imputed values, selected columns or vocabularies, does not depend on the check rows. Put all
    such preparation into the pipeline. If a table was prepared with the help of all rows before it
    is given here, the certificate does not hold.

    The order of the rows changes neither the model nor the bound, if ``random_state`` is None:
    splits are drawn by a hash of the content, and estimators see the rows in sorted order. The
    order of the columns stays as given. The splits do not depend on the order of named columns, but
    most estimators do, so another order of columns may give another model.

    Parameters
    ----------
    estimator : classifier
        A scikit-learn classifier, or a pipeline that ends in one. Where a ``random_state`` in it is
        None, at any depth, the recipe uses 0, and ``notices_`` has a sentence about it.
    grid : dict, list of dicts or None, default=None
        Parameters and their values, as in ``sklearn.model_selection.ParameterGrid``. All
        combinations are candidates. None for the estimator alone.
    delta : float, default=0.05
        Probability with which the certificate may fail.
    n_splits : int or None, default=None
        Number of splits; None for 5.
    check_share : float or None, default=None
        Share of the rows that are check rows. By default half of up to 2,000 rows, 1,000 of up to
        5,000, and a fifth of more.
    random_state : int, generator or None, default=None
        Seed of the splits, settled before the data was seen; the splits then depend on the order
        of the rows. None draws them by a hash of the data and the recipe.
    n_jobs : int or None, default=None
        Number of fits at the same time, as in joblib. It changes no result.

    Attributes
    ----------
    estimator_ : classifier
        The fitted estimator that the certificate is about.
    certificate_ : EstimatorCertificate
        The bound, and everything needed to check it: ``certificate_.verify(classifier, X, y)``.
    best_params_ : dict
        The point of the grid that was chosen.
    classes_ : array
        The labels in sorted order.
    notices_ : tuple of str
        What ``fit`` changed in the recipe.
    n_features_in_ : int
        Number of columns, unless ``X`` is a sequence of texts.
    feature_names_in_ : array of str
        Names of the columns, where all are text.

    Examples
    --------
    What readability costs: the certificate of a forest, and that of the best model that people can
    read, from the same rows.

    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from rulewright import AutoClassifier, CertifiedClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> forest = CertifiedClassifier(RandomForestClassifier(50, random_state=0)).fit(X, y)
    >>> forest.certificate_
    Certificate(bound=0.06064, delta=0.05, errors=8 of 284, form='split')
    >>> rules = AutoClassifier().fit(X, y)
    >>> print(f"{forest.certificate_.bound:.3f} against {rules.certificate_.bound:.3f}")
    0.061 against 0.098
    """

    estimator_: Any
    certificate_: EstimatorCertificate
    best_params_: dict[str, Any]
    classes_: NDArray[Any]
    notices_: tuple[str, ...]

    def __init__(
        self,
        estimator: Any,
        grid: Any = None,
        *,
        delta: float = 0.05,
        n_splits: int | None = None,
        check_share: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.delta = delta
        self.n_splits = n_splits
        self.check_share = check_share
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self: AnyCertified, X: Any, y: Any, sample_weight: Any = None) -> AnyCertified:
        """Fit the candidates on the design rows, and certify the one with the smallest bound.

        Parameters
        ----------
        X : array, sparse matrix, dataframe (pandas, polars, Arrow), or sequence of texts
            What the estimator takes. Subsets of its rows are of the same type.
        y : array of labels
        sample_weight : array of weights of 0 or more
            Weights for the fit of the estimator. A weight of 0 counts as no row. The certificate
            counts each row of positive weight once.

        Returns
        -------
        self
        """
        if hasattr(self, "estimator_"):
            del self.estimator_  # a fit that fails leaves no model behind
        grid = read_grid(self.estimator, self.grid)
        self.notices_ = grid.notices
        rows = self._read_rows(X, y, sample_weight)
        if rows.weight is not None:
            for candidate in grid.candidates:
                weight_argument(candidate)  # refuses estimators without weights before any fit
        self.classes_ = rows.classes
        self._certify(grid, rows)
        return self

    def _read_rows(self, X: Any, y: Any, sample_weight: Any) -> LabelledRows:
        validate_data(self, X, y, reset=True, skip_check_array=True)
        return LabelledRows.of(X, y, sample_weight, type(self).__name__)

    def _certify(self, grid: EstimatorGrid, rows: LabelledRows) -> None:
        wanted = None if self.n_splits is None else read_whole(1)(self.n_splits, "n_splits")
        n_splits = wanted or usual_splits(rows.codes.size)
        delta = read_delta(self.delta)
        share = None if self.check_share is None else read_share(self.check_share, "check_share")
        seed = None if self.random_state is None else read_seed(self.random_state)
        recipe = make_recipe(grid.candidates, delta=delta, n_splits=n_splits, check_share=share)
        splitter = rows.splitter(without_versions(recipe), seed, share)
        sorted_rows = SortedRows.of(rows, splitter)
        pools = make_pools(grid.candidates, sorted_rows, range(1, n_splits + 1), self.n_jobs)
        if not pools:
            raise _too_rare(rows)
        pool, place = _smallest_bound(pools, sorted_rows, n_splits, delta)
        chosen = int(pool.members[place - 1])
        fitted = _fitted_again(grid.candidates[chosen], pool, place, sorted_rows)
        certificate = certify_estimator(
            pool,
            place,
            sorted_rows,
            candidates=grid.candidates,
            recipe=recipe,
            n_splits=n_splits,
            delta=delta,
            seed=seed,
            check_share=share,
        )
        wrong = sorted_rows.as_given(pool.answers[place - 1] != sorted_rows.rows.codes)
        cautions = row_cautions(rows.table, rows.codes, wrong, rows.classes.tolist())
        self.certificate_ = replace(certificate, cautions=cautions)
        self.best_params_ = grid.points[chosen]
        self.estimator_ = fitted

    # Predictions, by the delivered estimator.

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        found: NDArray[Any] = self.estimator_.predict(X)
        return found

    @_delegates("predict_proba")
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        found: NDArray[np.float64] = self.estimator_.predict_proba(X)
        return found

    @_delegates("decision_function")
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the estimator's decision function."""
        check_is_fitted(self)
        found: NDArray[np.float64] = self.estimator_.decision_function(X)
        return found

    # The interface to scikit-learn.

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "estimator_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "get_params"):
            return tags  # fit refuses it
        inner = get_tags(self.estimator)
        tags.input_tags = deepcopy(inner.input_tags)
        if inner.classifier_tags is not None:
            tags.classifier_tags = replace(inner.classifier_tags, multi_label=False)
        return tags

    # What is printed.

    def __repr__(self, N_CHAR_MAX: int = 700) -> str:
        shown = str(super().__repr__(N_CHAR_MAX))
        return "\n".join([shown, *self._result()])

    def _result(self) -> list[str]:
        """The certificate and the notices in lines; none before ``fit``."""
        if not hasattr(self, "estimator_"):
            return []
        notices = (f"Notice: {notice}" for notice in self.notices_)
        return [*str(self.certificate_).splitlines(), *notices]

    def _repr_html_inner(self) -> str:
        return self._fitted_html() or str(super()._repr_html_inner())

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)
        if "text/html" in bundle:
            bundle["text/html"] = self._fitted_html() or bundle["text/html"]
        return bundle

    def _fitted_html(self) -> str:
        if not hasattr(self, "estimator_"):
            return ""
        notices = "".join(f"<p>Notice: {escape(notice)}</p>" for notice in self.notices_)
        delivered = escape(repr(self.estimator_))
        return (
            f"<div><p><code>{delivered}</code></p>{self.certificate_._repr_html_()}"
            f"<p>{escape(self.certificate_.details)}</p>{notices}</div>"
        )


def certify(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    grid: Any = None,
    delta: float = 0.05,
    n_splits: int | None = None,
    check_share: float | None = None,
    random_state: Any = None,
    n_jobs: int | None = None,
    sample_weight: Any = None,
) -> CertifiedClassifier:
    """Fit a scikit-learn classifier with a certificate of its error.

    Parameters
    ----------
    estimator : classifier
        A scikit-learn classifier, or a pipeline that ends in one. It is not changed.
    X, y, sample_weight : the training data, as for ``CertifiedClassifier.fit``
    grid, delta, n_splits, check_share, random_state, n_jobs
        As in ``CertifiedClassifier``.

    Returns
    -------
    CertifiedClassifier
        Fitted. It predicts, and shows its certificate when it is printed.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> from rulewright import certify
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scaled = make_pipeline(StandardScaler(), LogisticRegression(random_state=0))
    >>> classifier = certify(scaled, X, y, grid={"logisticregression__C": [0.01, 0.1, 1]})
    >>> classifier.best_params_
    {'logisticregression__C': 1}
    >>> classifier.certificate_
    Certificate(bound=0.05417, delta=0.05, errors=6 of 284, form='split')
    >>> classifier.certificate_.verify(classifier, X, y).holds
    True
    """
    classifier = CertifiedClassifier(
        estimator,
        grid,
        delta=delta,
        n_splits=n_splits,
        check_share=check_share,
        random_state=random_state,
        n_jobs=n_jobs,
    )
    return classifier.fit(X, y, sample_weight=sample_weight)


def _smallest_bound(
    pools: list[EstimatorPool], sorted_rows: SortedRows, n_splits: int, delta: float
) -> tuple[EstimatorPool, int]:
    """The pool and the place of the candidate with the smallest bound; of equals the first."""
    codes = sorted_rows.rows.codes
    choices = [(pool, place) for pool in pools for place in range(1, pool.size + 1)]
    return min(choices, key=lambda choice: choice[0].bound(choice[1], codes, n_splits, delta))


def _fitted_again(candidate: Any, pool: EstimatorPool, place: int, sorted_rows: SortedRows) -> Any:
    """The chosen candidate, fitted again: keeping all fitted ones would take much memory."""
    rows = sorted_rows.rows
    fitted = fit_estimator(candidate, rows.take(pool.design))
    if not np.array_equal(answers_of(fitted, rows), pool.answers[place - 1]):
        raise InputError(
            f"{type(candidate).__name__} gives other answers when it is fitted again on the same "
            "rows, so nobody could check its certificate. Set its random_state, and avoid what "
            "depends on time or threads."
        )
    return fitted


def _too_rare(rows: LabelledRows) -> InputError:
    counts = np.bincount(rows.codes, minlength=rows.classes.size)
    place = int(counts.argmin())
    return InputError(
        "A certificate needs rows of every class among the design rows, but a class is too rare: "
        f"{preview([rows.classes.tolist()[place]])} has {count_text(int(counts[place]), 'row')}. "
        "Leave the class out, or add rows."
    )
