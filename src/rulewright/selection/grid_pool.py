"""One pool of candidates over all points of a grid, for a split certificate."""

from __future__ import annotations

import time
from dataclasses import dataclass

from rulewright.learners import CheckedCandidate, Path, Sample, SplitSearch, Units, search_splits
from rulewright.selection.choosing import Choice, GridRun, Tried
from rulewright.selection.grid_settings import GridSettings


@dataclass(frozen=True, eq=False)
class PoolRun(GridRun):
    """The best candidate of each size that a point of the grid has in the pools of all splits."""

    search: SplitSearch
    candidates: list[CheckedCandidate]

    def path(self, best: float | None = None) -> Path:
        entries = [self.search.entry(candidate) for candidate in self.candidates]
        return Path(entries, 0, self.arrangement, self.costs)


def search_pool(
    grid: GridSettings, sample: Sample, threads: int, units: Units
) -> tuple[list[Tried], Choice]:
    """Learn the pool of all points from the design rows of each split, and choose from it.

    A model that several points find counts as the first one's.
    """
    start = time.perf_counter()
    search = search_splits(grid.settled(), sample, threads, units)
    candidates = search.kept(search.candidates())
    best: dict[tuple[int, int], CheckedCandidate] = {}
    for candidate in candidates:
        best.setdefault((candidate.member.learner, candidate.lines), candidate)
    points = sorted({point for point, _ in best})
    seconds = (time.perf_counter() - start) / len(points)
    tried = []
    for point in points:
        found = [best[key] for key in sorted(best) if key[0] == point]
        run = PoolRun(point, grid.learners()[point].learner, search.costs, search, found)
        tried.append(Tried(run, run.path(), seconds))
        if candidates[0] in found:
            chosen = Choice(tried[-1], found.index(candidates[0]))
    return tried, chosen
