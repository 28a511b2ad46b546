"""Machines that classify the examples which rebuild them correctly.

Then the border of a rule need not be named: it is the nearest example of another class. Whether a
candidate is admissible is put into the weights: an example that a rule must not fire on weighs it
down, one that it must fire on lifts it up, each by more than all ordinary weights together.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.usefulness import MOST

Mask = NDArray[np.bool_]

ROOM = 2**20
"""Ordinary weights leave room for so many examples that rebuild a machine."""
MAX_ORDINARY = MOST // ROOM


@dataclass(frozen=True, eq=False)
class Demands:
    """Examples that the next rule must fire on, and must not."""

    must: Mask
    must_not: Mask

    def weigh(self, weight: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add the demands to ordinary weights."""
        more = int(np.abs(weight).sum()) + 1
        weighed: NDArray[np.int64] = weight + more * self.must - more * self.must_not
        return weighed

    def met_by(self, fires: Mask) -> bool:
        """Whether a rule that fires there is admissible."""
        return bool(fires[self.must].all()) and not bool(fires[self.must_not].any())
