"""Tables as numbers for scikit-learn's classifiers, learnt from the rows of the fit only."""

from __future__ import annotations

import warnings
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler

from rulewright.data import CategoricalColumn, Table, detect_table, fit_table

MISSING = "(missing)"
MAX_RANGES = 10
"""Maximum number of ranges that a column of numbers is cut into."""


class TableCells(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Turns a table of any kind into an array of its cells, which scikit-learn can split.

    Nothing is learnt but the kinds of the columns: numbers stay numbers, categories become text.
    """

    def __init__(self, categorical_features: Any = None) -> None:
        self.categorical_features = categorical_features

    def fit(self, X: Any, y: Any = None) -> TableCells:
        """Find the kinds of the columns."""
        table = detect_table(X, self.categorical_features)
        self.fields_, self.named_ = table.fields, table.named
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Array of numbers and texts."""
        names = [field.name for field in self.fields_]
        return _cells(fit_table(X, self.fields_, names, named=self.named_))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        return tags


class TableEncoder(TableCells):
    """Turns a table of any kind into a matrix of numbers without missing values.

    A missing number becomes the median, and a further column says that it was missing. A category
    becomes a column of 0 and 1; a missing one counts as a category, and one that did not occur in
    training is 0 in all columns. Medians, means, deviations, ranges and categories are those of
    the rows given to ``fit``.

    Parameters
    ----------
    numbers : {"scaled", "plain", "ranges"}, default="scaled"
        Numbers with mean 0 and deviation 1, as they are, or cut into at most ten ranges with about
        equally many rows, each a column of 0 and 1.
    categorical_features : list of column names or positions, optional
        Numeric columns that hold categories.

    Examples
    --------
    >>> import numpy as np
    >>> rows = np.array([[1.0, "a"], [3.0, "b"], [np.nan, "a"]], dtype=object)
    >>> TableEncoder("plain").fit_transform(rows)
    array([[1., 0., 1., 0.],
           [3., 0., 0., 1.],
           [2., 1., 1., 0.]])
    """

    def __init__(
        self,
        numbers: Literal["scaled", "plain", "ranges"] = "scaled",
        categorical_features: Any = None,
    ) -> None:
        super().__init__(categorical_features)
        self.numbers = numbers

    def fit(self, X: Any, y: Any = None) -> TableEncoder:
        """Learn medians, scales and categories."""
        super().fit(X)
        table = detect_table(X, self.categorical_features)
        numeric = [i for i, field in enumerate(table.fields) if field.is_numeric]
        others = [i for i, field in enumerate(table.fields) if not field.is_numeric]
        categories = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        columns = ColumnTransformer(
            [("numbers", self._numeric_steps(), numeric), ("categories", categories, others)],
            sparse_threshold=0,
        )
        with warnings.catch_warnings():
            # Columns with few values have fewer ranges.
            warnings.filterwarnings("ignore", "Bins whose width|Feature .* is constant")
            self.columns_ = columns.fit(_cells(table))
        return self

    def _numeric_steps(self) -> Any:
        steps: list[Any] = [SimpleImputer(add_indicator=True, keep_empty_features=True)]
        steps[0].set_params(strategy="median")
        if self.numbers == "scaled":
            steps.append(StandardScaler())
        if self.numbers == "ranges":
            ranges = KBinsDiscretizer(
                MAX_RANGES, encode="onehot-dense", strategy="quantile", subsample=None
            )
            steps.append(ranges.set_params(**_quantile_method(ranges)))
        return make_pipeline(*steps)

    def transform(self, X: Any) -> NDArray[np.float64]:
        """Matrix of a table with the columns of the fit."""
        cells = super().transform(X)
        found: NDArray[np.float64] = np.asarray(self.columns_.transform(cells), float)
        return found


def _quantile_method(ranges: KBinsDiscretizer) -> dict[str, str]:
    """The parameter that newer versions of scikit-learn want to be named."""
    known = "quantile_method" in ranges.get_params()
    return {"quantile_method": "averaged_inverted_cdf"} if known else {}


def _cells(table: Table) -> NDArray[Any]:
    """Cells of a table: numbers, and texts for categories."""
    cells = np.empty((table.rows, len(table.columns)), dtype=object)
    for place, column in enumerate(table.columns):
        if isinstance(column, CategoricalColumn):
            names = np.array([*map(str, column.categories), MISSING], dtype=object)
            cells[:, place] = names[column.codes]
        else:
            cells[:, place] = column.values
    return cells
