"""Record of the split and of the place in its pool, shared by all certificates from splits."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from rulewright.certificates import parsing
from rulewright.certificates.checks import TOLERANCE
from rulewright.certificates.splits import RowSplit, RowSplitter
from rulewright.errors import CertificateError
from rulewright.render import split_details_text

WHOLE = {"type": "integer", "minimum": 1}


@dataclass(frozen=True, repr=False, kw_only=True)
class PoolRecord:
    """The split that a model is from, its place in the pool, and the recipe that finds both again.

    Attributes
    ----------
    recipe : dict
        The learner, its parameters, and the version of the library.
    n_splits, split : int
        Number of splits, and the number of the one that the model is from, from 1.
    design : int
        Number of design rows.
    seed : int or None
        Seed of the splits, settled beforehand; None where a hash of the data drew them.
    check_share : float or None
        Share of the rows that are check rows; None for the usual number.
    key : str
        Key of the draws, in hexadecimal digits.
    pool_size, place : int
        Number of candidates, and the place of the model among them, from 1.
    log_prior : float
        Logarithm of its prior probability.
    pool_digest : str
        SHA-256 of the pool.
    """

    record_parsers: ClassVar[Mapping[str, Callable[[Any, str], Any]]] = {
        "recipe": parsing.recipe,
        "n_splits": parsing.settings,
        "split": parsing.settings,
        "design": parsing.settings,
        "seed": parsing.seed_or_none,
        "check_share": parsing.number_or_none,
        "key": parsing.text,
        "pool_size": parsing.settings,
        "place": parsing.settings,
        "log_prior": parsing.logarithm,
        "pool_digest": parsing.text,
    }
    record_schema: ClassVar[Mapping[str, Any]] = {
        "recipe": {"type": "object", "required": ["learner", "parameters", "version"]},
        "n_splits": WHOLE,
        "split": WHOLE,
        "design": WHOLE,
        "seed": {"type": ["integer", "null"]},
        "check_share": {"type": ["number", "null"]},
        "key": {"type": "string"},
        "pool_size": WHOLE,
        "place": WHOLE,
        "log_prior": {"type": "number", "maximum": 0},
        "pool_digest": {"type": "string"},
    }

    recipe: dict[str, Any]
    n_splits: int
    split: int
    design: int
    seed: int | None = None
    check_share: float | None = None
    key: str
    pool_size: int
    place: int
    log_prior: float
    pool_digest: str

    @property
    @abstractmethod
    def check_count(self) -> int:
        """Number of check rows."""

    @property
    def details(self) -> str:
        """The split, the place in the pool and their price, in a sentence."""
        return split_details_text(
            design=self.design,
            check=self.check_count,
            split=self.split,
            n_splits=self.n_splits,
            place=self.place,
            pool_size=self.pool_size,
            bits=-self.log_prior / math.log(2),
        )

    def checks_text(self, data: str) -> str:
        """Return what ``verify`` checked, with the name of the data."""
        return (
            f"split {self.split} of {data} was drawn again, {self.recipe['learner']} was run again "
            f"on its {self.design:,} design rows, the model is number {self.place} of the "
            f"{self.pool_size} candidates found, its errors on the {self.check_count:,} check rows "
            "were counted again"
        )

    def check_possible(self) -> None:
        """Check that the split and the place exist."""
        if not (self.split <= self.n_splits and self.place <= self.pool_size):
            raise CertificateError(
                f"split {self.split} of {self.n_splits} and place {self.place} of {self.pool_size} "
                "are not possible."
            )

    def check_key(self, splitter: RowSplitter) -> None:
        """Check that data and recipe give the key of the draws."""
        if splitter.key.hex() != self.key:
            raise CertificateError(
                "The data and the recipe do not give the key of the certificate. A value, a label "
                "or a weight differs from training, or the recipe was changed."
            )

    def drawn_again(self, splitter: RowSplitter) -> RowSplit:
        """Draw the split again; check its key, its number and its size."""
        self.check_draw(splitter)
        split = splitter.split(self.split)
        self.check_design(split.design.size)
        return split

    def check_draw(self, splitter: RowSplitter) -> None:
        """Check the key of the draws, and the number of splits."""
        self.check_key(splitter)
        n_splits = splitter.n_splits(self.recipe["parameters"].get("n_splits"))
        if n_splits != self.n_splits:
            raise CertificateError(
                f"The recipe makes {n_splits} splits; the certificate says {self.n_splits}."
            )

    def check_design(self, rows: int) -> None:
        """Check the number of design rows."""
        if rows != self.design:
            raise CertificateError(
                f"Split {self.split} has {rows} design rows; the certificate says {self.design}."
            )

    def check_pool(self, size: int, digest: str) -> None:
        """Check that the candidates found again are those of the certificate."""
        if size != self.pool_size or digest != self.pool_digest:
            raise CertificateError(
                f"The pool differs: the certificate was made by version {self.recipe['version']} "
                f"with {self.pool_size} candidates; this version finds {size}. Either the "
                "file was changed, or the versions find different candidates: check it with the "
                "version that made it."
            )

    def check_prior(self, log_prior: float) -> None:
        """Check the prior probability of the model."""
        if abs(log_prior - self.log_prior) > TOLERANCE * max(1.0, abs(log_prior)):
            raise CertificateError(
                f"The prior probability of the model has the logarithm {log_prior:.9f}; the "
                f"certificate says {self.log_prior:.9f}."
            )
