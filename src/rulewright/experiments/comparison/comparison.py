"""Comparison of learners on a table of the user."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from rulewright.data import (
    ResultStore,
    content_key,
    detect_table,
    draw_rows,
    frame,
    frame_library,
    write_atomically,
)
from rulewright.errors import InputError
from rulewright.experiments.cells import Result
from rulewright.experiments.comparison.comparison_page import (
    comparison_page,
    pareto_chart,
    tests_against,
)
from rulewright.experiments.comparison.entrants import SLOW, descriptions_of, estimators_of
from rulewright.experiments.comparison.measures import Measures, SplitFacts
from rulewright.experiments.comparison.measuring import ComparisonTask, row_count, taken
from rulewright.experiments.comparison.recommendation import Recommendation
from rulewright.experiments.folds import Fold, held_out_fold, make_folds, time_folds
from rulewright.experiments.pages import ResultPage
from rulewright.experiments.runner import CellProgress, run_cells

QUICK_ROWS = 2000
"""Maximum number of rows of a quick comparison."""
QUICK_FOLDS = 5


class SvgImage(str):
    """A drawing as SVG text, which notebooks show."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the drawing to a file."""
        with write_atomically(path) as temporary:
            temporary.write_text(self, encoding="utf-8")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Result of ``compare``; printing it shows the whole page.

    Attributes
    ----------
    measures : list of Measures
        The learners by increasing loss, each with its results on all splits.
    refused : dict
        Learners that cannot learn from this table, with the reason.
    """

    title: str
    measures: list[Measures]
    refused: dict[str, str]
    facts: SplitFacts
    how: str
    costs: Mapping[Any, float] | None
    descriptions: Mapping[str, str]
    library: str | None = None

    @property
    def frame(self) -> Any:
        """Dataframe with a row for each learner, by increasing loss.

        Columns: ``learner``, ``error``, ``deviation``, ``balanced_error``, ``cost``, ``rules``,
        ``literals``, ``size``, ``certificate``, ``fit_seconds``: means over the splits.
        """
        found = self.measures
        return frame(
            {
                "learner": [one.name for one in found],
                "error": [float(one.errors.mean()) for one in found],
                "deviation": [one.deviation() for one in found],
                "balanced_error": [one.balanced_error for one in found],
                "cost": [None if one.costs is None else one.loss for one in found],
                "rules": [one.mean("rules") for one in found],
                "literals": [one.mean("literals") for one in found],
                "size": [one.size for one in found],
                "certificate": [one.mean("bound") for one in found],
                "fit_seconds": [one.mean("fit_seconds") for one in found],
            },
            self.library,
        )

    def test_rows(self) -> list[dict[str, Any]]:
        """Paired tests of all learners against that of the lowest loss.

        ``difference`` is the loss minus the lowest, with its 95 % interval from ``low`` to
        ``high``; ``p_value_holm`` is corrected for the number of tests.
        """
        columns = ("learner", "difference", "low", "high", "p_value", "p_value_holm")
        rows = tests_against(self.recommendation.best, self.measures, self.facts)
        return [dict(zip(columns, row, strict=True)) for row in rows]

    @property
    def tests(self) -> Any:
        """Dataframe of ``test_rows``."""
        rows = self.test_rows()
        return frame(
            {name: [row[name] for row in rows] for name in (rows or [{}])[0]}, self.library
        )

    @cached_property
    def recommendation(self) -> Recommendation:
        """The model to take."""
        return Recommendation.of(self.measures, self.facts, self.costs is not None)

    @property
    def summary(self) -> str:
        """Which model to take, and what the smaller one costs, in words."""
        return " ".join(self.recommendation.sentences())

    def plot(self) -> SvgImage:
        """Chart of the loss against the size of the models, as SVG."""
        return SvgImage(pareto_chart(self.measures, self.recommendation))

    @property
    def page(self) -> ResultPage:
        """The page with summary, table, chart and tests."""
        return comparison_page(
            self.title,
            self.measures,
            self.refused,
            self.facts,
            self.recommendation,
            self.how,
            self.descriptions,
        )

    def save_report(self, path: str | os.PathLike[str]) -> None:
        """Write the page as one HTML file."""
        with write_atomically(path) as temporary:
            temporary.write_text(self.page.html(), encoding="utf-8")

    def __str__(self) -> str:
        return self.page.text()

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return f"<p>{self.summary}</p>{self.plot()}"


def compare(
    estimators: Any,
    X: Any,
    y: Any,
    *,
    folds: int | None = None,
    repeats: int | None = None,
    seed: int = 0,
    groups: Any = None,
    times: Any = None,
    X_test: Any = None,
    y_test: Any = None,
    class_costs: Mapping[Any, float] | None = None,
    categorical_features: Any = None,
    quick: bool = False,
    max_rows: int | None = None,
    n_jobs: int | None = None,
    store: str | os.PathLike[str] | ResultStore | None = None,
    title: str = "Comparison of learners",
    progress: CellProgress | None = None,
) -> Comparison:
    """Compare classifiers on the same splits of a table.

    Parameters
    ----------
    estimators : dict of name to classifier, list of classifiers or names, or None
        Any classifier of scikit-learn. Names are those of ``rulewright compare``; None is all of
        them. A classifier that cannot read text or missing values is put behind an encoder, which
        learns from the training rows of each split.
    X : array, dataframe or Table
    y : array of labels
    folds : int, default 10, or 5 if quick
    repeats : int, default 3, or 1 if quick
        Cross-validation is repeated with other shuffles.
    seed : int, default=0
    groups : array, optional
        Rows of one group stay in one fold.
    times : array, optional
        Each fold is tested by models of earlier rows.
    X_test, y_test : optional
        Rows to test on, instead of cross-validation.
    class_costs : dict of label to number, optional
        Cost of misclassifying a case of a class, 1 for others. Learners that can use it get it, and
        costs are compared instead of errors.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories.
    quick : bool, default=False
        One shuffle of five folds of at most 2,000 rows, without slow baselines and without a
        choice of their parameters.
    max_rows : int, optional
        Compare on a random sample of the rows.
    n_jobs : int, optional
        Number of processes; -1 for one on each core.
    store : path or ResultStore, optional
        Where finished results are kept; a comparison that was stopped goes on from there.
    title : str
    progress : callable, optional
        See ``rulewright.experiments.run_cells``.

    Returns
    -------
    Comparison
        With ``frame``, ``summary``, ``plot()``, ``tests``, ``page`` and ``save_report(path)``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from rulewright import TreeClassifier, compare
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> models = {"tree": TreeClassifier(preset="c4.5"), "naive Bayes": GaussianNB()}
    >>> found = compare(models, X, y, folds=5, repeats=2)
    >>> found.frame["learner"].tolist()
    ['naive Bayes', 'tree']
    >>> print(found.summary.partition(". ")[0])
    The lowest error is that of naive Bayes: 4.7 % of the cases are wrong
    """
    task = _task(
        X, y, groups, times, X_test, y_test, max_rows or (QUICK_ROWS if quick else None), seed
    )
    table = detect_table(task.X, categorical_features)
    made = estimators_of(
        estimators,
        table,
        quick=quick,
        seed=seed,
        class_costs=class_costs,
        categorical_features=categorical_features,
    )
    folds = folds or (QUICK_FOLDS if quick else 10)
    repeats = repeats or (1 if quick else 3)
    task = _split(task, made, folds, repeats, seed)
    results = _run(task, store, n_jobs, progress)
    prices = _prices(class_costs, task.classes)
    measures, refused = _measured(results, task, prices)
    if not measures:
        raise InputError(f"No learner can learn from this table: {next(iter(refused.values()))}")
    how = _how(task, repeats, row_count(X))
    if quick and estimators is None:
        how += f" The quick form has no {', '.join(SLOW)}, and baselines with their defaults."
    return Comparison(
        title,
        measures,
        refused,
        SplitFacts.of(task.folds),
        how,
        class_costs,
        descriptions_of(estimators, made),
        frame_library(X),
    )


def _task(
    X: Any,
    y: Any,
    groups: Any,
    times: Any,
    X_test: Any,
    y_test: Any,
    max_rows: int | None,
    seed: int,
) -> ComparisonTask:
    """The rows to compare on, without splits."""
    if sum(given is not None for given in (groups, times, X_test)) > 1:
        raise InputError("Splits are by groups, by times or by test rows: give one of these.")
    if (X_test is None) != (y_test is None):
        raise InputError("Test rows need both X_test and y_test.")
    labels = _plain(y)
    parts = [labels] if y_test is None else [labels, _plain(y_test)]
    whole = np.concatenate(parts)
    classes = np.unique(whole)
    if labels.size != row_count(X):
        raise InputError(f"X has {row_count(X)} rows, but y has {labels.size} labels.")
    if classes.size < 2:
        raise InputError(f"There must be at least two classes, got only {classes.tolist()}.")
    chosen = _sampled(X, labels, classes, max_rows, seed)
    by_group, by_time = (None if u is None else np.asarray(u)[chosen] for u in (groups, times))
    kept = X if chosen.size == labels.size else taken(X, chosen)
    return ComparisonTask(
        kept,
        np.concatenate([labels[chosen], *parts[1:]]),
        classes,
        folds=(),
        estimators={},
        groups=by_group,
        times=by_time,
        X_test=X_test,
    )


def _plain(y: Any) -> NDArray[Any]:
    """Labels of a plain type: scikit-learn refuses numbers that are held as objects."""
    labels = np.asarray(y)
    if labels.dtype == object and len(set(map(type, labels.tolist()))) == 1:
        return np.array(labels.tolist())
    return labels


def _sampled(
    X: Any, labels: NDArray[Any], classes: NDArray[Any], max_rows: int | None, seed: int
) -> NDArray[np.intp]:
    """Numbers of the rows to compare on, in increasing order."""
    if max_rows is None or max_rows >= labels.size:
        return np.arange(labels.size)
    codes = np.searchsorted(classes, labels)
    key, order = content_key("sample", detect_table(X), classes.tolist(), codes, recipe=seed)
    return np.sort(order[draw_rows(key, 0, labels.size, max_rows)])


def _split(
    task: ComparisonTask, estimators: dict[str, Any], folds: int, repeats: int, seed: int
) -> ComparisonTask:
    made: list[Fold]
    rows = row_count(task.X)
    if task.X_test is not None:
        made = [held_out_fold(rows, row_count(task.X_test))]
    elif task.times is not None:
        made = time_folds(task.times, folds=folds)
    else:
        codes = np.searchsorted(task.classes, task.y)
        order = content_key("folds", detect_table(task.X), task.classes.tolist(), codes)[1]
        made = make_folds(
            codes, folds=folds, repeats=repeats, seed=seed, groups=task.groups, order=order
        )
    return replace(task, folds=made, estimators=estimators)


def _run(
    task: ComparisonTask, store: Any, n_jobs: int | None, progress: CellProgress | None
) -> list[Result]:
    jobs = 1 if n_jobs is None else effective_n_jobs(n_jobs)
    if isinstance(store, ResultStore) or store is None:
        return run_cells(
            task.cells(),
            store=store,
            jobs=jobs,
            context=task,
            context_key=task.key(),
            progress=progress,
        )
    with ResultStore(Path(store)) as opened:
        return _run(task, opened, n_jobs, progress)


def _prices(class_costs: Mapping[Any, float] | None, classes: NDArray[Any]) -> Any:
    if class_costs is None:
        return None
    strange = [label for label in class_costs if label not in classes.tolist()]
    if strange or not all(float(cost) > 0 for cost in class_costs.values()):
        raise InputError(
            f"class_costs must have numbers above 0 for some of the classes {classes.tolist()}, "
            f"got {dict(class_costs)}."
        )
    return np.array([float(class_costs.get(label, 1.0)) for label in classes.tolist()])


def _measured(
    results: Sequence[Result], task: ComparisonTask, prices: Any
) -> tuple[list[Measures], dict[str, str]]:
    """Measures of the learners by increasing loss, and the reasons of those that refused."""
    by_name: dict[str, list[dict[str, Any]]] = {name: [] for name in task.estimators}
    for result in results:
        by_name[result.cell.parameters["learner"]].append(result.values)
    refused = {
        name: next(one["refused"] for one in values if "refused" in one)
        for name, values in by_name.items()
        if any("refused" in one for one in values)
    }
    truth = None
    if len(task.folds) == 1:
        truth = np.searchsorted(task.classes, task.y[task.folds[0].test])
    found = [
        Measures(name, np.array([one["confusion"] for one in values]), prices, values, truth)
        for name, values in by_name.items()
        if name not in refused
    ]
    return sorted(found, key=lambda one: (one.loss, one.size or 0.0, one.name)), refused


def _how(task: ComparisonTask, repeats: int, given: int) -> str:
    """How the learners were tested, in words."""
    rows, number = row_count(task.X), len(task.folds)
    sample = "" if rows == given else f", a random sample of {given:,}"
    if task.X_test is not None:
        return (
            f"Learnt from {rows:,} rows{sample}, tested on {row_count(task.X_test):,} other rows. "
            "The intervals and tests compare the answers to these rows, and hold for the fitted "
            "models."
        )
    if task.times is not None:
        kind = f"{number} tests in the order of time, each on rows later than those learnt from"
    else:
        together = ", groups kept together" if task.groups is not None else ""
        times = "once" if repeats == 1 else f"{repeats} times with other shuffles"
        kind = f"{number // repeats}-fold cross-validation{together}, {times}"
    return (
        f"{rows:,} rows{sample}; {kind}. All learners had the same splits, and made all their "
        "choices on the training rows. ± is the standard deviation over the test folds. Intervals "
        "and tests have the correction of Nadeau and Bengio (2003), because training sets overlap."
    )
