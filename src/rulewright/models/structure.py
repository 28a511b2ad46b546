"""A message for any arrangement: its structure, its literals, and which examples they use.

``spell`` writes a model with a pen, ``read`` rebuilds it from what was written, the examples and
what is known beforehand (a ``Language``). First comes what needs no condition: how many rules,
their answers, the shape of a tree; then the conditions; then which example fills which place in the
literals, since the places are known by then. Set covering machines and decision lists of single
literals have a shorter message in ``message``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, compress, groupby, islice
from operator import attrgetter

import numpy as np

from rulewright.bounds import Message
from rulewright.bounds.codes import Pen, Player, Pricer, Reader, Recorder
from rulewright.errors import CertificateError, InputError
from rulewright.families import Examples
from rulewright.models.canonical import ALWAYS, apart, canonical, canonical_walk
from rulewright.models.language import Language, Told, kind_of
from rulewright.models.shapes import Shares, Walk, grown, joinable, owners, twins
from rulewright.rules import (
    SHARES,
    AllOf,
    AnyOf,
    Arrangement,
    AtLeast,
    Category,
    Conjunction,
    Disjunction,
    Node,
    Not,
    Predicate,
    Rule,
    RuleList,
    RuleVote,
    Tree,
    WeightedRule,
)

KINDS = {
    "conjunction": Conjunction,
    "disjunction": Disjunction,
    "list": RuleList,
    "vote": RuleVote,
    "tree": Tree,
}
ALWAYS_ODDS = (63, 1)
"""Odds that a rule of a vote tests something, or always has its weight."""

Built = Iterator[Predicate]
"""Literals in the order of the message."""
Plan = Callable[[Built], Predicate]
"""Puts a condition together from its literals, which it takes from all that are built."""


def priced(body: Arrangement, language: Language) -> tuple[tuple[int, ...], Message]:
    """Name the training rows that rebuild a model, and say what the message costs.

    Examples
    --------
    >>> import numpy as np
    >>> from rulewright.data import NumericColumn, Table
    >>> from rulewright.families import Thresholds
    >>> from rulewright.rules import Threshold
    >>> language = Language(Table([NumericColumn("a", np.empty(0))], 0), (Thresholds(),), 2)
    >>> rule = Rule(Threshold("a", above=True, cut=3.0, anchored_on=(7,)), 1)
    >>> rows, message = priced(RuleList((rule,), 0), language)
    >>> rows, [what for what, _ in message]
    ((7,), ['how many rules', 'which answers', 'which columns and tests'])
    """
    pricer = Pricer()
    rows = spell(body, language, pricer)
    return rows, pricer.message


def spell(body: Arrangement, language: Language, pen: Pen) -> tuple[int, ...]:
    """Write a model, and return the training rows whose examples rebuild it, in increasing order.

    Raises
    ------
    CertificateError
        Where the language has no words for the model.
    """
    try:
        writer = _Writer(language, pen)
        if isinstance(body, Tree):
            return writer.write_tree(canonical_walk(body, language))
        return writer.write(canonical(body, language))
    except InputError as error:
        raise CertificateError(f"The message has no words for this model: {error}") from error


def read(kind: str, language: Language, examples: Examples, reader: Reader) -> Arrangement:
    """Rebuild a model of a kind from what ``spell`` wrote and the examples it named."""
    return _Rebuilder(language, examples, reader).read(kind)


def rebuilt(body: Arrangement, language: Language, training: Examples) -> Arrangement:
    """Write a model and read it back, given only the training examples that it was said to need.

    Every literal is made again from its rows, so that a number which was changed comes back as it
    was. Where this is not ``canonical(body, language)``, the message tells another model.
    """
    recorder = Recorder()
    rows = np.array(spell(body, language, recorder), np.intp)
    return read(name_of(body), language, training.take(rows), Player(recorder.numbers))


def name_of(body: Arrangement) -> str:
    """Name the kind of an arrangement."""
    return next(name for name, kind in KINDS.items() if isinstance(body, kind))


class _Writer:
    """Writes a canonical model; ``rows`` are those that its literals are built from, in order."""

    def __init__(self, language: Language, pen: Pen) -> None:
        self.language = language
        self.pen = pen
        self.rows: list[int] = []
        self._told: dict[int, Told] = {}  # by identity, since the model is there all along

    def write(self, body: Arrangement) -> tuple[int, ...]:
        used = self.rows_of([body])
        match body:
            case Conjunction(parts, then, otherwise) | Disjunction(parts, then, otherwise):
                self.output(then)
                self.output(otherwise, then)
                kind = "all" if isinstance(body, Conjunction) else "any"
                self.parts(kind, parts, _least(self.language, kind, len(used)))
            case RuleList(listed, default):
                self.rules(listed, default, len(used))
            case RuleVote(voters, default):
                self.rules(voters, default, len(used))
        return self.examples(used)

    def write_tree(self, walk: Walk) -> tuple[int, ...]:
        used = self.rows_of(walk.tests)
        self.tree(walk, len(used))
        return self.examples(used)

    def examples(self, used: tuple[int, ...]) -> tuple[int, ...]:
        """Write which of the examples fill the places of the literals."""
        place = {row: number for number, row in enumerate(used)}
        self.pen.about("which examples").covering([place[row] for row in self.rows], len(used))
        return used

    def rows_of(self, nodes: Sequence[Node]) -> tuple[int, ...]:
        """Name the training rows that the literals are built from, if families make them."""
        rows: set[int] = set()
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if isinstance(node, Predicate) and kind_of(node) == "literal":
                rows.update(self.told(node).rows)
            else:
                waiting += node.children
        return tuple(sorted(rows))

    def told(self, literal: Predicate) -> Told:
        """Say how the language tells a literal, of each one once."""
        known = self._told.get(id(literal))
        if known is None:
            known = self._told[id(literal)] = self.language.told(literal)
        return known

    def rules(self, rules: Sequence[Rule], default: int | None, examples: int) -> None:
        self.pen.about("how many rules").size(len(rules) - _least(self.language, None, examples))
        self.default(default)
        for number, rule in enumerate(rules, 1):
            if isinstance(rule, WeightedRule):
                self.output(rule.output)
                self.pen.about("which weights").real(rule.weight)
            else:  # the last rule does not answer as the default
                self.output(rule.output, default if number == len(rules) else None)
        for rule in rules:
            if isinstance(rule, WeightedRule):
                self.pen.about("which combinations").weigh(rule.condition == ALWAYS, ALWAYS_ODDS)
            if rule.condition != ALWAYS:
                self.condition(rule.condition)

    def default(self, default: int | None) -> None:
        """Write what is answered where no rule holds: a class, or after these nothing at all."""
        classes = self.language.classes
        if default is not None and not 0 <= default < classes:
            raise InputError(f"it answers with class {default} of {classes}, numbered from 0.")
        self.pen.about("which answers").choose(classes if default is None else default, classes + 1)

    def tree(self, walk: Walk, examples: int) -> None:
        shape, joined, shares, tests, outputs = walk
        self.pen.about("how many tests").size(len(tests) - _least(self.language, None, examples))
        self.pen.about("which shape").shape(shape)
        if joined:
            self.pen.about("which tests belong together").size(sum(joined))
            self.pen.subset(joined)
        owner = owners(shape, joined)
        self.shares(shares, branches_of(owner))
        groups = together(tests, owner)
        equal = [self.comparing(group) for group in groups]
        twin = twins(shape, may_be_alike(owner, shares, equal))
        for output, before, known in zip(outputs, [0, *outputs], twin, strict=False):
            self.output(output, before if known else None)
        for split, test in zip(owner, tests, strict=True):
            if not equal[split]:
                self.condition(test)
            elif test is groups[split][0]:
                self.compared(groups[split])

    def comparing(self, tests: Sequence[Predicate]) -> bool:
        """Write, where it can be so, whether tests compare one column with single values."""
        if len(tests) < 2 or not self.language.comparable(len(tests)):
            return False
        equal = self.language.compared(tests) is not None
        self.pen.about("which tests belong together").choose(int(equal), 2)
        return equal

    def compared(self, tests: Sequence[Predicate]) -> None:
        """Write the column that tests compare with single values, and with which of them."""
        compared = self.language.compared(tests)
        columns = self.language.comparable(len(tests))
        assert compared is not None  # by now this is known
        name, places = compared[0], {*compared[1]}
        number = [column for column, _ in columns].index(name)
        self.pen.about("which columns and tests").choose(number, len(columns))
        self.pen.subset([place in places for place in range(len(columns[number][1]))])

    def shares(self, shares: Sequence[Shares], branches: Sequence[int]) -> None:
        """Write which splits share out rows, and how many sixteenths go where."""
        if not shares:
            return
        self.pen.about("how missing values are shared out")
        self.pen.size(sum(map(bool, shares)))
        self.pen.subset([bool(some) for some in shares])
        for some, ways in zip(shares, branches, strict=True):
            units = [place for place, share in enumerate(some) for _ in range(share)]
            self.pen.multiset(units, ways)

    def output(self, output: int, other: int | None = None) -> None:
        """Write a class, where it is known that it is not the other."""
        known = other is not None
        number = output - (output > other) if other is not None else output
        self.pen.about("which answers").choose(number, self.language.classes - known)

    def condition(self, condition: Predicate) -> None:
        self.choice(condition, ("literal", *self.language.within(None)))

    def choice(self, condition: Predicate, kinds: Sequence[str]) -> None:
        """Write a condition that is no constant, after which of some kinds it is."""
        kind = kind_of(condition)
        if kind not in kinds:
            raise CertificateError(
                f"A condition combines parts by {kind!r}, which the certificate does not allow "
                f"for; it allows for {', '.join(map(repr, kinds)) or 'nothing'} there."
            )
        if len(kinds) > 1:
            self.pen.about("which combinations").choose(kinds.index(kind), len(kinds))
        match condition:
            case Not(part):
                self.choice(part, ("literal", *self.language.within(kind)))
            case AtLeast(count, parts):
                self.parts(kind, parts)
                self.pen.about("how many must hold").choose(count - 1, len(parts))
            case AllOf(parts) | AnyOf(parts):
                self.parts(kind, parts)
            case _:
                self.literal(condition)

    def parts(self, kind: str, parts: Sequence[Predicate], least: int = 2) -> None:
        literals, combined = apart(parts)
        kinds = self.language.within(kind)
        self.pen.about("how many literals")
        if kinds:
            self.pen.size(len(combined))
        self.pen.size(len(literals) - max(least - len(combined), 0))
        self.literals(literals)
        for part in combined:
            self.choice(part, kinds)

    def literal(self, literal: Predicate) -> None:
        """Write a single literal, which is a multiset of one."""
        subject, option, rows = self.told(literal)
        subjects = self.language.subjects
        self.pen.about("which columns and tests").choose(subject, len(subjects))
        self.pen.choose(option, subjects[subject].options)
        self.rows += rows

    def literals(self, literals: Sequence[Predicate]) -> None:
        told = [self.told(literal) for literal in literals]
        subjects = self.language.subjects
        self.pen.about("which columns and tests")
        self.pen.multiset([literal.subject for literal in told], len(subjects))
        for subject, group in groupby(told, attrgetter("subject")):
            self.pen.multiset([literal.option for literal in group], subjects[subject].options)
        self.rows += chain.from_iterable(literal.rows for literal in told)


class _Rebuilder:
    """Reads what a ``_Writer`` wrote; ``sites`` are the literals so far, their examples aside."""

    def __init__(self, language: Language, examples: Examples, reader: Reader) -> None:
        self.language = language
        self.examples = examples
        self.reader = reader
        self.sites: list[tuple[int, int]] = []

    def read(self, kind: str) -> Arrangement:
        match kind:
            case "list" | "vote":
                return self.rules(kind)
            case "tree":
                return self.tree()
            case "conjunction" | "disjunction":
                return self.junction(kind)
        raise InputError(f"There is no kind {kind!r}. Known are {', '.join(map(repr, KINDS))}.")

    def junction(self, kind: str) -> Arrangement:
        then = self.output()
        otherwise = self.output(then)
        combination = "all" if kind == "conjunction" else "any"
        plan = self.parts(combination, _least(self.language, combination, self.examples.y.size))
        (whole,) = self.conditions([plan])
        arrange = Conjunction if kind == "conjunction" else Disjunction
        return arrange(tuple(whole.children), then, otherwise)  # type: ignore[arg-type]

    def rules(self, kind: str) -> Arrangement:
        count = self.reader.size() + _least(self.language, None, self.examples.y.size)
        default = self.default()
        if kind == "vote":
            rule_weights = [(self.output(), self.reader.real()) for _ in range(count)]
            plans = [self.voting() for _ in range(count)]
            parts = zip(self.conditions(plans), rule_weights, strict=True)
            return RuleVote(
                tuple(WeightedRule(part, *rule_weight) for part, rule_weight in parts), default
            )
        others = [None] * (count - 1) + [default] * (count > 0)
        outputs = [self.output(other) for other in others]
        conditions = self.conditions([self.condition() for _ in range(count)])
        return RuleList(tuple(map(Rule, conditions, outputs)), default)

    def tree(self) -> Arrangement:
        count = self.reader.size() + _least(self.language, None, self.examples.y.size)
        shape = self.reader.shape(count)
        possible = joinable(shape)
        joined = self.reader.subset(self.reader.size(), possible) if possible else []
        owner = owners(shape, joined)
        branches = branches_of(owner)
        shares = self.shares(branches)
        equal = [self.comparing(ways - 1) for ways in branches]
        outputs: list[int] = []
        for twin in twins(shape, may_be_alike(owner, shares, equal)):
            outputs.append(self.output(outputs[-1] if twin else None))
        tests = self.conditions(self.tests(owner, branches, equal))
        return grown(Walk(shape, joined, shares, tests, outputs))

    def comparing(self, tests: int) -> bool:
        possible = tests > 1 and bool(self.language.comparable(tests))
        return possible and bool(self.reader.choose(2))

    def tests(
        self, owner: Sequence[int], branches: Sequence[int], equal: Sequence[bool]
    ) -> list[Plan]:
        """Read the tests of a tree, those that compare one column with single values together."""
        plans: list[Plan] = []
        waiting: dict[int, Iterator[Plan]] = {}
        for split in owner:
            if not equal[split]:
                plans.append(self.condition())
                continue
            if split not in waiting:
                waiting[split] = iter(self.compared(branches[split] - 1))
            plans.append(next(waiting[split]))
        return plans

    def compared(self, tests: int) -> list[Plan]:
        columns = self.language.comparable(tests)
        name, values = columns[self.reader.choose(len(columns))]
        chosen = compress(values, self.reader.subset(tests, len(values)))
        return [partial(_given, Category(name, (value,))) for value in chosen]

    def shares(self, branches: Sequence[int]) -> list[Shares]:
        if not branches:
            return []
        shared = self.reader.subset(self.reader.size(), len(branches))
        read: list[Shares] = []
        for some, ways in zip(shared, branches, strict=True):
            units = self.reader.multiset(SHARES, ways) if some else []
            read.append(tuple(units.count(place) for place in range(ways)) if some else ())
        return read

    def output(self, other: int | None = None) -> int:
        if other is None:
            return self.reader.choose(self.language.classes)
        number = self.reader.choose(self.language.classes - 1)
        return number + (number >= other)

    def default(self) -> int | None:
        number = self.reader.choose(self.language.classes + 1)
        return None if number == self.language.classes else number

    def voting(self) -> Plan:
        return (lambda built: ALWAYS) if self.reader.weigh(ALWAYS_ODDS) else self.condition()

    def condition(self) -> Plan:
        return self.choice(("literal", *self.language.within(None)))

    def choice(self, kinds: Sequence[str]) -> Plan:
        kind = kinds[self.reader.choose(len(kinds)) if len(kinds) > 1 else 0]
        if kind == "literal":
            self.literals(1)
            return lambda built: next(built)
        if kind == "not":
            part = self.choice(("literal", *self.language.within(kind)))
            return lambda built: Not(part(built))
        return self.parts(kind)

    def parts(self, kind: str, least: int = 2) -> Plan:
        kinds = self.language.within(kind)
        combined = self.reader.size() if kinds else 0
        literals = self.reader.size() + max(least - combined, 0)
        self.literals(literals)
        plans = [self.choice(kinds) for _ in range(combined)]
        count = self.reader.choose(literals + combined) + 1 if kind == "at least" else 0

        def put_together(built: Built) -> Predicate:
            parts = (*islice(built, literals), *(plan(built) for plan in plans))
            if kind == "at least":
                return AtLeast(count, parts)
            return AllOf(parts) if kind == "all" else AnyOf(parts)

        return put_together

    def literals(self, count: int) -> None:
        subjects = self.reader.multiset(count, len(self.language.subjects))
        for subject, group in groupby(subjects):
            options = self.language.subjects[subject].options
            numbers = self.reader.multiset(len(list(group)), options)
            self.sites += [(subject, number) for number in numbers]

    def conditions(self, plans: Sequence[Plan]) -> list[Predicate]:
        """Read which examples the literals are built from, and put all conditions together."""
        sites = [self.language.subjects[subject].site(number) for subject, number in self.sites]
        places = sum(family.prototypes + family.borders for family, _ in sites)
        chosen = iter(self.reader.covering(places, self.examples.y.size))
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


def branches_of(owner: Sequence[int]) -> list[int]:
    """Count the branches of each split, of which the tests are known."""
    tests = Counter(owner)
    return [tests[split] + 1 for split in range(len(tests))]


def together(tests: Sequence[Predicate], owner: Sequence[int]) -> list[list[Predicate]]:
    """Put the tests of each split together."""
    groups: list[list[Predicate]] = []
    for split, test in zip(owner, tests, strict=True):
        if split == len(groups):
            groups.append([])
        groups[split].append(test)
    return groups


def may_be_alike(
    owner: Sequence[int], shares: Sequence[Shares], equal: Sequence[bool]
) -> list[bool]:
    """Say of each test whether both its branches may be the same leaf.

    The last test of several may be there to share out the rows that miss its column, unless all
    look at the same one.
    """
    tests = Counter(owner)
    return [bool(shares[split]) and tests[split] > 1 and not equal[split] for split in owner]


def _given(test: Predicate, _: Built) -> Predicate:
    """Plan a test that no example is needed for."""
    return test


def _least(language: Language, kind: str | None, examples: int) -> int:
    """Count the fewest literals that use all examples, where all parts there are literals."""
    if language.within(kind) or not language.most_places:
        return 0
    return -(-examples // language.most_places)
