"""Decoder of what a ``StructureEncoder`` wrote."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress, groupby, islice

from rulewright.certificates.codes.canonical_model import ALWAYS, CANONICAL_RISK
from rulewright.certificates.codes.codebook import Codebook
from rulewright.certificates.codes.prefix_code import Decoder
from rulewright.certificates.codes.structure_layout import (
    CONSTANT_WEIGHTS,
    KINDS,
    branch_counts,
    may_have_equal_leaves,
    min_literals,
)
from rulewright.certificates.codes.tree_parts import (
    Shares,
    TreeParts,
    joinable,
    second_leaves,
    split_numbers,
    tree_from_parts,
)
from rulewright.errors import CertificateError, InputError
from rulewright.families import Examples
from rulewright.rules import (
    SHARES,
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    Category,
    ClassScorecard,
    ClassScoreLine,
    Conjunction,
    Disjunction,
    Not,
    Points,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    ScoreBand,
    Scorecard,
    ScoreLine,
    WeightedRule,
)

Built = Iterator[Predicate]
"""Literals in the order of the message."""
Plan = Callable[[Built], Predicate]
"""Makes a condition from its literals, which it takes from all literals of the model."""


class StructureDecoder:
    """Decoder of one model; ``sites`` are the subject and option of each literal read so far.

    The literals can be built only when the examples in them are read, at the end. Until then a
    condition is a ``Plan``.
    """

    def __init__(self, codebook: Codebook, examples: Examples, decoder: Decoder) -> None:
        self.codebook = codebook
        self.examples = examples
        self.decoder = decoder
        self.sites: list[tuple[int, int]] = []

    def arrangement(self, kind: str) -> Arrangement:
        """Read a model of a kind."""
        match kind:
            case "list" | "vote":
                return self.rules(kind)
            case "tree":
                return self.tree()
            case "conjunction" | "disjunction":
                return self.junction(kind)
            case "scorecard":
                return self.scorecard()
            case "class scorecard":
                return self.class_scorecard()
        raise InputError(f"There is no kind {kind!r}. Known are {', '.join(map(repr, KINDS))}.")

    def junction(self, kind: str) -> Arrangement:
        """Read a conjunction or a disjunction."""
        then = self.output()
        otherwise = self.output(then)
        combination = "all" if kind == "conjunction" else "any"
        fewest = min_literals(self.codebook, combination, self.examples.y.size)
        (whole,) = self.conditions([self.parts(combination, fewest)])
        arrange = Conjunction if kind == "conjunction" else Disjunction
        return arrange(tuple(whole.children), then, otherwise)  # type: ignore[arg-type]

    def rules(self, kind: str) -> Arrangement:
        """Read a list or a vote."""
        count = self.decoder.size() + min_literals(self.codebook, None, self.examples.y.size)
        default = self.default()
        if kind == "vote":
            answers = [(self.output(), self.decoder.real()) for _ in range(count)]
            plans = [self.vote_condition() for _ in range(count)]
            parts = zip(self.conditions(plans), answers, strict=True)
            return RuleVote(tuple(WeightedRule(part, *answer) for part, answer in parts), default)
        others = [None] * (count - 1) + [default] * (count > 0)
        outputs = [self.output(other) for other in others]
        conditions = self.conditions([self.condition() for _ in range(count)])
        return RuleList(tuple(map(Rule, conditions, outputs)), default)

    def scorecard(self) -> Arrangement:
        """Read a scorecard of two classes."""
        count = self.decoder.size() + min_literals(self.codebook, None, self.examples.y.size)
        points = self.points(count)
        lowest = sum(number for number in points if number < 0)
        below = self.output()
        cut = lowest + self.decoder.choose(sum(map(abs, points)) + 1)
        conditions = self.conditions([self.condition() for _ in range(count)])
        bands = [ScoreBand(Points(lowest), below, CANONICAL_RISK[below])]
        if cut > lowest:
            bands.append(ScoreBand(Points(cut), 1 - below, CANONICAL_RISK[1 - below]))
        return Scorecard(tuple(map(ScoreLine, conditions, points)), tuple(bands))

    def class_scorecard(self) -> Arrangement:
        """Read a scorecard of several classes."""
        count = self.decoder.size() + min_literals(self.codebook, None, self.examples.y.size)
        classes = self.codebook.classes
        start = tuple(self.points(classes))
        points = [tuple(self.points(classes)) for _ in range(count)]
        conditions = self.conditions([self.condition() for _ in range(count)])
        return ClassScorecard(start, tuple(map(ClassScoreLine, conditions, points)), 0.0)

    def points(self, count: int) -> list[Points]:
        """Read numbers of points."""
        limit = self.decoder.size()
        return [Points(self.decoder.choose(2 * limit + 1) - limit) for _ in range(count)]

    def tree(self) -> Arrangement:
        """Read a tree."""
        count = self.decoder.size() + min_literals(self.codebook, None, self.examples.y.size)
        shape = self.decoder.shape(count)
        possible = joinable(shape)
        joined = self.decoder.subset(self.decoder.size(), possible) if possible else []
        numbers = split_numbers(shape, joined)
        branches = branch_counts(numbers)
        shares = self.shares(branches)
        compares = [self.compares(ways - 1) for ways in branches]
        outputs: list[int] = []
        for is_second in second_leaves(shape, may_have_equal_leaves(numbers, shares, compares)):
            outputs.append(self.output(outputs[-1] if is_second else None))
        tests = self.conditions(self.tests(numbers, branches, compares))
        return tree_from_parts(TreeParts(shape, joined, shares, tests, outputs))

    def compares(self, tests: int) -> bool:
        """Read whether all tests of a split compare one column with single values."""
        possible = tests > 1 and bool(self.codebook.comparable(tests))
        return possible and bool(self.decoder.choose(2))

    def tests(
        self, numbers: Sequence[int], branches: Sequence[int], compares: Sequence[bool]
    ) -> list[Plan]:
        """Read the tests of a tree; those that compare one column are read together."""
        plans: list[Plan] = []
        pending: dict[int, Iterator[Plan]] = {}
        for split in numbers:
            if not compares[split]:
                plans.append(self.condition())
                continue
            if split not in pending:
                pending[split] = iter(self.compared(branches[split] - 1))
            plans.append(next(pending[split]))
        return plans

    def compared(self, tests: int) -> list[Plan]:
        """Read tests that compare one column with single values."""
        columns = self.codebook.comparable(tests)
        name, values = columns[self.decoder.choose(len(columns))]
        chosen = compress(values, self.decoder.subset(tests, len(values)))
        return [partial(_fixed, Category(name, (value,))) for value in chosen]

    def shares(self, branches: Sequence[int]) -> list[Shares]:
        """Read how the splits distribute rows with missing values."""
        if not branches:
            return []
        shared = self.decoder.subset(self.decoder.size(), len(branches))
        read: list[Shares] = []
        for some, ways in zip(shared, branches, strict=True):
            units = self.decoder.multiset(SHARES, ways) if some else []
            read.append(tuple(units.count(place) for place in range(ways)) if some else ())
        return read

    def output(self, other: int | None = None) -> int:
        """Read a class, given that it is not the other one."""
        if other is None:
            return self.decoder.choose(self.codebook.classes)
        number = self.decoder.choose(self.codebook.classes - 1)
        return number + (number >= other)

    def default(self) -> int | None:
        """Read the answer where no rule holds."""
        number = self.decoder.choose(self.codebook.classes + 1)
        return None if number == self.codebook.classes else number

    def vote_condition(self) -> Plan:
        """Read the condition of a rule of a vote, which may be absent."""
        is_constant = self.decoder.weighted(CONSTANT_WEIGHTS)
        return (lambda built: ALWAYS) if is_constant else self.condition()

    def condition(self) -> Plan:
        """Read a condition at the top."""
        return self.choice(("literal", *self.codebook.within(None)))

    def choice(self, kinds: Sequence[str]) -> Plan:
        """Read a condition of one of some kinds."""
        kind = kinds[self.decoder.choose(len(kinds)) if len(kinds) > 1 else 0]
        if kind == "literal":
            self.literals(1)
            return lambda built: next(built)
        if kind == "not":
            part = self.choice(("literal", *self.codebook.within(kind)))
            return lambda built: Not(part(built))
        return self.parts(kind)

    def parts(self, kind: str, fewest: int = 2) -> Plan:
        """Read a combination."""
        kinds = self.codebook.within(kind)
        combined = self.decoder.size() if kinds else 0
        literals = self.decoder.size() + max(fewest - combined, 0)
        self.literals(literals)
        plans = [self.choice(kinds) for _ in range(combined)]
        count = self.decoder.choose(literals + combined) + 1 if kind == "at least" else 0

        def combine(built: Built) -> Predicate:
            parts = (*islice(built, literals), *(plan(built) for plan in plans))
            if kind == "at least":
                return AtLeast(count, parts)
            return AllOf(parts) if kind == "all" else AnyOf(parts)

        return combine

    def literals(self, count: int) -> None:
        """Read the sites of a multiset of literals."""
        subjects = self.decoder.multiset(count, len(self.codebook.subjects))
        for subject, group in groupby(subjects):
            options = self.codebook.subjects[subject].options
            numbers = self.decoder.multiset(len(list(group)), options)
            self.sites += [(subject, number) for number in numbers]

    def conditions(self, plans: Sequence[Plan]) -> list[Predicate]:
        """Read the examples in the literals, and make all conditions."""
        sites = [self.codebook.subjects[subject].site(number) for subject, number in self.sites]
        places = sum(family.prototypes + family.borders for family, _ in sites)
        chosen = iter(self.decoder.covering(places, self.examples.y.size))
        literals = []
        for family, site in sites:
            own = tuple(islice(chosen, family.prototypes + family.borders))
            literal = family.build(site, self.examples, own)
            if literal is None:
                raise CertificateError(
                    "A rule cannot be rebuilt from the rows that it is anchored on: the rule or "
                    "the data was changed."
                )
            literals.append(literal)
        built = iter(literals)
        return [plan(built) for plan in plans]


def _fixed(test: Predicate, _: Built) -> Predicate:
    """Return a test that needs no example."""
    return test
