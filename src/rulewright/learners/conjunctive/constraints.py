"""Constraints on rules: directions, and rules to begin with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rulewright.data import Table
from rulewright.errors import InputError
from rulewright.families import ExpertTests, without_order
from rulewright.learners.base.monotonicity import favours
from rulewright.render import predicate_text
from rulewright.rules import Arrangement, Not, Rule, all_nodes, literals_of, parse_rule


def read_rules(rules: object, table: Table, classes: Sequence[object]) -> tuple[Rule, ...]:
    """Rules that a user wrote, such as ``"glucose > 127 and bmi > 29.9 -> positive"``."""
    if rules is None:
        return ()
    if isinstance(rules, str) or not isinstance(rules, Iterable):
        raise InputError(f"rules must be a list of texts 'condition -> class', got {rules!r}.")
    return tuple(parse_rule(text, table.fields, classes) for text in rules)


def rule_of(rule: Rule) -> Rule:
    """A rule without its weight."""
    return Rule(rule.condition, rule.output)


def rules_in(body: Arrangement) -> list[Rule]:
    """Rules of a list or a vote, without their weights."""
    return [rule_of(part) for part in body.children if isinstance(part, Rule)]


def rule_text(rule: Rule, classes: Sequence[object]) -> str:
    """A rule as the user writes it."""
    return f"{predicate_text(rule.condition)} -> {classes[rule.output]}"


def check_directions(rules: Sequence[Rule], directions: Mapping[str, int]) -> None:
    """Refuse rules that do not respect the directions of columns."""
    for rule in rules if directions else ():
        named = set(rule.condition.columns) & set(directions)
        negated = named and any(isinstance(node, Not) for node in all_nodes(rule))
        if negated or not all(favours(test, rule.output, directions) for test in literals_of(rule)):
            raise InputError(
                f"The rule {predicate_text(rule.condition)!r} does not respect monotonic_cst: a "
                "rule for the second class may ask only for values that the answer rises towards, "
                "a rule for the first class only for the others. Change the rule, or drop it."
            )


def expert_tests(rules: Sequence[Rule]) -> tuple[ExpertTests, ...]:
    """Family of the single tests in the user's rules; none without rules."""
    found = [test for rule in rules for test in literals_of(rule)]
    tests = dict.fromkeys(predicate_text(without_order(test)) for test in found)
    return (ExpertTests(tuple(tests)),) if tests else ()
