"""Feature families: where predicates come from.

A family turns training data into candidate predicates, finds the heaviest of them for a signed
weight on every example, and says among how many options it chose, which a bound charges for.
It scores nothing and arranges nothing. May import: rules, criteria, kernels, data.
To add one: subclass ``Family``, enter it in ``FAMILIES``; the shared tests find it there.
"""

__all__ = [
    "FAMILIES",
    "Categories",
    "Family",
    "Found",
    "Missings",
    "Search",
    "Thresholds",
    "as_families",
    "prepare",
]

from rulewright.families.categories import Categories
from rulewright.families.family import Family, Found, Search
from rulewright.families.missings import Missings
from rulewright.families.mixture import FAMILIES, as_families, prepare
from rulewright.families.thresholds import Thresholds
