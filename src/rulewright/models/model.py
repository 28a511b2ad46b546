"""The classification model: a tree of nodes, bound to columns and classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib import import_module
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rulewright.data import Field, Table, frame_like
from rulewright.errors import InputError, preview
from rulewright.models.base import ALWAYS, BaseModel
from rulewright.models.costs import read_costs
from rulewright.models.explaining import reasons_of, runners_up_of, vote_reasons_of
from rulewright.models.profile import TrainingProfile
from rulewright.render import (
    NO_ANSWER,
    ExportedAnswers,
    NodeLabels,
    class_node_labels,
    class_text,
    rules_file_text,
    weight_text,
)
from rulewright.rules import (
    ABSTAIN,
    Answers,
    Arrangement,
    RulesFile,
    RuleVote,
    Tree,
    as_rule_list_with_answers,
    consistent_shares,
    simplified,
    simplified_with_answers,
)

Floats = NDArray[np.float64]
Label = str | int | float | bool

POLISHING = ("rulewright.learners", "polished_model")
EDITING = ("rulewright.certificates", "edited_model")
"""These packages are above this one, so the functions are looked up by name when needed."""

EVALUATION = ("rulewright.evaluation", "evaluate")
"""So is evaluation."""

REPORT = ("rulewright.report", "report_model")
"""So are reports."""

ABSTAINED, ABSTAINED_NUMBER = "abstain", -1
"""The labels of no answer: for classes that are texts or Booleans, and for numbers."""


def abstain_label(classes: Sequence[Any]) -> Label:
    """Return the label of no answer for these classes.

    Examples
    --------
    >>> abstain_label(["no", "yes"]), abstain_label([False, True])
    ('abstain', 'abstain')
    >>> abstain_label([0, 1]), abstain_label([0.5, 1.5])
    (-1, -1.0)
    """
    kinds = {type(label) for label in classes}
    if not kinds <= {int, float}:
        return ABSTAINED
    return float(ABSTAINED_NUMBER) if kinds == {float} else ABSTAINED_NUMBER


def with_abstention(labels: NDArray[Any], label: Label) -> NDArray[Any]:
    """Return the labels with the label of no answer at the end, where ``ABSTAIN`` indexes it.

    Examples
    --------
    >>> with_abstention(np.array(["no", "yes"]), "abstain")[[1, ABSTAIN]].tolist()
    ['yes', 'abstain']
    """
    like = labels if labels.dtype.kind in "iufU" else labels.astype(object)
    return np.append(like, np.array([label], object if like.dtype.kind == "O" else None))


class ModelCertificate(Protocol):
    """What a model uses of its certificate; ``rulewright.certificates`` has the rest."""

    def share_message(self, model: Model, body: Arrangement) -> bool:
        """Whether it holds for another body that answers every row as the model's does."""

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as a JSON object."""


@dataclass(frozen=True, repr=False)
class Model(BaseModel):
    """A classifier that can be run on any data with its columns.

    A list or a vote without a default abstains where no rule holds. Such a row gets the label
    ``abstain_label``: "abstain" for classes that are texts, -1 for numbers.

    Attributes
    ----------
    columns : tuple of Field
        All columns of the training data, in their order.
    classes : tuple
        The labels, in the order of the class numbers.
    body : Arrangement
        The tree of nodes.
    evidence : tuple of tuple of float
        For each rule of the body, the training weight of each class among the rows it answers.
        A row that a tree divides among several leaves counts at each of them by its share, as in
        C4.5, so that the sums are those of all training rows.
    target : str or None
        Name of the column that held the labels, where there was one.
    named : bool
        Whether the columns had names of their own.
    certificate : rulewright.certificates.Certificate or None
        ``models`` does not import ``certificates``: it uses a certificate as ``ModelCertificate``.
    profile : TrainingProfile or None
        Summary of the training rows, which ``drift`` compares new rows with.
    class_costs : tuple of float or None
        Costs of misclassifying a case of each class that the model was chosen by, if there were
        any.
    """

    columns: tuple[Field, ...]
    classes: tuple[Label, ...]
    body: Arrangement
    evidence: tuple[tuple[float, ...], ...]
    target: str | None = field(default=None, compare=False)
    named: bool = field(default=True, compare=False)
    certificate: Any = field(default=None, compare=False, repr=False)
    profile: TrainingProfile | None = field(default=None, compare=False, repr=False)
    class_costs: tuple[float, ...] | None = field(default=None, compare=False, repr=False)

    def __post_init__(self) -> None:
        self._check_columns()
        if len(set(self.classes)) < len(self.classes):
            raise ValueError("a class is listed twice")
        outputs = self.body.outputs
        answering = outputs[:-1] if self.abstains else outputs
        if any(not 0 <= output < len(self.classes) for output in answering):
            raise ValueError(f"a rule answers with a class that is not one of {self.classes}")
        if self.abstains and self.abstain_label in self.classes:
            raise InputError(
                f"the model abstains where no rule holds, which is said by the label "
                f"{self.abstain_label!r}, and that is one of its classes: {preview(self.classes)}; "
                "rename or recode this class, or give the model a default"
            )
        if len(self.evidence) != len(outputs) or any(
            len(row) != len(self.classes) for row in self.evidence
        ):
            raise ValueError("the evidence needs one row a rule and one number a class")
        if self.class_costs is not None and len(self.class_costs) != len(self.classes):
            raise ValueError("the costs need one number a class")

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label of each row, ``abstain_label`` where there is no answer.

        A dataframe needs only the columns that the rules use, in any order; an array needs all
        columns of training in their order.
        """
        return self.body.labelled(self.table(X), self.labels[list(self.body.outputs)])

    @property
    def abstains(self) -> bool:
        """Whether there may be rows that get no answer."""
        return self.body.abstains

    @property
    def abstain_label(self) -> Label:
        """The label of no answer: "abstain", and -1 where the classes are numbers."""
        return abstain_label(self.classes)

    @property
    def unanswered(self) -> float:
        """Training weight that got no answer."""
        return float(sum(self.evidence[-1])) if self.abstains else 0.0

    def answered(self, X: Any) -> NDArray[np.bool_]:
        """Return a mask of the rows that get an answer."""
        answered: NDArray[np.bool_] = self.body.classify(self.table(X)) != ABSTAIN
        return answered

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        It is the share of the class among the training rows that the same rule answers, each count
        raised by one (Laplace). Where a rule answers with another class than the most probable one,
        its class gets slightly more, so that ``predict`` is always the most probable class. A row
        that a tree divides among leaves gets the mixture of their probabilities, by its shares.
        Where there is no answer, the shares are those of the training rows that got none either.
        The probabilities of a vote follow from its votes (``RuleVote.chances``).
        """
        return self.chances(self.table(X))

    def decide(self, X: Any, class_costs: Any) -> NDArray[Any]:
        """Return the label of the smallest expected cost for each row, by ``predict_proba``.

        So the costs may change after learning. Of equally cheap classes, the answer of ``predict``
        comes first; with equal costs, all answers are those of ``predict``. A row without an answer
        stays without one. The certificate is about the answers of ``predict``: decisions by other
        costs may be wrong more often. Their cost is right on average where the probabilities are.

        Parameters
        ----------
        X : rows, as for ``predict``
        class_costs : dict
            ``{label: cost}`` of misclassifying a case of a class, or ``{(label, answer): cost}`` of
            answering with another class; 1 for all others.
        """
        return self.labels[self.decided(self.table(X), class_costs)[0]]

    def decided(self, table: Table, class_costs: Any) -> tuple[Answers, Answers, Floats]:
        """Return the class of the smallest expected cost, the rule that answers, and all chances.

        The class is ``ABSTAIN`` where there is no answer.
        """
        costs = read_costs(class_costs, self.classes)
        answers, chances = self.body.answered(table, self.probabilities)
        outputs = np.array(self.body.outputs, np.int32)[answers]
        risks = costs.risks(chances)
        cheaper = risks.min(axis=1) < risks[np.arange(table.rows), outputs]
        changed = np.where(cheaper, risks.argmin(axis=1), outputs)
        return np.where(outputs == ABSTAIN, ABSTAIN, changed).astype(np.int32), answers, chances

    def chances(self, table: Table) -> NDArray[np.float64]:
        """Return the probability of each class on the rows of a table; see ``predict_proba``."""
        return self.body.chances(table, self.probabilities)

    @property
    def support(self) -> list[tuple[float, float]]:
        """For each rule, the training weight that it answers, and how much of it has its class.

        The second number is 0 for no answer. Rows that a tree divides count by their shares.
        """
        return [
            (float(sum(row)), row[output] if output != ABSTAIN else 0.0)
            for row, output in zip(self.evidence, self.body.outputs, strict=True)
        ]

    @cached_property
    def labels(self) -> NDArray[Any]:
        """The classes as an array; if the model abstains, the label of no answer is at the end."""
        alike = len({type(label) for label in self.classes}) == 1
        plain = np.array(self.classes, None if alike else object)
        return with_abstention(plain, self.abstain_label) if self.abstains else plain

    @cached_property
    def probabilities(self) -> NDArray[np.float64]:
        """Probability of each class (columns) where each rule (rows) answers.

        Penalties or a limit on the rules may make a rule answer with a class that is not the most
        probable. This class then gets slightly more than the most probable one.
        """
        return consistent_shares(
            np.array(self.evidence, np.float64) + 1.0, np.array(self.body.outputs)
        )

    def judged(self, table: Table) -> tuple[Answers, NDArray[Any], NDArray[np.float64]]:
        """Return for each row the number of the rule that answers, its label and probability.

        The probability is NaN where there is no answer.
        """
        if self.judged_rules is not None:
            answers = self.body.answer(table)
            labels, likely = self.judged_rules
            return answers, labels[answers], likely[answers]
        answers, chances = self.body.answered(table, self.probabilities)
        return answers, *self._judged(np.array(self.body.outputs)[answers], chances)

    @cached_property
    def judged_rules(self) -> tuple[NDArray[Any], NDArray[np.float64]] | None:
        """The label and the probability of each rule's answer.

        None if rows that the same rule answers have different probabilities.
        """
        chances = self.body.chances_of_rules(self.probabilities)
        return None if chances is None else self._judged(np.array(self.body.outputs), chances)

    def _judged(
        self, outputs: NDArray[Any], chances: NDArray[np.float64]
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        likely = chances[np.arange(outputs.size), outputs]
        return self.labels[outputs], np.where(outputs == ABSTAIN, np.nan, likely)

    def label_of(self, output: int) -> Label:
        """Return the label of a class number, or of no answer."""
        return self.abstain_label if output == ABSTAIN else self.classes[output]

    def codes(self, y: Any) -> NDArray[np.int32]:
        """Return the class numbers of labels; unknown labels raise an error."""
        number = {label: code for code, label in enumerate(self.classes)}
        labels = np.asarray(y)
        if labels.ndim != 1:
            raise InputError(f"Labels must be a single column; found shape {labels.shape}.")
        given = labels.tolist()
        unknown = Counter(label for label in given if label not in number)
        if unknown:
            raise InputError(
                f"The labels hold {preview(unknown)}, but the model's classes are "
                f"{preview(self.classes)}."
            )
        return np.array([number[label] for label in given], np.int32)

    def get_rules(self, library: str | None = None) -> Any:
        """Return the rules as a dataframe, one row per rule, in the order in which they answer.

        Columns: ``number`` (from 1), ``rule`` (its condition), ``class`` (its answer), ``support``
        (training weight that it answers), ``coverage`` (that as a share of all), ``precision`` (the
        share of it that has the answer's class), ``literals``. The last rule of a model that
        abstains has the label of no answer, and no precision.

        Parameters
        ----------
        library : {"pandas", "polars", "pyarrow", "records"}, optional
            Kind of the result; "records" is a list of dicts. Without it, the first of these that is
            installed.
        """
        support, right = np.array(self.support).T
        with np.errstate(invalid="ignore", divide="ignore"):
            precision = right / support
        precision[np.array(self.body.outputs) == ABSTAIN] = np.nan
        labels = [self.label_of(output) for output in self.body.outputs]
        measured = {"precision": precision.tolist()}
        return self._listed({"class": labels}, support.tolist(), measured, library)

    def explain(self, X: Any) -> Any:
        """Explain each row's prediction, in a dataframe of the kind of ``X``.

        Its rows are those of ``X`` in their order, with the index of ``X`` if that is a pandas
        dataframe. Without a dataframe library it is a list of dicts (``rulewright.data.Records``).
        Columns: ``prediction``, ``probability`` (of that class; NaN where there is no answer),
        ``rule`` (its number in ``get_rules`` and in print), ``why`` (the row's own values against
        the rule; in a vote, all rules that voted for the class, and those against it), and
        ``runner_up`` (what would have answered instead, empty where nothing would: in a list the
        next rule that holds, in a vote the class with the second-most votes).
        """
        return frame_like(X, self.explained(self.table(X)))

    def explained(self, table: Table) -> dict[str, list[Any]]:
        """Return the columns of ``explain`` for the rows of a table."""
        answers, labels, likely = self.judged(table)
        names = [*self.answer_texts, NO_ANSWER]  # ABSTAIN finds the last
        body = self.body
        return {
            "prediction": labels.tolist(),
            "probability": likely.tolist(),
            "rule": (answers + 1).tolist(),
            "why": vote_reasons_of(body, table, answers, names)
            if isinstance(body, RuleVote)
            else reasons_of(body, table, answers),
            "runner_up": runners_up_of(body, table, answers, names, ALWAYS),
        }

    def node_labels(self, tree: Tree) -> NodeLabels:
        return class_node_labels(tree, self.classes, self.evidence)

    def _reworded(self, body: Arrangement) -> Model:
        return replace(self, body=body, certificate=None, profile=self.columns_profile)

    def as_rule_list(self) -> Model:
        """Return the same model as a list of rules: for a tree, one rule per leaf.

        It answers every row as this one does (``rulewright.rules.as_rule_list``). The probability
        where no rule holds is that of all leaves which became the default, together. A list has a
        different message from a tree, so the result has no certificate.
        """
        body, answers = as_rule_list_with_answers(self.body)
        evidence = np.zeros((len(body.rules), len(self.classes)))
        np.add.at(evidence, np.array(answers, np.intp), np.array(self.evidence, np.float64))
        rows = tuple(map(tuple, evidence.tolist()))
        return replace(
            self, body=body, evidence=rows, certificate=None, profile=self.columns_profile
        )

    def simplified(self, X: Any = None) -> Model:
        """Return a shorter model with the same answer for every possible row.

        Tests that others imply and rules that never answer are left out, and two bounds of a
        column become one interval (``rulewright.rules.simplified``). The certificate is kept if
        both models have the same message.

        Parameters
        ----------
        X : table, optional
            Rows, best those of training. With them, rules that answer none of these rows are left
            out too, and terms that make no difference on them: the answers for other rows may
            change, so a model that is simplified this way has no certificate.
        """
        table = None if X is None else self.table(X)
        body, answers = simplified_with_answers(self.body, table)
        if body == self.body:
            return self
        evidence = np.zeros((len(body.outputs), len(self.classes)))
        for before, after in zip(self.evidence, answers, strict=True):
            if after is not None:
                evidence[after] += before
        certificate: ModelCertificate | None = self.certificate
        if certificate is not None and not (
            body == simplified(self.body) and certificate.share_message(self, body)
        ):
            certificate = None
        rows = tuple(map(tuple, evidence.tolist()))
        return replace(
            self, body=body, evidence=rows, certificate=certificate, profile=self.columns_profile
        )

    def polished(
        self,
        X: Any,
        y: Any,
        *,
        sample_weight: Any = None,
        class_costs: Any = None,
        keep: Sequence[str] | None = None,
        forbid: Sequence[str] | None = None,
        price: float = 1.0,
    ) -> Model:
        """Return a model with better parts for these rows, at the same size or a smaller one.

        Conditions are chosen anew one by one, and cuts two by two; terms, rules and splits are
        dropped; neighbours in a list change places or are merged; answers are chosen anew. Each
        step lowers the loss on the rows plus ``price`` for each test. So the result is never worse
        than this model in that sum, and has no more tests. See docs/polishing.md.

        If X and y are the training data, the result has a certificate in the compression form,
        with the code of this model's. A model with another form of certificate, or with none, gets
        one for the families of ``family="auto"`` where it can. Otherwise there is none.

        Parameters
        ----------
        X, y : rows with all columns of training, and their labels
        sample_weight : array of weights of 0 or more
        class_costs : dict of label to number, "balanced" or None
            Cost of misclassifying a case of a class; 1 for other classes.
        keep, forbid : list of column names
            Columns that new tests may use, or not use.
        price : float
            Price of a test, in rows of weight 1.
        """
        module, name = POLISHING
        polish: Callable[..., Model] = getattr(import_module(module), name)
        return polish(
            self,
            X,
            y,
            sample_weight=sample_weight,
            class_costs=class_costs,
            keep=keep,
            forbid=forbid,
            price=price,
        )

    def to_rules(self) -> str:
        """Return the model as a rules file, which a person can edit and ``edited`` reads.

        Every row gets the same answer. Scorecards of three classes or more, and tests of several
        columns, cannot be written so. See docs/editing.md.
        """
        return rules_file_text(RulesFile.of(self.body), self.classes)

    def edited(
        self,
        rules: str | None = None,
        X: Any = None,
        y: Any = None,
        *,
        drop: Collection[int] = (),
        simplify: bool = False,
        settled: bool = False,
        delta: float | None = None,
        sample_weight: Any = None,
    ) -> Model:
        """Return a model with rules that a person edited, certified on X and y if they are given.

        Without X and y the model has no certificate, and its probabilities are all alike.

        Parameters
        ----------
        rules : str, optional
            Text of a rules file, as ``to_rules`` returns it; by default the rules of this model.
        X, y : rows with all columns of training, and their labels
        drop : collection of int
            Numbers of rules to leave out, counted from 1.
        simplify : bool, default=False
            Leave out tests and rules that make no difference to any row.
        settled : bool, default=False
            Whether these rules were settled before X and y were seen, and no others were tried on
            them. The bound is then that of a test. It is not true if they were not. Otherwise, the
            bound pays for the description of the rules, and holds however they were chosen.
        delta : float, optional
            Probability with which the certificate may fail; by default this model's, or 0.05.
        sample_weight : array of weights of 0 or more
        """
        module, name = EDITING
        edit: Callable[..., Model] = getattr(import_module(module), name)
        options = {"settled": settled, "delta": delta, "sample_weight": sample_weight}
        return edit(self, rules, X, y, drop=drop, simplify=simplify, **options)

    def report(self, X: Any, y: Any, path: Any, **options: Any) -> None:
        """Write an HTML page about the model, which must have a certificate.

        The page needs no network. Its reader can try cases, see the cases of each rule, and edit
        the model. See docs/report.md.

        Parameters
        ----------
        X, y : training data with all its columns
        path : file of the page
        **options
            ``title``, ``sizes``, ``notices``, ``embed_rows`` and ``by``, as in
            ``rulewright.report.report_model``.
        """
        module, name = REPORT
        write: Callable[..., None] = getattr(import_module(module), name)
        write(self, X, y, path, **options)

    def test(
        self,
        X: Any,
        y: Any,
        *,
        by: Any = None,
        class_costs: Any = None,
        sample_weight: Any = None,
        delta: float = 0.05,
    ) -> Any:
        """Test the model on rows with known classes that it was not learnt from.

        The error with an exact interval, the confusion matrix, AUC, calibration, each rule, groups,
        costs, and a test of the errors against the certificate. See docs/testing-and-monitoring.md.

        Parameters
        ----------
        X, y : rows as for ``predict``, and their labels
            Rows without a label are left out. A label that is not one of the model's classes counts
            as misclassified.
        by : str, list of str or dict, optional
            Columns of X whose values form groups, or names with the group of each row.
        class_costs : dict, optional
            ``{label: cost}`` of misclassifying a case of a class, 1 for others. By default the
            costs that the model was chosen by, if any.
        sample_weight : array, optional
            Weights of the rows: rows of weight zero are left out, and the weighted error is given
            besides the others, which count each row once.
        delta : float, default=0.05
            Maximum probability that the interval of the error fails; the same for the table of
            rules, of calibration, and of all groups. Level of the test against the certificate.

        Returns
        -------
        rulewright.evaluation.ModelTest
        """
        module, name = EVALUATION
        evaluate: Callable[..., Any] = getattr(import_module(module), name)
        return evaluate(
            self,
            X,
            y,
            by=by,
            class_costs=class_costs,
            sample_weight=sample_weight,
            delta=delta,
        )

    @property
    def exported_answers(self) -> ExportedAnswers:
        probabilities = tuple(map(tuple, self.probabilities.tolist()))
        label = self.abstain_label if self.abstains else None
        return ExportedAnswers(self.classes, probabilities, label)

    @property
    def answer_texts(self) -> list[str]:
        return list(map(class_text, self.classes))

    @property
    def rule_support(self) -> list[tuple[float, float]]:
        return self.support

    @property
    def _answers_text(self) -> str:
        return f", classes {preview(self.classes)}"

    @property
    def unanswered_text(self) -> str:
        """Training weight without an answer, as printed after "no answer"."""
        everything = sum(map(sum, self.evidence))
        counted = f"{weight_text(self.unanswered)} of {weight_text(everything)}"
        return f" ({counted} training cases)" if everything else ""
