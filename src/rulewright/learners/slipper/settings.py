"""What SLIPPER can be told, as users write it, and the search that follows.

Without scikit-learn, which the command line does without.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rulewright.families import Training, as_families
from rulewright.families.growing import Nursery, tightest
from rulewright.families.terms import Terms
from rulewright.learners.deadline import Deadline
from rulewright.learners.drawing import Lots
from rulewright.learners.office import Office
from rulewright.learners.parameters import (
    read_class_costs,
    read_delta,
    read_number,
    read_seed,
    read_switch,
)
from rulewright.learners.sample import Sample
from rulewright.learners.slipper.boosting import Ground, Spoken
from rulewright.learners.slipper.judging import Jury, Party
from rulewright.learners.slipper.rehearsing import Rehearsal
from rulewright.learners.voices import add_voice
from rulewright.models import PathEntry
from rulewright.models.model import Label
from rulewright.rules import AllOf, Rule, RuleVote, WeightedRule

FAMILIES = ("thresholds", "categories")


@dataclass(frozen=True)
class SlipperSettings:
    """The parameters; see ``SlipperClassifier``."""

    max_rounds: int = 100
    rounds: int | None = None
    folds: int = 5
    prune: bool = True
    class_costs: Any = None
    time_budget: float | None = None
    delta: float = 0.05
    random_state: Any = None
    threads: int = 1

    def learnt(self, sample: Sample) -> tuple[PathEntry, dict[Label, int]]:
        """Boost, and certify the vote; also say how many rounds there were for each class."""
        deadline = Deadline(self.time_budget)
        families = as_families(list(FAMILIES))
        office = Office(sample, families, read_delta(self.delta), combinations=("all",))
        terms = Terms(families, Training(sample.searched(), sample.y, sample.rows))
        lots = Lots(sample, read_seed(self.random_state))
        nursery = Nursery(terms, lots.rows)
        costs = read_class_costs(self.class_costs, sample.classes)
        worth = sample.priced(costs)
        party = Party.of(np.bincount(sample.y, worth, len(sample.classes)).astype(np.float64))
        y, worth = sample.y[lots.rows], lots.each(worth)
        prune = read_switch(self.prune, "prune")
        grounds = [Ground(nursery, y == own, worth, prune) for own in party.boosted]
        found = self._rehearsal(deadline).rules(grounds, lots, Jury(party, y, worth))
        body = vote_of(party, nursery, found)
        deadline.tell(f"the model has the {len(body.voters)} rules that were found by then.")
        rounds = {
            sample.classes[own]: len(some) for own, some in zip(party.boosted, found, strict=True)
        }
        constant = RuleVote((), party.default)
        return office.better(body, constant, costs, len(body.voters)), rounds

    def _rehearsal(self, deadline: Deadline) -> Rehearsal:
        if self.rounds is not None:
            return Rehearsal(read_number(self.rounds, "rounds", 1), 0, self.threads, deadline)
        most = read_number(self.max_rounds, "max_rounds", 1)
        return Rehearsal(most, read_number(self.folds, "folds", 2), self.threads, deadline)


def vote_of(party: Party, nursery: Nursery, found: Sequence[Sequence[Spoken]]) -> RuleVote:
    """Let the rules of all classes vote, equal ones as one, and the default rules after them.

    A default that speaks against a class speaks for the other of two; of several classes all are
    raised by as much as the lowest lies below zero, which changes no answer.
    """
    voters: list[WeightedRule] = []
    constant = np.zeros(len(party.boosted))
    for number, (own, some) in enumerate(zip(party.boosted, found, strict=True)):
        for spoken in some:
            if not spoken.terms:
                constant[number] += spoken.voice
            elif spoken.voice:
                condition = nursery.condition(sorted(tightest(spoken.terms)))
                add_voice(voters, Rule(condition, own), spoken.voice)
    if len(party.boosted) == 1:
        defaults = [(party.boosted[0], constant[0]), (party.default, -constant[0])]
    else:
        defaults = list(zip(party.boosted, constant - constant.min(), strict=True))
    always = [WeightedRule(AllOf(), own, float(voice)) for own, voice in defaults if voice > 0]
    return RuleVote((*voters, *always), party.default)
