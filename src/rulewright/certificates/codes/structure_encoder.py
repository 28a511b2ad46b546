"""Encoder of a canonical model: structure first, then conditions, then the examples in them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, groupby
from operator import attrgetter

from rulewright.certificates.codes.canonical_model import ALWAYS, literals_and_combinations
from rulewright.certificates.codes.codebook import Codebook, LiteralCode, kind_of
from rulewright.certificates.codes.prefix_code import Encoder
from rulewright.certificates.codes.structure_layout import (
    CONSTANT_WEIGHTS,
    branch_counts,
    may_have_equal_leaves,
    min_literals,
    tests_by_split,
)
from rulewright.certificates.codes.tree_parts import (
    Shares,
    TreeParts,
    second_leaves,
    split_numbers,
)
from rulewright.errors import CertificateError, InputError
from rulewright.rules import (
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    ClassScorecard,
    Conjunction,
    Disjunction,
    Node,
    Not,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Scorecard,
    WeightedRule,
    extreme_totals,
)


class StructureEncoder:
    """Encoder of one canonical model; ``rows`` are those its literals are built from, in order.

    Methods that write return nothing. ``StructureDecoder`` has the same methods for reading.
    """

    def __init__(self, codebook: Codebook, encoder: Encoder) -> None:
        self.codebook = codebook
        self.encoder = encoder
        self.rows: list[int] = []
        self._codes: dict[int, LiteralCode] = {}  # by identity: the model exists all along

    def arrangement(self, body: Arrangement) -> tuple[int, ...]:
        """Write any model but a tree; return its compression set."""
        used = self.rows_of([body])
        match body:
            case Conjunction(parts, then, otherwise) | Disjunction(parts, then, otherwise):
                self.output(then)
                self.output(otherwise, then)
                kind = "all" if isinstance(body, Conjunction) else "any"
                self.parts(kind, parts, min_literals(self.codebook, kind, len(used)))
            case RuleList(listed, default):
                self.rules(listed, default, len(used))
            case RuleVote(voters, default):
                self.rules(voters, default, len(used))
            case Scorecard():
                self.scorecard(body, len(used))
            case ClassScorecard():
                self.class_scorecard(body, len(used))
        return self.examples(used)

    def tree(self, parts: TreeParts) -> tuple[int, ...]:
        """Write a tree; return its compression set."""
        used = self.rows_of(parts.tests)
        self.tree_structure(parts, len(used))
        return self.examples(used)

    def examples(self, used: tuple[int, ...]) -> tuple[int, ...]:
        """Write the examples that the literals are built from."""
        place = {row: number for number, row in enumerate(used)}
        self.encoder.part("which examples").covering([place[row] for row in self.rows], len(used))
        return used

    def rows_of(self, nodes: Sequence[Node]) -> tuple[int, ...]:
        """Return the training rows that the literals are built from, in increasing order."""
        rows: set[int] = set()
        stack = list(nodes)
        while stack:
            node = stack.pop()
            if isinstance(node, Predicate) and kind_of(node) == "literal":
                rows.update(self.code_of(node).rows)
            else:
                stack += node.children
        return tuple(sorted(rows))

    def code_of(self, literal: Predicate) -> LiteralCode:
        """Return the code of a literal, computed once."""
        known = self._codes.get(id(literal))
        if known is None:
            known = self._codes[id(literal)] = self.codebook.code_of(literal)
        return known

    def rules(self, rules: Sequence[Rule], default: int | None, examples: int) -> None:
        """Write the rules of a list or a vote."""
        fewest = min_literals(self.codebook, None, examples)
        self.encoder.part("how many rules").size(len(rules) - fewest)
        self.default(default)
        for number, rule in enumerate(rules, 1):
            if isinstance(rule, WeightedRule):
                self.output(rule.output)
                self.encoder.part("which weights").real(rule.weight)
            else:  # the output of the last rule is not the default
                self.output(rule.output, default if number == len(rules) else None)
        for rule in rules:
            is_constant = rule.condition == ALWAYS
            if isinstance(rule, WeightedRule):
                self.encoder.part("which combinations").weighted(is_constant, CONSTANT_WEIGHTS)
            if not is_constant:
                self.condition(rule.condition)

    def scorecard(self, body: Scorecard, examples: int) -> None:
        """Write the points of a scorecard, its two classes, its cut and its conditions."""
        fewest = min_literals(self.codebook, None, examples)
        self.encoder.part("how many rules").size(len(body.lines) - fewest)
        self.points([line.points for line in body.lines])
        lowest, highest = extreme_totals(body.lines)
        self.output(body.outputs[0])
        cut = lowest if body.cut is None else body.cut
        self.encoder.part("which cut").choose(cut - lowest, highest - lowest + 1)
        for line in body.lines:
            self.condition(line.condition)

    def class_scorecard(self, body: ClassScorecard, examples: int) -> None:
        """Write the points of all classes, and the conditions."""
        if len(body.start) != self.codebook.classes:
            raise InputError(
                f"the scorecard has points for {len(body.start)} classes, and there are "
                f"{self.codebook.classes}."
            )
        fewest = min_literals(self.codebook, None, examples)
        self.encoder.part("how many rules").size(len(body.lines) - fewest)
        self.points(body.start)
        for line in body.lines:
            self.points(line.points)
        for line in body.lines:
            self.condition(line.condition)

    def points(self, points: Sequence[int]) -> None:
        """Write the largest absolute number of points, and all of them given that."""
        limit = max(map(abs, points), default=0)
        self.encoder.part("which points").size(limit)
        for number in points:
            self.encoder.choose(number + limit, 2 * limit + 1)

    def default(self, default: int | None) -> None:
        """Write the answer where no rule holds: a class, or the number after the last for none."""
        classes = self.codebook.classes
        if default is not None and not 0 <= default < classes:
            raise InputError(f"class {default} is not one of {classes}, numbered from 0.")
        number = classes if default is None else default
        self.encoder.part("which answers").choose(number, classes + 1)

    def tree_structure(self, parts: TreeParts, examples: int) -> None:
        """Write shape, shares, outputs and tests of a tree."""
        shape, joined, shares, tests, outputs = parts
        fewest = min_literals(self.codebook, None, examples)
        self.encoder.part("how many tests").size(len(tests) - fewest)
        self.encoder.part("which shape").shape(shape)
        if joined:
            self.encoder.part("which tests belong together").size(sum(joined))
            self.encoder.subset(joined)
        numbers = split_numbers(shape, joined)
        self.shares(shares, branch_counts(numbers))
        groups = tests_by_split(tests, numbers)
        compares = [self.compares(group) for group in groups]
        second = second_leaves(shape, may_have_equal_leaves(numbers, shares, compares))
        for output, before, is_second in zip(outputs, [0, *outputs], second, strict=False):
            self.output(output, before if is_second else None)
        for split, test in zip(numbers, tests, strict=True):
            if not compares[split]:
                self.condition(test)
            elif test is groups[split][0]:
                self.compared(groups[split])

    def compares(self, tests: Sequence[Predicate]) -> bool:
        """Write, where possible, whether all tests compare one column with single values."""
        if len(tests) < 2 or not self.codebook.comparable(len(tests)):
            return False
        compares = self.codebook.compared(tests) is not None
        self.encoder.part("which tests belong together").choose(int(compares), 2)
        return compares

    def compared(self, tests: Sequence[Predicate]) -> None:
        """Write the column that the tests compare with single values, and these values."""
        compared = self.codebook.compared(tests)
        columns = self.codebook.comparable(len(tests))
        assert compared is not None  # ``compares`` was true
        name, places = compared[0], {*compared[1]}
        number = [column for column, _ in columns].index(name)
        self.encoder.part("which columns and tests").choose(number, len(columns))
        self.encoder.subset([place in places for place in range(len(columns[number][1]))])

    def shares(self, shares: Sequence[Shares], branches: Sequence[int]) -> None:
        """Write the splits that distribute rows with missing values, and their sixteenths."""
        if not shares:
            return
        self.encoder.part("how missing values are shared out")
        self.encoder.size(sum(map(bool, shares)))
        self.encoder.subset([bool(some) for some in shares])
        for some, ways in zip(shares, branches, strict=True):
            units = [place for place, share in enumerate(some) for _ in range(share)]
            self.encoder.multiset(units, ways)

    def output(self, output: int, other: int | None = None) -> None:
        """Write a class, given that it is not the other one."""
        known = other is not None
        number = output - (output > other) if other is not None else output
        self.encoder.part("which answers").choose(number, self.codebook.classes - known)

    def condition(self, condition: Predicate) -> None:
        """Write a condition at the top."""
        self.choice(condition, ("literal", *self.codebook.within(None)))

    def choice(self, condition: Predicate, kinds: Sequence[str]) -> None:
        """Write the kind of a condition, one of ``kinds``, and the condition."""
        kind = kind_of(condition)
        if kind not in kinds:
            raise CertificateError(
                f"A condition combines parts by {kind!r}, which the certificate does not allow "
                f"there; it allows {', '.join(map(repr, kinds)) or 'nothing'}."
            )
        if len(kinds) > 1:
            self.encoder.part("which combinations").choose(kinds.index(kind), len(kinds))
        match condition:
            case Not(part):
                self.choice(part, ("literal", *self.codebook.within(kind)))
            case AtLeast(count, parts):
                self.parts(kind, parts)
                self.encoder.part("how many must hold").choose(count - 1, len(parts))
            case AllOf(parts) | AnyOf(parts):
                self.parts(kind, parts)
            case _:
                self.literal(condition)

    def parts(self, kind: str, parts: Sequence[Predicate], fewest: int = 2) -> None:
        """Write the parts of a combination."""
        literals, combined = literals_and_combinations(parts)
        kinds = self.codebook.within(kind)
        self.encoder.part("how many literals")
        if kinds:
            self.encoder.size(len(combined))
        self.encoder.size(len(literals) - max(fewest - len(combined), 0))
        self.literals(literals)
        for part in combined:
            self.choice(part, kinds)

    def literal(self, literal: Predicate) -> None:
        """Write a single literal, which is a multiset of one."""
        subject, option, rows = self.code_of(literal)
        subjects = self.codebook.subjects
        self.encoder.part("which columns and tests").choose(subject, len(subjects))
        self.encoder.choose(option, subjects[subject].options)
        self.rows += rows

    def literals(self, literals: Sequence[Predicate]) -> None:
        """Write a multiset of literals."""
        codes = [self.code_of(literal) for literal in literals]
        subjects = self.codebook.subjects
        self.encoder.part("which columns and tests")
        self.encoder.multiset([code.subject for code in codes], len(subjects))
        for subject, group in groupby(codes, attrgetter("subject")):
            self.encoder.multiset([code.option for code in group], subjects[subject].options)
        self.rows += chain.from_iterable(code.rows for code in codes)
