"""Consistent machines: they classify all examples of their compression set correctly.

Then the border of a rule need not be named: it is the nearest example of another class. The weights
decide whether a candidate is admissible: an example that a rule must not fire on lowers its score
and one that it must fire on raises it, each by more than the sum of all ordinary weights.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulewright.learners.base.usefulness import MAX_WEIGHT

Mask = NDArray[np.bool_]

ROOM = 2**20
"""Size of a compression set for which the ordinary weights leave room."""
MAX_ORDINARY = MAX_WEIGHT // ROOM


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
        """Whether a rule that fires on these examples is admissible."""
        return bool(fires[self.must].all()) and not bool(fires[self.must_not].any())
