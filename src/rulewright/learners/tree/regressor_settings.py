"""Settings of the decision tree for numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from rulewright.errors import InputError
from rulewright.learners.base.parameters import read_positive
from rulewright.learners.base.settings import (
    CERTIFICATE,
    check_share_option,
    delta_option,
    n_splits_option,
    option,
)
from rulewright.learners.tree.growth_settings import GrowthSettings
from rulewright.learners.tree.presets import Preset

CRITERIA = {"variance": "variance", "squared_error": "variance", "absolute_error": "absolute"}
PRUNINGS = ("none", "cost-complexity")
CART = Preset("variance", ("thresholds", "subsets"), "side", "cost-complexity")


def _read_certificate(value: object, name: str) -> str | None:
    if value is None or (isinstance(value, str) and value == "split"):
        return value
    raise InputError(
        f"{name} must be 'split' or None for no certificate, got {value!r}. The other forms count "
        "errors, and a regression tree predicts numbers."
    )


def _read_scale(value: object, name: str) -> float | None:
    return None if value is None else read_positive(value, name)


@dataclass(frozen=True, kw_only=True)
class TreeRegressorSettings(GrowthSettings):
    """Settings of a decision tree for numbers."""

    first: ClassVar[str] = "criterion"
    learner: ClassVar[str] = "tree-regressor"

    criterion: str = option(
        "variance",
        "Criterion of splits: variance or absolute_error.",
        choices=tuple(CRITERIA),
        details='"variance" is squares about the mean ("squared_error" is the same). '
        '"absolute_error" is distances from the median, which a leaf then answers; intervals, '
        "multiway and categories are not available with it.",
    )
    pruning: str = option(
        "auto",
        "Pruning: none, or cost-complexity by ccp_alpha (auto).",
        choices=("auto", *PRUNINGS),
    )
    certificate: str | None = option(
        None,
        "Form of the certificate: split, or none.",
        '{"split"} or None',
        read=_read_certificate,
        group=CERTIFICATE,
        details='"split" learns trees from random parts of the rows, checks them on the others, '
        "and bounds the mean distance of predictions from the target. The candidates are the "
        "subtrees of cost-complexity pruning from ccp_alpha upwards.",
    )
    n_splits: int | None = n_splits_option()
    check_share: float | None = check_share_option(
        "Share of the rows that a split certificate checks the model on.",
        "By default half of up to 2,000 rows, 1,000 of up to 5,000, and a fifth of more.",
    )
    delta: float = delta_option()
    loss_scale: float | None = option(
        None,
        "Distance, in units of the target, that larger errors count as in a certificate.",
        "float or None",
        read=_read_scale,
        parse=float,
        group=CERTIFICATE,
        details="By default the range of the target between its percentiles 1 and 99 among the "
        "rows that the tree is learnt from. Choose it before looking at the data.",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.certificate is not None and self.time_budget is not None:
            raise InputError(
                "time_budget and certificate='split' exclude each other: the certificate is "
                "checked by growing the trees again, which must be the same. Set "
                "certificate=None, or drop time_budget."
            )

    def usual(self) -> Preset:
        return CART

    @property
    def by_median(self) -> bool:
        """Whether leaves answer with medians."""
        return CRITERIA[self.criterion] == "absolute"
