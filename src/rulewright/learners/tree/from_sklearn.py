"""Models made from decision trees of scikit-learn."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from rulewright.certificates import Certificate, Code, cautions, certify
from rulewright.data import Field, Table, detect_table, fit_table
from rulewright.errors import InputError
from rulewright.families import (
    Family,
    Midpoints,
    MissingValues,
    Singles,
    halfway,
    singles,
    unrounded,
)
from rulewright.models import Model, kept_rows, normalised_weight
from rulewright.rules import Leaf, Missing, Predicate, Split, Threshold, Tree, reanchored

LANGUAGES: tuple[tuple[Family, ...], ...] = ((Midpoints(),), (Midpoints(), MissingValues()))
"""Families in which a tree may be encoded: with or without tests for missing values."""

Rows = NDArray[np.intp]


def from_sklearn(
    tree: DecisionTreeClassifier,
    X: Any,
    y: Any = None,
    *,
    sample_weight: Any = None,
    delta: float = 0.05,
) -> Model:
    """Make a model of a decision tree that scikit-learn has fitted.

    It answers every row as the tree does, to the last bit and missing values included: the tree
    rounds values to single precision, and the cuts of the model are those of unrounded values.
    (Numbers are doubles here: whole numbers beyond 2**53 are rounded twice.)

    Parameters
    ----------
    tree : DecisionTreeClassifier or ExtraTreeClassifier
        Fitted, with one output.
    X : array or dataframe
        What it was fitted on.
    y : array of labels, optional
        The labels it was fitted on. With these the model has a certificate, from the training data
        alone: each cut is halfway between two examples. Where one is not (random cuts, or X is not
        what the tree was fitted on), a warning says so and the model has none.
    sample_weight : array, optional
        The weights it was fitted with: rows of weight zero count as absent.
    delta : float, default 0.05
        The certificate fails with at most this probability.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> tree = DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y)
    >>> model = from_sklearn(tree, X, y)
    >>> print(model.rounded(3, X).model)
    if worst radius > 16.795: class 0
    else:
      if worst concave points > 0.136: class 0
      else: class 1
    >>> model.certificate.errors, len(model.certificate.examples)
    (34, 4)
    """
    _check_tree(tree)
    table, named = _table_of(tree, X)
    kept = kept_rows(sample_weight, table.rows)
    training = table.take(kept) if kept.size < table.rows else table
    conversion = _Conversion(tree, training)
    answers = np.bincount(conversion.body.answer(training), minlength=len(conversion.body.outputs))
    model = Model(
        table.fields,
        tuple(tree.classes_.tolist()),
        conversion.body,
        _evidence(tree, _scale(sample_weight, kept)),
        target=_name_of(y),
        named=named,
    ).profiled(training, answers.tolist())
    certificate = None
    if y is not None:
        codes = _codes(model, y, table.rows)[kept]
        certificate = _certificate(model, conversion, codes, delta)
    if kept.size < table.rows:
        model = replace(model, body=reanchored(model.body, kept))
    if certificate is None:
        return model
    roles = {role: tuple(kept[list(rows)].tolist()) for role, rows in certificate.roles.items()}
    certificate = replace(certificate, roles=roles)
    certificate.verify(model, X, y, sample_weight)
    return replace(model, certificate=certificate)


@dataclass(eq=False)
class _Conversion:
    """A tree of scikit-learn, and the examples that it was fitted on.

    ``strange`` is the first of its nodes whose cut is not halfway between two of these, found while
    the ``body`` is made.
    """

    tree: DecisionTreeClassifier
    training: Table
    strange: int | None = None
    _used: set[int] = field(default_factory=set)

    @cached_property
    def body(self) -> Tree:
        grown = self.tree.tree_
        is_leaf = grown.children_left < 0
        cuts = unrounded(np.where(np.isinf(grown.threshold), 0.0, grown.threshold))
        outputs = grown.value[:, 0].argmax(axis=1)  # ties go to the lower class, as in its predict
        waiting: dict[int, Rows] = {0: np.arange(self.training.rows)}
        nodes: list[Split | Leaf] = []
        for number in range(grown.node_count):
            rows = waiting.pop(number)
            if is_leaf[number]:
                nodes.append(Leaf(int(outputs[number])))
                continue
            left, right = int(grown.children_left[number]), int(grown.children_right[number])
            goes_left = self._goes_left(number, rows)
            waiting[left], waiting[right] = rows[goes_left], rows[~goes_left]
            anchors = self._anchors(number, waiting[left], waiting[right])
            test = self._test(number, float(cuts[number]), anchors)
            # Missing values go down the last branch.
            swapped = bool(grown.missing_go_to_left[number])
            nodes.append(Split((test,), (right, left) if swapped else (left, right)))
        return Tree(tuple(nodes))

    @cached_property
    def _singles(self) -> list[Singles]:
        return [singles(column.values) for column in self.training.numeric]

    def _goes_left(self, number: int, rows: Rows) -> NDArray[np.bool_]:
        grown = self.tree.tree_
        values = self._singles[grown.feature[number]][rows].astype(np.float64)
        below: NDArray[np.bool_] = values <= grown.threshold[number]
        return below | np.isnan(values) if grown.missing_go_to_left[number] else below

    def _test(self, number: int, cut: float, anchors: tuple[int, ...]) -> Predicate:
        """Test that holds for the rows that do not go down the branch of missing values."""
        grown = self.tree.tree_
        name = self.training.names[grown.feature[number]]
        if np.isinf(grown.threshold[number]):  # all values go left, missing values right
            return Missing(name, missing=False)
        above = bool(grown.missing_go_to_left[number])
        return Threshold(name, above, cut, anchored_on=anchors)

    def _anchors(self, number: int, left: Rows, right: Rows) -> tuple[int, ...]:
        """Examples with the largest value that goes left and the smallest that goes right.

        Of several the one that is an anchor already, so that fewer examples rebuild the tree.
        """
        threshold = self.tree.tree_.threshold[number]
        if np.isinf(threshold):
            return ()
        values = self._singles[self.tree.tree_.feature[number]]
        low = np.nanmax(values[left], initial=-np.inf)
        high = np.nanmin(values[right], initial=np.inf)
        if not np.isfinite([low, high]).all() or halfway(low, high) != threshold:
            self.strange = number if self.strange is None else self.strange
            return ()
        anchors = (
            self._anchor(left[values[left] == low]),
            self._anchor(right[values[right] == high]),
        )
        self._used.update(anchors)
        return anchors

    def _anchor(self, rows: Rows) -> int:
        return next((row for row in rows.tolist() if row in self._used), int(rows[0]))


def _certificate(
    model: Model, conversion: _Conversion, codes: NDArray[np.int32], delta: float
) -> Certificate | None:
    """Certify the tree, or warn why it cannot be certified."""
    if conversion.strange is not None:
        grown = conversion.tree.tree_
        name = model.columns[grown.feature[conversion.strange]].name
        warnings.warn(
            f"The model has no certificate: the tree's cut {name} <= "
            f"{grown.threshold[conversion.strange]} is not halfway between two rows of X that part "
            "there. Either its cuts are random (ExtraTreeClassifier, splitter='random'), or X is "
            "not what it was fitted on; give the same rows, and sample_weight where it was given.",
            UserWarning,
            stacklevel=3,
        )
        return None
    tests_missing = bool(np.isinf(conversion.tree.tree_.threshold).any())
    code = Code(
        LANGUAGES[tests_missing], len(model.classes), settings=len(LANGUAGES), combinations=()
    )
    certificate = certify(model.body, conversion.training, codes, code, delta=delta)
    return replace(certificate, cautions=cautions(model, conversion.training, codes))


def _check_tree(tree: Any) -> None:
    if not isinstance(tree, DecisionTreeClassifier):
        raise InputError(
            f"from_sklearn takes a DecisionTreeClassifier or ExtraTreeClassifier; found a "
            f"{type(tree).__name__}. Of a forest, give one of its estimators_; numbers "
            "(regression) have no classes to answer with."
        )
    try:
        check_is_fitted(tree)
    except NotFittedError as error:
        raise InputError("The tree is not fitted: call its fit(X, y) first.") from error
    if tree.n_outputs_ != 1:
        raise InputError(
            f"The tree answers {tree.n_outputs_} questions at once (y had as many columns); a "
            "model answers one. Fit a tree for each column of y."
        )


def _table_of(tree: DecisionTreeClassifier, X: Any) -> tuple[Table, bool]:
    """Table of numbers, with its columns in the order of the tree, and whether they have names.

    The names are those that the tree was fitted with, or else those of X.
    """
    if hasattr(X, "toarray"):
        raise InputError("X is sparse; a table with all its values is needed: give X.toarray().")
    found = detect_table(X)
    given = getattr(tree, "feature_names_in_", None)
    by_name = given is not None and found.named
    if not by_name and len(found.columns) != tree.n_features_in_:
        raise InputError(
            f"The tree was fitted on {tree.n_features_in_} columns; X has {len(found.columns)}. "
            "Give the data that it was fitted on."
        )
    names = found.names if given is None else given.tolist()
    columns = [Field(name, "numeric") for name in names]
    _check_numbers(found)
    return fit_table(X, columns, names, named=found.named), found.named or given is not None


def _check_numbers(table: Table) -> None:
    for column in table.categorical:
        if column.kind != "boolean":
            raise InputError(
                f"Trees of scikit-learn test numbers, but column {column.name!r} of X holds "
                "categories. Give the data that the tree was fitted on, after any encoding."
            )


def _scale(sample_weight: Any, kept: NDArray[np.intp]) -> float:
    """Factor that puts the weights on the scale of all learners."""
    if sample_weight is None:
        return 1.0
    weight = np.asarray(sample_weight, np.float64)[kept]
    return float(normalised_weight(weight).sum() / weight.sum())


def _evidence(tree: DecisionTreeClassifier, scale: float) -> tuple[tuple[float, ...], ...]:
    """Training weight of each class in each leaf; since scikit-learn 1.3 the tree keeps shares."""
    grown = tree.tree_
    weight = grown.value[:, 0] * grown.weighted_n_node_samples[:, None] * scale
    whole = np.rint(weight)
    weight = np.where(np.isclose(weight, whole, rtol=1e-12, atol=1e-9), whole, weight)
    return tuple(map(tuple, weight[grown.children_left < 0].tolist()))


def _codes(model: Model, y: Any, rows: int) -> NDArray[np.int32]:
    codes = model.codes(y)
    if codes.size != rows:
        raise InputError(f"X has {rows} rows, but y has {codes.size} labels: one a row is needed.")
    return codes


def _name_of(y: Any) -> str | None:
    name = getattr(y, "name", None)
    return name if isinstance(name, str) else None
