"""Pools: the candidates that a recipe learns from the design rows, and their prior probabilities.

A pool, its order and its prior are functions of the design rows only. So a change of any check row
changes nothing here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from rulewright.rules import Arrangement, encode

Floats = NDArray[np.float64]

MAX_CANDIDATES = 60
"""Maximum number of candidates of one learner."""
LOSS_WEIGHT, SIZE_WEIGHT = 0.3, 1.0
"""Nats by which an error on the design rows, and a test of a model, lower the prior probability.

Constants of version 1 of the form.
"""


@dataclass(frozen=True, eq=False)
class PoolMember:
    """A model learnt from the design rows, and how it was found, in a few words.

    ``learner`` is the number of the first learner of the recipe that found it, from 0.
    """

    body: Arrangement
    origin: str
    learner: int = 0

    @cached_property
    def identity(self) -> str:
        """The model as text, without the training rows that it is anchored on."""
        return identity(self.body)


@dataclass(frozen=True, eq=False)
class CandidatePool:
    """Candidates in order, each once, with their prior probabilities.

    Attributes
    ----------
    candidates : tuple of PoolMember
    log_prior : array
        Logarithm of the prior probability of each; the probabilities sum to 1.
    errors : array of int
        Errors of each on the design rows.
    """

    candidates: tuple[PoolMember, ...]
    log_prior: Floats
    errors: NDArray[np.intp]

    @property
    def size(self) -> int:
        """Number of candidates."""
        return len(self.candidates)

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the candidates with their errors on the design rows."""
        key = hashlib.sha256()
        for candidate, errors in zip(self.candidates, self.errors.tolist(), strict=True):
            key.update(f"{candidate.identity} {errors}\n".encode())
        return key.hexdigest()


def identity(body: Arrangement) -> str:
    """Return the model as text, without the training rows that it is anchored on."""
    return json.dumps(encode(body, anchors=False), sort_keys=True, separators=(",", ":"))


@dataclass(frozen=True, eq=False)
class ScoredMember:
    """A candidate with its errors on the design rows, and what these cost."""

    candidate: PoolMember
    errors: int
    loss: float

    @property
    def penalty(self) -> float:
        """Nats by which loss and size lower the prior probability."""
        return LOSS_WEIGHT * self.loss + SIZE_WEIGHT * self.candidate.body.literals


def make_pool(learners: Sequence[Iterable[ScoredMember]]) -> CandidatePool:
    """Return the pool of the candidates of all learners.

    Each learner has the same share of the probability, unless it has no candidates. A learner gives
    half of its share to its candidates equally, and half by ``exp(-penalty)`` (a Gibbs prior). So a
    candidate of one of L learners with R candidates costs at most ``ln(2 L R)`` nats.

    A model that several learners found has the sum of its probabilities. Candidates are in the
    order of their penalties; of equal penalties, in the order in which they were found.
    """
    found: dict[str, ScoredMember] = {}
    prior: dict[str, float] = {}
    groups = [group for group in map(_distinct, learners) if group]
    for group in groups:
        penalties = np.array([rated.penalty for rated in group.values()])
        shares = prior_shares(penalties) / len(groups)
        for (name, rated), share in zip(group.items(), shares.tolist(), strict=True):
            found.setdefault(name, rated)
            prior[name] = prior.get(name, 0.0) + share
    names = sorted(found, key=lambda name: found[name].penalty)
    return CandidatePool(
        tuple(found[name].candidate for name in names),
        np.minimum(np.log([prior[name] for name in names]), 0.0),
        np.array([found[name].errors for name in names], np.intp),
    )


def prior_shares(penalties: Floats) -> Floats:
    """Return prior probabilities: half spread equally, half by ``exp(-penalty)``.

    Examples
    --------
    >>> prior_shares(np.array([0.0, 0.0, np.log(2)])).round(3).tolist()
    [0.367, 0.367, 0.267]
    """
    gibbs = np.exp(penalties.min() - penalties)
    shares: Floats = 0.5 / penalties.size + 0.5 * gibbs / gibbs.sum()
    return shares


def _distinct(group: Iterable[ScoredMember]) -> dict[str, ScoredMember]:
    """Different candidates of a learner in the order of their penalties, at most 60."""
    found: dict[str, ScoredMember] = {}
    for rated in group:
        found.setdefault(rated.candidate.identity, rated)
    names = sorted(found, key=lambda name: found[name].penalty)
    return {name: found[name] for name in names[:MAX_CANDIDATES]}
