"""Statements that the check rows of a split certificate allow besides the bound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from rulewright.certificates.group_statements import GroupStatements
from rulewright.certificates.rule_statements import (
    AbstentionStatement,
    OtherModelBound,
    RuleStatements,
)
from rulewright.certificates.split_statements import (
    CheckRows,
    Predictor,
    abstention_statement,
    checked_delta,
    checked_rows,
    group_statements,
    other_model_bound,
    rule_statements,
)
from rulewright.certificates.splits import RowSplit
from rulewright.certificates.training_data import TrainingData
from rulewright.errors import InputError
from rulewright.models import Model

if TYPE_CHECKING:
    from rulewright.certificates.forms.split import SplitCertificate


class CheckRowStatements(ABC):
    """What a split certificate says of rules, groups of cases and other models.

    Each is a statement of its own with the confidence of the certificate.
    """

    unit: str

    @abstractmethod
    def split_again(self, model: Model, data: TrainingData) -> RowSplit:
        """Draw the split of the certificate again."""

    @property
    def _certificate(self) -> SplitCertificate:
        return cast("SplitCertificate", self)

    def check_rows(
        self,
        model: Model,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        times: Any = None,
        keys: Any = None,
    ) -> NDArray[np.intp]:
        """Return the numbers of the check rows in the training table, from 0, in increasing order.

        The split is drawn again with the key; nothing is learnt again. The same holds for the other
        statements below: they trust that the model is in the pool, which ``verify`` checks.

        Parameters
        ----------
        model : Model
            The model of this certificate.
        X, y, sample_weight, times, keys
            The training data, as in ``verify``.

        Raises
        ------
        CertificateError
            If the data is not the training data, or the certificate is not the model's.

        Examples
        --------
        ::

            rows = tree.certificate_.check_rows(tree.model_, X, y)
            confusion = pd.crosstab(y.iloc[rows], tree.predict(X.iloc[rows]))
        """
        return self._checked(model, X, y, sample_weight, times, keys).rows

    def by_group(
        self,
        groups: Any,
        model: Model,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        times: Any = None,
        keys: Any = None,
        delta: float | None = None,
    ) -> GroupStatements:
        """Return the error rates of groups of cases, and bounds on how much they differ.

        With two classes there are three rates of each group: of all cases, of the negatives (false
        alarms) and of the positives (misses). With more classes there is one for all cases and one
        for each class. With probability at least 1 - delta the intervals of all rates of all groups
        hold at once, and with them all differences. A case without an answer is misclassified.

        The groups must be a function of the columns of a row, or known beforehand. They must not
        be made by looking at the classes of the check rows or at the errors of the model. Choosing
        among several ways to group the rows, after looking at the results, is not paid for.

        Parameters
        ----------
        groups : array or series
            The group of each training row, in the order of ``X``; it need not be a column that the
            model may use. Missing values are a group of their own.
        model, X, y, sample_weight, times, keys
            As in ``check_rows``.
        delta : float, optional
            Maximum probability that any of the intervals fails. Default: that of the certificate.

        Examples
        --------
        ::

            found = tree.certificate_.by_group(X["race"], tree.model_, X, y)
            print(found)
            found["Asian"].rates["miss"].high
            found.largest_difference.high
        """
        check = self._checked(model, X, y, sample_weight, times, keys)
        return group_statements(
            self._certificate, model, check, groups, checked_delta(self._certificate, delta)
        )

    def by_rule(
        self,
        model: Model,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        times: Any = None,
        keys: Any = None,
        delta: float | None = None,
    ) -> RuleStatements:
        """Return bounds on the precision and the coverage of each rule, valid all at once.

        Which rule answers a case depends on its columns only, so the check rows that a rule answers
        are a sample of the cases that it answers. In a vote a case counts at the heaviest rule that
        voted for its answer.

        Parameters
        ----------
        model, X, y, sample_weight, times, keys, delta
            As in ``by_group``.

        Examples
        --------
        ::

            print(tree.certificate_.by_rule(tree.model_, X, y))
        """
        check = self._checked(model, X, y, sample_weight, times, keys)
        return rule_statements(
            self._certificate, model, check, checked_delta(self._certificate, delta)
        )

    def abstention(
        self,
        model: Model,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        times: Any = None,
        keys: Any = None,
        delta: float | None = None,
    ) -> AbstentionStatement:
        """Return bounds on the error among answered cases and on the share without an answer.

        ``bound`` counts cases without an answer as misclassified. Here they are apart.

        Parameters
        ----------
        model, X, y, sample_weight, times, keys, delta
            As in ``by_group``.

        Examples
        --------
        ::

            rules = RuleListClassifier(default="abstain", certificate="split").fit(X, y)
            print(rules.certificate_.abstention(rules.model_, X, y))
        """
        check = self._checked(model, X, y, sample_weight, times, keys)
        return abstention_statement(
            self._certificate, check, checked_delta(self._certificate, delta)
        )

    def bound_of_other(
        self, model: Model, other: Predictor, unlabelled_X: Any, *, delta: float | None = None
    ) -> OtherModelBound:
        """Return a bound on the error of another model, from rows without labels.

        The other model errs at most where the certified one does or where both differ. Half of
        delta is for the certified model, half for the share of cases that they answer differently.

        The rows without labels must be independent draws from the source of new cases. They must
        have had no part in either model: not in learning, nor in choosing among models. The other
        model may be any function of the training rows, for instance one learnt from all of them.

        Parameters
        ----------
        model : Model
            The model of this certificate.
        other : Model or estimator
            Anything that has ``predict`` and answers with the same labels.
        unlabelled_X : table
            Rows without labels, with the columns of both models.
        delta : float, optional
            Maximum probability that the bound fails. Default: that of the certificate.

        Examples
        --------
        ::

            forest = RandomForestClassifier().fit(X, y)
            print(tree.certificate_.bound_of_other(tree.model_, forest, new_cases))
        """
        self._refuse_groups()
        return other_model_bound(
            self._certificate, model, other, unlabelled_X, checked_delta(self._certificate, delta)
        )

    def _checked(
        self, model: Model, X: Any, y: Any, sample_weight: Any, times: Any, keys: Any
    ) -> CheckRows:
        """Return the check rows with the answers of the model."""
        self._refuse_groups()
        data = TrainingData.of(model, X, y, sample_weight, times=times, keys=keys)
        return checked_rows(self._certificate, model, data, self.split_again(model, data).check)

    def _refuse_groups(self) -> None:
        if self.unit == "group":
            raise InputError(
                "Such statements count check rows, which must be independent of each other. This "
                "certificate is from rows in groups: fit on one row of each group instead."
            )
