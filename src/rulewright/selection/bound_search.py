"""A grid search that chooses by certificate, by cross-validation, or by rows held out."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedGroupKFold
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from rulewright.data import frame, installed
from rulewright.errors import InputError, preview
from rulewright.families import Family, Spatial, refuse_missing
from rulewright.learners import (
    Path,
    RuleClassifier,
    Sample,
    Settings,
    Units,
    add_cautions,
    in_search_order,
    profiled,
    read_seed,
    restored,
    restricted,
    without_certificates,
)
from rulewright.render import path_figure
from rulewright.selection.auto import AutoSettings
from rulewright.selection.choosing import GridRun, Tried, best_by_certificate, make_runs
from rulewright.selection.grid_pool import search_pool
from rulewright.selection.grid_settings import GridSettings
from rulewright.selection.results import Results
from rulewright.selection.testing import (
    Losses,
    Rows,
    best_by_losses,
    cross_validated,
    folds_of,
    held_certificate,
    joined,
    lost_by,
    split_at_random,
)

WAYS = ("bound", "cv", "holdout")
CERTIFICATE = "certificate"
"""Another name of the way "bound"."""
COPIED = (
    "model_",
    "certificate_",
    "path_",
    "classes_",
    "feature_importances_",
    "n_features_in_",
    "_library",
)
"""Attributes that the best estimator takes over from the search."""

REFUSED = {
    "delta": "a confidence is settled before looking at the data, not chosen by it",
    "categorical_features": "what a column means is settled before looking at the data",
    "keep": "columns are chosen before looking at the data",
    "forbid": "columns are chosen before looking at the data",
    "n_jobs": "it changes nothing in the model",
    "certificate": "the form of the certificate is settled before looking at the data",
    "n_splits": "the splits are settled before looking at the data",
    "check_share": "the splits are settled before looking at the data",
}


class BoundSearch(RuleClassifier):
    """Choose a model over a grid of settings, like ``GridSearchCV``, but by its certificate.

    A compression certificate holds for all models at once, so the best of them may be chosen at no
    cost but one: what a reconstruction depends on (family, metric, kernel and its parameters,
    scale, types, kind, consistent, conditions, expert rules, how a tree treats missing values)
    costs the logarithm of their number in the grid. Penalties, criteria, costs and sizes are free.
    One greedy run of a machine gives all sizes, so ``max_rules`` need not be in its grid.

    With ``certificate="split"`` of the estimator, the candidates of all points are one pool. The
    prior probabilities, equal for all points, pay for the choice.

    Parameters
    ----------
    estimator : classifier of this library
        The learner; parameters that the grid does not name keep their values. AutoClassifier
        searches itself.
    grid : dict of str to list, or list of these
        Values to try for parameters of the estimator, as in ``GridSearchCV``. Where ``class_costs``
        differ in it, all are compared by those of ``estimator``.
    by : {"bound", "cv", "holdout"}, default "bound"
        How to choose. "bound", or "certificate": the best certificate, of all candidates of all
        points. "cv": the fewest errors in cross-validation; the model chosen is learnt from all
        rows, with the form of certificate that the estimator has. "holdout": the fewest errors on
        rows held out, from which the certificate is then made; it pays for the choice among the
        models, and they learn from the other rows only.
    cv : int or splitter, default 10
        Folds for "cv"; a number means shuffled, stratified ones, which depend on what the rows hold
        and not on their order. A splitter gets the rows in the order of the table, and folds that
        are given outright name its rows.
    holdout : float, default 1/3
        Share of the rows that "holdout" holds out, drawn at random.
    cross_validate : bool, default False
        Whether to cross-validate all models whatever they are chosen by, for the results and the
        plot; with "holdout", on the rows that are not held out.
    prune : bool, default True
        Whether "bound" may stop the greedy run of a machine where no larger one can have the best
        certificate. The choice is the same; the results then lack these sizes.
    n_jobs : int, optional
        Threads of each search; -1 for all. The model is the same for any number.
    random_state : int, generator or None, default None
        Seed of the folds and of the rows held out; None is 0.

    Attributes
    ----------
    model_, certificate_ : Model, Certificate
        The chosen model and its certificate.
    path_ : list of PathEntry
        The models of its run up to its size; the last is ``model_``.
    best_params_ : dict
        The point of the grid; of a machine, with ``max_rules`` as the size that was chosen. Of a
        rule list or vote that is smaller than the learner's own, with ``size="bound"``.
    best_estimator_ : estimator
        The estimator as if fitted with these parameters; with a split certificate by "bound", the
        model is from the pool of all points.
    tail_certificate_ : Certificate
        The certificate from the rows that it learnt from, also where ``certificate_`` is from rows
        held out; to verify it then, give those a ``sample_weight`` of zero.
    cv_results_ : dict of str to array
        One row for each model: parameters, size, training error, certificate, and losses in
        testing. With a split certificate by "bound", the best candidate of each size at each point;
        a model that several points found is at the first of them.
    feature_importances_ : array
        Contribution of each column to the answers on the training rows, with a sum of 1: the
        decrease of impurity by its tests or, for a vote, the weights of its rules. See
        ``rulewright.models.importance``.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    In a pipeline the search is the last step. Its certificate refers to the columns that it gets:
    it holds if the steps before it learn nothing from the training rows. A step that looks at
    labels, such as a selection of columns, makes it void.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from rulewright import BoundSearch, SetCoveringMachine
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> grid = {"penalty": [0.5, 1, 2, 5], "kind": ["conjunction", "disjunction"]}
    >>> search = BoundSearch(SetCoveringMachine(), grid).fit(X, y)
    >>> search.best_params_
    {'kind': 'conjunction', 'penalty': 1, 'max_rules': 2}
    >>> round(search.certificate_.bound, 3)
    0.141
    """

    _metadata: Mapping[str, Any] = MappingProxyType({})

    def __init__(
        self,
        estimator: Any,
        grid: Any,
        by: str = "bound",
        cv: Any = 10,
        holdout: float = 1 / 3,
        cross_validate: bool = False,
        prune: bool = True,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.grid = grid
        self.by = by
        self.cv = cv
        self.holdout = holdout
        self.cross_validate = cross_validate
        self.prune = prune
        self.n_jobs = n_jobs
        self.random_state = random_state

    @property
    def categorical_features(self) -> Any:
        """As for the estimator."""
        return getattr(self.estimator, "categorical_features", None)

    @property
    def _max_classes(self) -> int | None:
        settings = getattr(self.estimator, "settings_class", None)
        return getattr(settings, "max_classes", None)

    def _families(self) -> tuple[Family, ...]:
        return self._grid().families()

    @property
    def results_(self) -> Any:
        """``cv_results_`` as a dataframe, of the same library as the training data."""
        check_is_fitted(self)
        return frame(self._columns, installed(self._library))

    def plot_path(self, ax: Any = None) -> Any:
        """Draw training error, certified error and, where there is one, cross-validated error.

        For the chosen point of the grid, against the size of the model. Needs matplotlib.

        Returns
        -------
        matplotlib's Axes
        """
        check_is_fitted(self)
        return path_figure(**self._curves, ax=ax)

    def fit(  # type: ignore[override]
        self, X: Any, y: Any, sample_weight: Any = None, times: Any = None, **metadata: Any
    ) -> BoundSearch:
        """Learn at all points of the grid, and keep the best model; see ``RuleClassifier.fit``.

        Parameters
        ----------
        X, y, sample_weight
            As in ``RuleClassifier.fit``.
        times
            As in ``RuleClassifier.fit``, for a split certificate.
        **metadata
            ``groups``, one for each row, for cross-validation: a splitter gets them, and a number
            of folds then means folds that keep groups together. A split certificate keeps them
            together too. With scikit-learn's metadata routing, whatever the splitter requests.
        """
        groups = metadata.get("groups") if self._splits else None
        if times is not None and not self._splits:
            raise InputError(
                "times need certificate='split' of the estimator, and by='bound' or by='cv'."
            )
        self._metadata = self._read_metadata(sample_weight, metadata, y)
        try:
            super().fit(X, y, sample_weight, groups, times)
        finally:
            metadata = self._metadata
            del self._metadata
        if "groups" in metadata and not self._splits and self.model_.certificate is not None:
            self._caution_of_groups(metadata["groups"])
        results = self._results
        del self._results  # a fitted search does not keep the training data
        self._columns, self._curves = results.columns(), results.curves()
        self.tail_certificate_ = self.certificate_
        if results.held_certificate is not None:
            self.certificate_ = replace(
                results.held_certificate, cautions=self.certificate_.cautions
            )
            self.model_ = replace(
                self.model_, certificate=self.certificate_, profile=self.model_.columns_profile
            )
        self.cv_results_ = {name: np.array(v) for name, v in self._columns.items()}
        self.best_params_ = results.best_params
        self.best_estimator_ = self._machine(self.best_params_)
        for name in (*COPIED, *results.path.attributes):
            setattr(self.best_estimator_, name, getattr(self, name))
        if hasattr(self, "feature_names_in_"):
            self.best_estimator_.feature_names_in_ = self.feature_names_in_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what ``fit`` takes: ``sample_weight`` itself, and what the splitter requests.

        Points of the grid are not fitted one by one, so a request of ``estimator`` changes nothing:
        call ``set_fit_request(sample_weight=True)`` of the search.
        """
        router = MetadataRouter(owner=self).add_self_request(self)
        if self._crosses:
            splitter = self.cv if hasattr(self.cv, "split") else StratifiedGroupKFold()
            mapping = MethodMapping().add(caller="fit", callee="split")
            router.add(splitter=splitter, method_mapping=mapping)
        return router

    @property
    def _crosses(self) -> bool:
        """Whether anything is cross-validated."""
        return bool(self.cross_validate) or (isinstance(self.by, str) and self.by == "cv")

    @property
    def _splits(self) -> bool:
        """Whether the certificate is a split certificate."""
        return getattr(self.estimator, "certificate", None) == "split" and self.by != "holdout"

    def _read_metadata(
        self, sample_weight: Any, metadata: Mapping[str, Any], y: Any
    ) -> dict[str, Any]:
        """Metadata for the splitter: an array by name, with one value for each row."""
        given = {name: value for name, value in metadata.items() if value is not None}
        if "groups" in given and not self._crosses and not self._splits:
            raise InputError(
                f"groups serve cross-validation only, and by={self.by!r} does none. Use by='cv' or "
                "cross_validate=True. To certify groups, use certificate='split' of the estimator: "
                "other certificates take rows to be independent."
            )
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **given)
            given = dict(routed.splitter.split) if self._crosses else {}
        elif set(given) - {"groups"}:
            strange = sorted(set(given) - {"groups"})
            raise TypeError(f"BoundSearch.fit got an unexpected argument {preview(strange)}.")
        arrays = {name: np.asarray(value) for name, value in given.items()}
        for name, values in arrays.items():
            if values.shape[:1] != (len(y),):
                raise InputError(
                    f"{name} must have one value for each of the {len(y)} rows, got shape "
                    f"{values.shape}."
                )
        return arrays

    def _caution_of_groups(self, groups: Any) -> None:
        found = np.unique(groups).size
        caution = (
            f"the {len(groups)} rows come in {found} groups, and the certificate takes rows to be "
            "independent of each other."
        )
        last = self.path_[-1]
        self.path_[-1] = last.cautioned((*last.certificate.cautions, caution))
        self.model_, self.certificate_ = self.path_[-1].model, self.path_[-1].certificate

    def _remarks(self, path: Path) -> tuple[str, ...]:
        return ()

    def _learn(self, sample: Sample, units: Units) -> Path:
        return profiled(self._search(sample, units), sample.table)

    def _search(self, sample: Sample, units: Units) -> Path:
        if self.by not in (*WAYS, CERTIFICATE):
            raise InputError(f"by must be one of {', '.join(map(repr, WAYS))}, got {self.by!r}.")
        grid = self._grid()
        self._check_form(grid.certificate)
        self._seed = read_seed(self.random_state)
        ordered = in_search_order(restricted(sample, grid.base), grid.families())
        if grid.certificate == "split" and self._by_bound:
            return self._by_pool(grid, sample, units)
        if grid.certificate in ("split", "holdout") and self.by == "cv":
            return self._by_form(grid, sample, ordered, units)
        _refuse_polishing(grid)
        path = self._by_search(grid, sample, ordered)
        return path if grid.certificate else without_certificates(path)

    @property
    def _by_bound(self) -> bool:
        return self.by in ("bound", CERTIFICATE)

    def _check_form(self, form: str | None) -> None:
        """Refuse certificates that cannot be compared."""
        if not self._by_bound:
            return
        if form is None:
            raise InputError(
                f"by={self.by!r} chooses by certificates, but the estimator has certificate=None. "
                "Set its certificate to 'compression' or 'split', or use by='cv'."
            )
        if form == "holdout":
            raise InputError(
                f"by={self.by!r} does not pay for a choice by rows held out. Use by='holdout', "
                "whose certificate does, or certificate='split'."
            )
        if form == "split" and self.cross_validate:
            raise InputError(
                "cross_validate=True is not available for candidates of certificate='split'. Use "
                "by='cv', or cross-validate the search itself."
            )

    def _by_pool(self, grid: GridSettings, sample: Sample, units: Units) -> Path:
        """Choose from one pool of candidates of all points, for a split certificate."""
        tried, chosen = search_pool(grid, sample, self._threads(), units)
        self._results = Results(grid.points, sample.y.size, tried, chosen)
        return add_cautions(self._results.path, sample, np.arange(sample.y.size))

    def _by_form(self, grid: GridSettings, sample: Sample, ordered: Sample, units: Units) -> Path:
        """Learn as the estimator does, in each fold too, and choose by cross-validation."""

        def runs(rows: Rows) -> list[GridRun]:
            return grid.form_runs(sample.take(rows), self._threads(), units.take(rows))

        tried = make_runs(runs(np.arange(sample.y.size)), prune=False)
        places = np.searchsorted(sample.rows, ordered.rows)
        folds = [(np.sort(places[a]), np.sort(places[b])) for a, b in self._folds(ordered)]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # cautions about the models of folds
            losses = cross_validated(tried, sample, folds, runs)
        chosen = best_by_losses(tried, losses)
        self._results = Results(grid.points, sample.y.size, tried, chosen, crossed=losses)
        return self._results.path

    def _by_search(self, grid: GridSettings, sample: Sample, ordered: Sample) -> Path:
        """Search all rows, or those that are not held out, in canonical order."""
        choose = self._by_holdout if self.by == "holdout" else self._by_training
        self._results = choose(grid, ordered)
        return restored(self._results.path, sample, ordered)

    def _by_training(self, grid: GridSettings, sample: Sample) -> Results:
        """Learn from all rows; choose by certificate, or by losses in cross-validation."""
        crossing = self._crosses
        tried = make_runs(self._runs(grid, sample), prune=self.prune and not crossing)
        losses = self._losses(grid, tried, sample) if crossing else None
        by_losses = losses is not None and self.by == "cv"
        chosen = best_by_losses(tried, losses or ()) if by_losses else best_by_certificate(tried)
        return Results(grid.points, sample.y.size, tried, chosen, crossed=losses)

    def _by_holdout(self, grid: GridSettings, sample: Sample) -> Results:
        """Learn from some rows, choose by the others, and certify by these."""
        rows, held = split_at_random(sample.y.size, self.holdout, self._seed)
        if sample.names is not None:  # of these rows only, because verification has no others
            rows = rows[sample.take(rows).canonical_places()]
        learnt, new = sample.take(rows), sample.take(held)
        for family in grid.families():
            if isinstance(family, Spatial) and not family.handles_missing:
                refuse_missing(new.table, family.name)
        tried = [
            replace(run, found=replace(run.found, entries=[e.renumbered(rows) for e in run.path]))
            for run in make_runs(self._runs(grid, learnt), prune=False)
        ]
        crossed = self._losses(grid, tried, learnt) if self.cross_validate else None
        losses = [joined([lost_by(run, run, new)], [float(new.weight.sum())]) for run in tried]
        chosen = best_by_losses(tried, losses)
        certificate = held_certificate(tried, chosen, new, held, self._seed)
        certificate = replace(
            certificate,
            held=tuple(sorted(sample.rows[held].tolist())),
            canonical=sample.names is not None,
        )
        return Results(grid.points, rows.size, tried, chosen, crossed, losses, certificate)

    def _losses(self, grid: GridSettings, tried: Sequence[Tried], sample: Sample) -> list[Losses]:
        """Cross-validate all runs; one greedy run for each fold gives all sizes."""

        def runs(rows: Rows) -> list[GridRun]:
            return self._runs(grid, sample.take(rows))

        return cross_validated(tried, sample, self._folds(sample), runs)

    def _folds(self, sample: Sample) -> list[tuple[Rows, Rows]]:
        return folds_of(self.cv, sample.y, self._seed, sample.rows, self._metadata)

    def _runs(self, grid: GridSettings, sample: Sample) -> list[GridRun]:
        return grid.runs(sample, self._threads(), every=self._by_bound)

    def _grid(self) -> GridSettings:
        self._check_estimator()
        return GridSettings.of(self.estimator.settings(), self._points())

    def _check_estimator(self) -> None:
        estimator = self.estimator
        if hasattr(estimator, "steps"):
            raise InputError(
                "BoundSearch cannot search a Pipeline. A certificate counts only rows that a "
                "model does not depend on, and a step that learns from all rows makes it "
                "depend on each. Search the last step, BoundSearch(estimator, grid), and put the "
                "search at the end of the pipeline. Its certificate holds if the steps before "
                "it learn nothing, or were fitted on other rows. To scale columns use "
                "scale='standard' of a machine, which sets rows aside for that."
            )
        settings = getattr(estimator, "settings_class", None)
        known = isinstance(settings, type) and issubclass(settings, Settings)
        if isinstance(estimator, type) or not known:
            found = type(estimator).__name__
            if isinstance(estimator, type):
                found = f"the class {estimator.__name__}: write {estimator.__name__}()"
            raise InputError(
                "BoundSearch needs a classifier of this library, such as SetCoveringMachine() or "
                f"TreeClassifier(); found {found}."
            )
        if settings is AutoSettings:
            raise InputError(
                f"BoundSearch cannot search {type(estimator).__name__}, which chooses among all "
                "learners and settings itself, with a certificate that pays for it. Fit it alone."
            )

    def _points(self) -> list[dict[str, Any]]:
        points = [dict(point) for point in ParameterGrid(self.grid)]
        if not points:
            raise InputError("The grid is empty: give at least one value for a parameter.")
        for name in sorted({name for point in points for name in point}):
            if name in REFUSED:
                raise InputError(f"The grid must not hold {name!r}: {REFUSED[name]}.")
        for point in points:
            self._machine(point)  # refuses names that are no parameters
        return points

    def _machine(self, point: Mapping[str, Any]) -> RuleClassifier:
        machine: RuleClassifier = clone(self.estimator).set_params(**point)
        return machine if self.n_jobs is None else machine.set_params(n_jobs=self.n_jobs)

    def _threads(self) -> int:
        return self._machine({})._threads()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            machines = [self._machine(point) for point in self._grid().points]
        except (TypeError, ValueError):
            return tags  # fit refuses parameters that make no sense
        found = [machine.__sklearn_tags__().input_tags for machine in machines]
        tags.input_tags.allow_nan = all(one.allow_nan for one in found)
        tags.input_tags.pairwise = any(one.pairwise for one in found)
        tags.input_tags.categorical = any(one.categorical for one in found)
        return tags


def _refuse_polishing(grid: GridSettings) -> None:
    """Refuse settings that polish: these searches choose among the models of all sizes before."""
    if any(settings.polish for settings in grid.learners()):
        raise InputError(
            "polish=True needs certificate='split' in a search over settings, whose candidates are "
            "polished before the choice. Otherwise polish the model that is found: "
            "model_.polished(X, y)."
        )
