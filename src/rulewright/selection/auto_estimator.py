"""The automatic choice among all learners as an estimator."""

from __future__ import annotations

from functools import partial
from typing import Any

from rulewright.certificates import certified_front
from rulewright.learners import Path, RuleClassifier, Sample, Units, entry_worth, estimator_of
from rulewright.selection.auto import AutoSettings
from rulewright.selection.front_plot import front_figure


@estimator_of(AutoSettings)
class AutoClassifier(RuleClassifier):
    """The best of all learners that is small enough to read, with a certificate.

    Set covering machines or decision lists, trees (CART and C4.5), RIPPER, rules from trees, rule
    lists, votes of single tests, SLIPPER and scorecards learn candidates of many sizes from random
    halves of the rows. The other rows check them. The certificate holds for all candidates at once,
    so the choice among learners, settings and sizes is paid for once. By default the model is the
    best of those with at most 15 rules or lines with points.

    {parameters}

    {attributes}

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rulewright import AutoClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = AutoClassifier().fit(X, y)
    """

    _path_text = "The best candidate of each size; ``model_`` is one of them."
    _attributes_text = """
    front_ : list of PathEntry
        The candidates of ``path_`` that have a better certificate than all smaller ones.
    """
    _costs: tuple[float, ...] | None = None

    def _learn(self, sample: Sample, units: Units) -> Path:
        path = super()._learn(sample, units)
        self._costs = None if path.costs is None else tuple(map(float, path.costs))
        return path

    @property
    def front_(self) -> list[Any]:
        """The certified front: models with a better certificate than all smaller ones."""
        return certified_front(self.path_, partial(entry_worth, costs=self._costs))

    def plot_front(self, ax: Any = None) -> Any:
        """Draw the certified and the training error, or cost, of each size of the front.

        Needs matplotlib.

        Returns
        -------
        matplotlib's Axes
        """
        return front_figure(self.front_, self._costs, ax)
