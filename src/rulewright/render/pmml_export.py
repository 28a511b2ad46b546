"""Models as a document of PMML 4.4: one tree whose leaves are the rules.

The class and the number of the rule are those of the leaf. Probabilities and reasons are looked up
by the number of the rule, because evaluators may divide the shares of a leaf by their sum, which
can change their last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from xml.etree.ElementTree import Element

from rulewright.data import Field
from rulewright.errors import UnrenderableError
from rulewright.render.code_writing import comment_text
from rulewright.render.export_programs import ExportedModel, check_line, program_of
from rulewright.render.pmml_conditions import DATA_TYPES, PmmlConditions, added
from rulewright.render.pmml_elements import (
    constant,
    element,
    field_ref,
    missing_constant,
    xml_lines,
)
from rulewright.render.programs import (
    BandForm,
    BranchForm,
    Condition,
    FirstTrueForm,
    ModelProgram,
    TreeForm,
)

NAMESPACE = "http://www.dmg.org/PMML-4_4"
MAX_TOTAL = 2**53
"""Sums of whole numbers up to this are exact doubles."""
MAX_DEPTH = 400
"""Maximum depth of a tree: readers of XML limit the depth of elements."""


def pmml_export(model: ExportedModel, *, reasons: bool = True) -> str:
    """Write a model as a document of PMML 4.4.

    Parameters
    ----------
    model : ExportedModel
    reasons : bool, default=True
        Whether the document holds the text of each rule.
    """
    program = program_of(model, reasons=reasons)
    document = PmmlDocument(program, model.target or "target")
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + "".join(xml_lines(document.root()))


class PmmlDocument:
    """The parts of a document.

    Parameters
    ----------
    program : ModelProgram
    target : str
        Name of the field that is predicted; lengthened where an input has it.
    """

    def __init__(self, program: ModelProgram, target: str) -> None:
        self.program = program
        self.conditions = PmmlConditions(program, {field.name for field in program.inputs})
        self.target = self.conditions.new_name(target)
        self.prediction = self.conditions.new_name("prediction")
        self.rule = self.conditions.new_name("rule")
        self.shares: list[str] = []
        """Derived fields of the probabilities, where they are not those of the rule."""

    def root(self) -> Element:
        """Return the whole document."""
        dictionary, tree = self._dictionary(), self._tree()
        function = "classification" if self.program.is_classifier else "regression"
        transformations = element("LocalTransformations", *self.conditions.derived)
        model = element(
            "TreeModel",
            self._schema(),
            self._output(),
            transformations if len(transformations) else None,
            tree,
            functionName=function,
            missingValueStrategy="none",
            noTrueChildStrategy="returnNullPrediction",
            splitCharacteristic="multiSplit",
        )
        return element("PMML", self._header(), dictionary, model, xmlns=NAMESPACE, version="4.4")

    def _header(self) -> Element:
        first, *rest = map(comment_text, self.program.head)
        notes = [element("Annotation", line) for line in [*rest, check_line("pmml")]]
        return element(
            "Header", element("Application", name="Rulewright"), *notes, description=first
        )

    def _dictionary(self) -> Element:
        answers = self.program.labels if self.program.is_classifier else ()
        values = [element("Value", value=label_text(label)) for label in answers]
        target = element("DataField", *values, name=self.target, **self._types())
        fields = [*map(_data_field, self.program.inputs), target]
        return element("DataDictionary", *fields, numberOfFields=str(len(fields)))

    def _types(self) -> dict[str, str]:
        """Return the type of the answers."""
        if not self.program.is_classifier:
            return {"optype": "continuous", "dataType": "double"}
        return {"optype": "categorical", "dataType": _label_type(self.program.labels)}

    def _schema(self) -> Element:
        fields = [
            element(
                "MiningField",
                name=field.name,
                usageType="active",
                missingValueTreatment="asIs",
                # NaN is an invalid number; without a list of values every category is valid.
                invalidValueTreatment="asMissing",
            )
            for field in self.program.inputs
        ]
        target = element("MiningField", name=self.target, usageType="target")
        return element("MiningSchema", *fields, target)

    def _output(self) -> Element:
        program = self.program
        outputs = [
            element("OutputField", name=self.prediction, feature="predictedValue", **self._types()),
            element(
                "OutputField",
                name=self.rule,
                feature="entityId",
                optype="categorical",
                dataType="integer",
            ),
        ]
        if program.is_classifier:
            for name, numbers in self._probabilities().items():
                outputs.append(self._share_field(name, numbers))
        if program.reasons:
            reasons = program.reasons
            outputs.append(self._looked_up("reason", reasons, "categorical", "string"))
        return element("Output", *outputs)

    def _probabilities(self) -> dict[str, list[float | None]]:
        """Return for each output its number by the rule: of the answer, and of each class."""
        rows, outputs = self.program.probabilities, self.program.outputs
        found: dict[str, list[float | None]] = {
            "probability": [
                None if output < 0 else row[output]
                for row, output in zip(rows, outputs, strict=True)
            ]
        }
        for place, _ in enumerate(self.program.answers):
            found[f"probability_{place + 1}"] = [row[place] for row in rows]
        return found

    def _share_field(self, name: str, numbers: Sequence[float | None]) -> Element:
        if not self.shares:
            texts = [None if number is None else repr(float(number)) for number in numbers]
            return self._looked_up(name, texts, "continuous", "double")
        return element(
            "OutputField",
            field_ref(self.shares[int(name[12:]) if "_" in name else 0]),
            name=self.conditions.new_name(name),
            feature="transformedValue",
            optype="continuous",
            dataType="double",
        )

    def _looked_up(
        self, name: str, texts: Sequence[str | None], optype: str, data_type: str
    ) -> Element:
        """Return an output that depends on the number of the rule."""
        rows = [
            element("row", element("rule", str(number)), element("value", text))
            for number, text in enumerate(texts, 1)
            if text is not None
        ]
        table = element(
            "MapValues",
            element("FieldColumnPair", field=self.rule, column="rule"),
            element("InlineTable", *rows),
            outputColumn="value",
            dataType=data_type,
        )
        return element(
            "OutputField",
            table if rows else missing_constant(),
            name=self.conditions.new_name(name),
            feature="transformedValue",
            optype=optype,
            dataType=data_type,
        )

    def _tree(self) -> Element:
        """Return the tree that finds the rule."""
        match self.program.choice:
            case FirstTrueForm(tests):
                return self._branches(element("True"), tests, range(len(tests) + 1), 0)
            case TreeForm(nodes) as tree if not tree.is_divided:
                return self._walk(nodes)
            case BandForm() as choice:
                return self._band(choice)
            case choice:
                # sqlglot takes a fifth of a second to import, and few programs need it.
                from rulewright.render.pmml_sums import sums_by_class  # noqa: PLC0415

                rule, self.shares = sums_by_class(self.program, self.conditions, choice)
                return self._by_rule(rule)

    def _leaf(self, rule: int, predicate: Element) -> Element:
        output = self.program.outputs[rule]
        label = self.program.labels[output]
        return element("Node", predicate, id=str(rule + 1), score=label_text(label))

    def _branches(
        self, predicate: Element, tests: Sequence[Condition], rules: Sequence[int], number: int
    ) -> Element:
        """Return a node whose first child with a true test is taken, otherwise the last."""
        predicates = [*map(self.conditions.predicate, tests), element("True")]
        leaves = map(self._leaf, rules, predicates)
        return element("Node", predicate, *leaves, id=f"node {number}")

    def _walk(self, nodes: Sequence[BranchForm]) -> Element:
        """Return the tree of some branchings; children are made before their parents."""
        if not nodes:
            return self._leaf(0, element("True"))
        made: dict[int, Element] = {}
        depths: dict[int, int] = {}
        for number in reversed(range(len(nodes))):
            node = nodes[number]
            predicates = [*map(self.conditions.predicate, node.tests), element("True")]
            children = []
            for branch, predicate in zip(node.branches, predicates, strict=True):
                if branch < 0:
                    children.append(self._leaf(~branch, predicate))
                else:
                    made[branch].insert(0, predicate)
                    children.append(made.pop(branch))
            depths[number] = 1 + max((depths[b] for b in node.branches if b >= 0), default=0)
            made[number] = element("Node", *children, id=f"node {number}")
        if depths[0] > MAX_DEPTH:
            raise UnrenderableError(
                f"The tree has a depth of {depths[0]}, and a document of PMML at most {MAX_DEPTH}. "
                "Prune the tree, or export it to another form."
            )
        made[0].insert(0, element("True"))
        return made[0]

    def _band(self, choice: BandForm) -> Element:
        if sum(map(abs, choice.points)) > MAX_TOTAL or any(
            abs(low) > MAX_TOTAL for low in choice.lows
        ):
            raise UnrenderableError(
                f"The points of the scorecard are above {MAX_TOTAL}, where their sums are not "
                "exact in PMML. Export the model to another form."
            )
        terms = [
            self.conditions.flag(form, float(points))
            for form, points in zip(choice.conditions, choice.points, strict=True)
        ]
        total = self.conditions.add("total", added(terms or [constant(0.0)]))
        leaves = []
        for rule, low in reversed(list(enumerate(choice.lows, 1))):
            predicate = element(
                "SimplePredicate", field=total, operator="greaterOrEqual", value=repr(float(low))
            )
            leaves.append(self._leaf(rule, predicate))
        return element(
            "Node", element("True"), *leaves, self._leaf(0, element("True")), id="node 0"
        )

    def _by_rule(self, rule: str) -> Element:
        """Return a tree that takes the rule of a derived field."""
        leaves = []
        for number, _ in enumerate(self.program.outputs):
            predicate = element(
                "SimplePredicate", field=rule, operator="equal", value=repr(float(number + 1))
            )
            leaves.append(self._leaf(number, predicate))
        return element("Node", element("True"), *leaves, id="node 0")


def _data_field(field: Field) -> Element:
    if field.moment is not None and field.moment not in DATA_TYPES:
        raise UnrenderableError(
            f"Column {field.name!r:.80} holds {field.moment}s, which pmml has no exact type for. "
            "Store it as a number or as a datetime without a time zone, and train on that."
        )
    if field.moment is not None:
        data_type = DATA_TYPES[field.moment]
    else:
        data_type = {"numeric": "double", "boolean": "boolean"}.get(field.kind, "string")
    optype = "continuous" if field.is_numeric else "categorical"
    return element("DataField", name=field.name, optype=optype, dataType=data_type)


def _label_type(labels: Sequence[Any]) -> str:
    if all(isinstance(label, bool) for label in labels):
        return "boolean"
    if all(isinstance(label, str) for label in labels):
        return "string"
    return "integer" if all(isinstance(label, int) for label in labels) else "double"


def label_text(label: Any) -> str:
    """Return a label as the value of an attribute."""
    if isinstance(label, bool):
        return "true" if label else "false"
    return label if isinstance(label, str) else repr(label)
