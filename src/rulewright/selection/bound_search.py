"""A grid search that chooses by certificate, by cross-validation, or by rows held out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn import get_config
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid, StratifiedGroupKFold
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.validation import check_is_fitted

from rulewright.certificates import certify_held_out
from rulewright.data import frame, installed
from rulewright.errors import InputError, preview
from rulewright.families import ExpertTests, Family, Spatial, check_functions, refuse_missing
from rulewright.learners import (
    Deadline,
    GreedySettings,
    GreedyTask,
    Path,
    RuleClassifier,
    Sample,
    in_search_order,
    read_seed,
    restored,
    restricted,
)
from rulewright.render import path_figure
from rulewright.selection.choosing import GreedyRun, Tried, best_by_certificate, make_runs
from rulewright.selection.results import Results
from rulewright.selection.testing import (
    Losses,
    best_by_losses,
    folds_of,
    joined,
    losses_on,
    split_at_random,
)

WAYS = ("bound", "cv", "holdout")
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
}


class BoundSearch(RuleClassifier):
    """Choose a machine over a grid of settings, like ``GridSearchCV``, but by its certificate.

    A certificate holds for all machines at once, so the best of them may be chosen at no cost but
    one: what a reconstruction depends on (family, metric, kernel and its parameters, scale, types,
    kind, consistent) costs the logarithm of their number in the grid. Penalties, costs and sizes
    are free. One greedy run gives all sizes, so ``max_rules`` need not be in the grid.

    Parameters
    ----------
    estimator : SetCoveringMachine or DecisionListMachine
        The machine; parameters that the grid does not name keep their values.
    grid : dict of str to list, or list of these
        Values to try for parameters of the machine, as in ``GridSearchCV``. Where ``class_costs``
        differ in it, all are compared by those of ``estimator``.
    by : {"bound", "cv", "holdout"}, default "bound"
        How to choose. "bound": the best certificate, from all rows, in one run for each point.
        "cv": the fewest errors in cross-validation; the machine chosen is learnt from all rows.
        "holdout": the fewest errors on rows held out, from which the certificate is then made; it
        pays for the choice among the models, and they learn from the other rows only.
    cv : int or splitter, default 10
        Folds for "cv"; a number means shuffled, stratified ones, which depend on what the rows hold
        and not on their order. A splitter gets the rows in the order of the table, and folds that
        are given outright name its rows.
    holdout : float, default 1/3
        Share of the rows that "holdout" holds out, drawn at random.
    cross_validate : bool, default False
        Whether to cross-validate all machines whatever they are chosen by, for the results and the
        plot; with "holdout", on the rows that are not held out.
    prune : bool, default True
        Whether "bound" may stop a run where no larger machine can have the best certificate. The
        choice is the same; the results then lack these sizes.
    n_jobs : int, optional
        Threads of each search; -1 for all. The model is the same for any number.
    random_state : int, generator or None, default None
        Seed of the folds and of the rows held out; None is 0.

    Attributes
    ----------
    model_, certificate_ : Model, Certificate
        The chosen machine and its certificate.
    path_ : list of PathEntry
        The machines of its run up to its size; the last is ``model_``.
    best_params_ : dict
        The point of the grid, with ``max_rules`` as the size that was chosen.
    best_estimator_ : estimator
        The machine as if fitted with these parameters.
    tail_certificate_ : Certificate
        The certificate from the rows that it learnt from, also where ``certificate_`` is from rows
        held out; to verify it then, give those a ``sample_weight`` of zero.
    cv_results_ : dict of str to array
        One row for each machine: parameters, size, training error, certificate, and losses in
        testing.
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
        """As for the machine."""
        return getattr(self.estimator, "categorical_features", None)

    @property
    def _max_classes(self) -> int | None:
        settings = getattr(self.estimator, "settings_class", None)
        return None if settings is None else settings.max_classes

    def _families(self) -> tuple[Family, ...]:
        made = [machine.settings() for machine in self._machines(self._points())]
        return tuple(family for settings in made for family in settings.families())

    @property
    def results_(self) -> Any:
        """``cv_results_`` as a dataframe, of the same library as the training data."""
        check_is_fitted(self)
        return frame(self._columns, installed(self._library))

    def plot_path(self, ax: Any = None) -> Any:
        """Draw training error, certified error and, where there is one, cross-validated error.

        For the chosen point of the grid, against the size of the machine. Needs matplotlib.

        Returns
        -------
        matplotlib's Axes
        """
        check_is_fitted(self)
        return path_figure(**self._curves, ax=ax)

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **metadata: Any) -> BoundSearch:
        """Try all machines of the grid, and keep the best; see ``RuleClassifier.fit``.

        Parameters
        ----------
        X, y, sample_weight
            As in ``RuleClassifier.fit``.
        **metadata
            ``groups``, one for each row, for cross-validation: a splitter gets them, and a number
            of folds then means folds that keep groups together. With scikit-learn's metadata
            routing, whatever the splitter requests.
        """
        self._metadata = self._read_metadata(sample_weight, metadata, y)
        try:
            super().fit(X, y, sample_weight)
        finally:
            metadata = self._metadata
            del self._metadata
        if "groups" in metadata:
            self._caution_of_groups(metadata["groups"])
        results, rows = self._results, self._rows
        del self._results, self._rows  # a fitted search does not keep the training data
        self._columns, self._curves = results.columns(), results.curves()
        self.tail_certificate_ = self.certificate_
        if results.held_certificate is not None:
            self.certificate_ = replace(
                results.held_certificate,
                held=tuple(sorted(rows[list(results.held_certificate.held)].tolist())),
                canonical=self._canonical,
                cautions=self.certificate_.cautions,
            )
            self.model_ = replace(self.model_, certificate=self.certificate_)
        self.cv_results_ = {name: np.array(v) for name, v in self._columns.items()}
        self.best_params_ = results.best_params
        self.best_estimator_ = self._machine(self.best_params_)
        for name in COPIED:
            setattr(self.best_estimator_, name, getattr(self, name))
        if hasattr(self, "feature_names_in_"):
            self.best_estimator_.feature_names_in_ = self.feature_names_in_
        return self

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what ``fit`` takes: ``sample_weight`` itself, and what the splitter requests.

        The machines are not fitted one by one, so a request of ``estimator`` changes nothing: call
        ``set_fit_request(sample_weight=True)`` of the search.
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

    def _read_metadata(
        self, sample_weight: Any, metadata: Mapping[str, Any], y: Any
    ) -> dict[str, Any]:
        """Metadata for the splitter: an array by name, with one value for each row."""
        given = {name: value for name, value in metadata.items() if value is not None}
        if "groups" in given and not self._crosses:
            raise InputError(
                f"groups serve cross-validation only, and by={self.by!r} does none. Use by='cv' or "
                "cross_validate=True. A certificate takes rows to be independent: to certify "
                "groups, fit on one row of each."
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

    def _learn(self, sample: Sample) -> Path:
        if self.by not in WAYS:
            raise InputError(f"by must be one of {', '.join(map(repr, WAYS))}, got {self.by!r}.")
        points = self._points()
        sample = restricted(sample, self.estimator.settings())
        ordered = in_search_order(sample, self._families())
        self._rows, self._canonical = ordered.rows, ordered.names is not None
        self._seed = read_seed(self.random_state)
        choose = self._by_holdout if self.by == "holdout" else self._by_training
        self._results = choose(points, ordered)
        entries = self._results.path
        return restored(Path(entries, len(entries) - 1, f"by {self.by}"), sample, ordered)

    def _by_training(self, points: Sequence[dict[str, Any]], sample: Sample) -> Results:
        """Learn from all rows; choose by certificate, or by losses in cross-validation."""
        crossing = self._crosses
        tried = make_runs(self._runs(points, sample), prune=self.prune and not crossing)
        if not crossing:
            return Results(points, tried, best_by_certificate(tried))
        losses = self._crossed(points, sample, tried)
        by_losses = self.by == "cv"
        chosen = best_by_losses(tried, losses) if by_losses else best_by_certificate(tried)
        return Results(points, tried, chosen, crossed=losses)

    def _by_holdout(self, points: Sequence[dict[str, Any]], sample: Sample) -> Results:
        """Learn from some rows, choose by the others, and certify by these."""
        rows, held = split_at_random(sample.y.size, self.holdout, self._seed)
        if self._canonical:  # of these rows only, because verification has no others
            rows = rows[sample.take(rows).canonical_places()]
        learnt, new = sample.take(rows), sample.take(held)
        runs = self._runs(points, learnt)
        for family in (family for run in runs for family in run.task.families):
            if isinstance(family, Spatial) and not family.handles_missing:
                refuse_missing(new.table, family.name)
        tried = [
            replace(run, path=[entry.renumbered(rows) for entry in run.path])
            for run in make_runs(runs, prune=False)
        ]
        crossed = self._crossed(points, learnt, tried) if self.cross_validate else None
        losses = [joined([_losses(run, run, new)], [float(new.weight.sum())]) for run in tried]
        chosen = best_by_losses(tried, losses)
        body = chosen.entry.model.body
        certificate = certify_held_out(
            body.classify(new.table) != new.y,
            new.y,
            held,
            seed=self._seed,
            classes=len(sample.classes),
            models=len({entry.model.body for run in tried for entry in run.path}),
            delta=chosen.entry.certificate.delta,
            abstains=body.abstains,
            written=_distinct(
                family
                for run in tried
                for family in run.run.task.families
                if isinstance(family, ExpertTests)
            ),
        )
        return Results(points, tried, chosen, crossed, held=losses, held_certificate=certificate)

    def _crossed(
        self, points: Sequence[dict[str, Any]], sample: Sample, tried: Sequence[Tried]
    ) -> list[Losses]:
        """Cross-validate all runs; one greedy run for each fold gives all sizes."""
        lost: list[list[Any]] = [[] for _ in tried]
        tested = []
        for train, test in folds_of(self.cv, sample.y, self._seed, sample.rows, self._metadata):
            new = sample.take(test)
            tested.append(float(new.weight.sum()))
            runs = make_runs(self._runs(points, sample.take(train)), prune=False)
            for losses, run, whole in zip(lost, runs, tried, strict=True):
                losses.append(_losses(run, whole, new))
        return [joined(losses, tested) for losses in lost]

    def _points(self) -> list[dict[str, Any]]:
        if not _is_greedy(self.estimator):
            found = type(self.estimator).__name__
            if isinstance(self.estimator, type):
                found = f"the class {self.estimator.__name__}: write {self.estimator.__name__}()"
            if hasattr(self.estimator, "steps"):
                raise InputError(
                    "BoundSearch cannot search a Pipeline. A certificate counts only rows that a "
                    "machine does not depend on, and a step that learns from all rows makes it "
                    "depend on each. Search the last step, BoundSearch(machine, grid), and put the "
                    "search at the end of the pipeline. Its certificate holds if the steps before "
                    "it learn nothing, or were fitted on other rows. To scale columns use "
                    "scale='standard' of the machine, which sets rows aside for that."
                )
            raise InputError(
                f"BoundSearch needs a SetCoveringMachine or a DecisionListMachine; found {found}. "
                "A tree chooses among its subtrees itself: TreeClassifier(pruning='bound')."
            )
        points = [dict(point) for point in ParameterGrid(self.grid)]
        if not points:
            raise InputError("The grid is empty: give at least one value for a parameter.")
        for name in sorted({name for point in points for name in point}):
            if name in REFUSED:
                raise InputError(f"The grid must not hold {name!r}: {REFUSED[name]}.")
        return points

    def _machine(self, point: Mapping[str, Any]) -> RuleClassifier:
        machine: RuleClassifier = clone(self.estimator).set_params(**point)
        return machine if self.n_jobs is None else machine.set_params(n_jobs=self.n_jobs)

    def _machines(self, points: Sequence[dict[str, Any]]) -> list[RuleClassifier]:
        # Copies of one clone: a deep copy of a function object would be another function.
        first = self._machine({})
        return [copy(first).set_params(**point) for point in points]

    def _runs(self, points: Sequence[dict[str, Any]], sample: Sample) -> list[GreedyRun]:
        """All runs; machines with the same search share its preparation."""
        machines = self._machines(points)
        made = [_greedy(machine) for machine in machines]
        check_functions(family for settings in made for family in settings.families())
        different = _distinct(
            (settings.families(), settings.consistent, arrangement)
            for settings in made
            for arrangement in settings.arrangements()
        )
        costs = _distinct(settings.costs(sample) for settings in made)
        if len(costs) > 1:  # they are in different units: compare by one of them
            costs = [_greedy(self.estimator).costs(sample)]
        tasks: list[GreedyTask] = []
        runs = []
        for number, (machine, settings) in enumerate(zip(machines, made, strict=True)):
            deadline = Deadline(settings.time_budget)
            task = settings.task(sample, deadline, machine._threads(), len(different))
            task = next((other for other in tasks if other.shares_search_with(task)), task)
            tasks.append(task)
            judge = None if task.costs == costs[0] else replace(task, costs=costs[0])
            for arrangement in settings.arrangements():
                runs.append(GreedyRun(number, arrangement, task, settings.stages, judge))
        return runs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            machines = [self._machine(point) for point in self._points()]
        except (TypeError, ValueError):
            return tags  # fit refuses parameters that make no sense
        found = [machine.__sklearn_tags__().input_tags for machine in machines]
        tags.input_tags.allow_nan = all(one.allow_nan for one in found)
        tags.input_tags.pairwise = any(one.pairwise for one in found)
        tags.input_tags.categorical = any(one.categorical for one in found)
        return tags


def _is_greedy(estimator: Any) -> bool:
    settings = getattr(estimator, "settings_class", None)
    return (
        not isinstance(estimator, type)
        and isinstance(settings, type)
        and issubclass(settings, GreedySettings)
    )


def _greedy(machine: Any) -> GreedySettings:
    settings = machine.settings()
    assert isinstance(settings, GreedySettings)
    return settings


def _losses(run: Tried, whole: Tried, new: Sample) -> Any:
    sizes = [entry.size for entry in whole.path]
    return losses_on(run.path, new, run.run.judged, sizes)


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Different values, in order; they need not be hashable."""
    kept: list[Any] = []
    for value in values:
        if value not in kept:
            kept.append(value)
    return kept
