"""How a certificate of any kind prints itself."""

from __future__ import annotations

from abc import ABC, abstractmethod
from html import escape

from rulewright.render import console_text

UNVERIFIED = (
    "Not verified against data: the bound follows from the counts in the file, and only the "
    "training data can show whether these are true (rulewright certify)."
)


class PrintedCertificate(ABC):
    """A sentence and cautions, as text and as HTML. Subclasses define the sentence."""

    cautions: tuple[str, ...]
    unverified: bool

    @property
    @abstractmethod
    def sentence(self) -> str:
        """The certificate in one sentence or two."""

    @property
    def all_cautions(self) -> tuple[str, ...]:
        """The cautions, with one more where it was read from a file and not verified."""
        return (*self.cautions, *((UNVERIFIED,) if self.unverified else ()))

    def __str__(self) -> str:
        cautions = (f"Caution: {console_text(each)}" for each in self.all_cautions)
        return "\n".join([self.sentence, *cautions])

    def _repr_html_(self) -> str:
        cautions = "".join(f"<li>Caution: {escape(each)}</li>" for each in self.all_cautions)
        return f"<p><i>{escape(self.sentence)}</i></p>" + (cautions and f"<ul>{cautions}</ul>")
