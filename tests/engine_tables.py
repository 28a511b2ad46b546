"""Real and hard tables in every engine, and their models in memory, each made once."""

import warnings
from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import polars as pl
from lazy_frames import plain, ugly_frame, written
from sklearn.base import BaseEstimator

from rulewright.data import open_data

TABLES = (
    "adult australian banknote breastw car german_readable glass heart_cleveland mushroom pima "
    "titanic_passengers wine"
).split()
MAX_ROWS = 2_000
KEY = "number"


class Learner(NamedTuple):
    """An estimator, given the number of rows.

    With a split certificate, or if it is ``keyed``, the key of the rows is used.
    """

    make: Callable[[int], BaseEstimator]
    keyed: bool = False


class Tables:
    """Tables by name, in engines and in memory.

    Parameters
    ----------
    folder : folder of the real tables
    load : function that brings a frame into an engine, given the engine, a name and the frame
    """

    def __init__(self, folder, load):
        self._folder = folder
        self._load = load
        self.frame, self.loaded, self.in_memory = (
            cache(one) for one in (self.frame, self.loaded, self.in_memory)
        )

    def frame(self, name):
        """Rows of a table with a key; the class is the last column."""
        frame = hostile_frame() if name == "hostile" else real_frame(self._folder, name)
        keys = np.random.default_rng(1).permutation(frame.height) * 7919
        return frame.select(pl.Series(KEY, keys), pl.all())

    def loaded(self, engine, name):
        """Lazy frame of a table in an engine."""
        return self._load(engine, name, self.frame(name))

    def in_memory(self, learner, name):
        """Model file of a table, learnt from the rows in memory."""
        return self._learnt(learner, name, self.frame(name))

    def in_engine(self, learner, name, engine):
        """Model file of a table, learnt in an engine."""
        return self._learnt(learner, name, self.loaded(engine, name))

    def _learnt(self, learner, name, rows):
        """Model file without cautions, which need rows in memory."""
        frame = self.frame(name)
        estimator, target = learner.make(frame.height), frame.columns[-1]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if estimator.get_params()["certificate"] == "split":
                return written(plain(estimator.fit(rows, target=target, key=KEY).model_))
            if learner.keyed:
                return written(estimator.fit(rows, target=target, key=KEY).model_)
            without = nw.to_native(nw.from_native(rows).drop(KEY))
            return written(estimator.fit(without, target=target).model_)


def real_frame(folder, name, most=MAX_ROWS):
    """A table of the folder; of more than ``most`` rows some at equal distances."""
    (path,) = folder.glob(f"{name}.csv*")
    with open_data(path) as file:
        table = file.read()
    frame = pl.DataFrame({c.name: pl.Series(c.cells(), strict=False) for c in table.columns})
    frame = frame.filter(pl.col(frame.columns[-1]).is_not_null())
    return frame.gather_every(-(-frame.height // most))


def hostile_frame(rows=150):
    """Ties, missing values, hostile names, and categories, many of them with one row.

    So check rows have categories that no design row has.
    """
    rare = [f"{number}'" if number % 3 == 0 else "common" for number in range(rows)]
    return ugly_frame(rows, "npq").select(pl.Series("rare", rare), pl.all())
