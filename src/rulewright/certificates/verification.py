"""Result of checking a certificate against data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rulewright.certificates.certificate import Certificate
    from rulewright.certificates.regression_certificate import RegressionCertificate


@dataclass(frozen=True)
class Verification:
    """Result of a check: whether the certificate holds, on what assumptions, with what cautions.

    Attributes
    ----------
    certificate : Certificate or RegressionCertificate
    holds : bool
        Whether the model, the data and the certificate agree.
    reason : str
        Why it does not hold. Empty where it does.
    assumptions : tuple of str
        What the data cannot show. Each sentence must be true for the bound to hold.
    cautions : tuple of str
        Signs in the data that an assumption is not true.
    """

    certificate: Certificate | RegressionCertificate
    holds: bool
    reason: str = ""
    assumptions: tuple[str, ...] = ()
    cautions: tuple[str, ...] = ()

    def adding(
        self, assumptions: tuple[str, ...] = (), cautions: tuple[str, ...] = ()
    ) -> Verification:
        """Return the result with more assumptions and cautions."""
        return replace(
            self,
            assumptions=(*self.assumptions, *assumptions),
            cautions=(*self.cautions, *cautions),
        )

    def __str__(self) -> str:
        if not self.holds:
            return f"The certificate does not hold: {self.reason}"
        return "\n".join(
            [
                f"The certificate holds. {self.certificate.sentence}",
                "Taken on trust:",
                *(f"- {assumption}" for assumption in self.assumptions),
                *(f"Caution: {caution}" for caution in self.cautions),
            ]
        )
