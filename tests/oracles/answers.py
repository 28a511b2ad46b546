"""Answers, runners-up and votes of an arrangement, row by row and rule by rule."""

import math

from rulewright.rules import ClassScorecard, RuleVote, Scorecard, Tree


def runner_up(body, table, answers):
    """Which rule would answer each row instead; -1 for none."""
    if isinstance(body, Tree | Scorecard):
        return [-1] * table.rows
    if isinstance(body, ClassScorecard):
        return [second_class(total.tolist()) for total in body.totals(table)]
    held = [rule.condition.holds(table).tolist() for rule in body.rules]
    last = len(held) - 1
    if isinstance(body, RuleVote):
        return [second_voice(body, [h[row] for h in held[:-1]]) for row in range(table.rows)]
    return [
        -1 if answer == last else next(n for n in range(answer + 1, last + 1) if held[n][row])
        for row, answer in enumerate(answers)
    ]


def second_class(totals):
    """The class with the second-largest total; ties go to the lower number."""
    return sorted(range(len(totals)), key=lambda output: (-totals[output], output))[1]


def sums(body, speaking):
    """Votes for each class that has a weight; ``speaking`` says which rules hold."""
    votes = {}
    for voter, speaks in zip(body.voters, speaking, strict=True):
        if speaks:
            votes[voter.output] = votes.get(voter.output, 0.0) + voter.weight
    return votes


def second_voice(body, speaking):
    votes = sums(body, speaking)
    ranked = sorted(votes, key=lambda output: (-votes[output], output))
    if len(ranked) < 2:
        return -1
    rule_weights = [n for n, v in enumerate(body.voters) if speaking[n] and v.output == ranked[1]]
    return max(rule_weights, key=lambda n: (body.voters[n].weight, -n))


def chances(votes, classes):
    """Shares of ``exp(2 votes)``, no weight counting as no votes."""
    odds = [math.exp(2 * votes.get(c, 0.0)) for c in range(classes)]
    return [odd / sum(odds) for odd in odds]
