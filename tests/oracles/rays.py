"""Cuts along rays by counting, one candidate after another."""

import math

import numpy as np


def fires(values, border, below=False):
    """Rows beyond the border, in plain comparisons: NaN compares false."""
    t = values[border]
    return [v < t if below else v > t for v in values]


def heaviest_cut(rays, weight, border, admits=lambda ray, fired: True):
    """Try every border of every ray (number, values, below); the first of the best wins."""
    best = None
    for number, values, below in rays:
        for row in range(len(weight)):
            if not border[row] or not math.isfinite(values[row]):
                continue
            fired = fires(values, row, below)
            if not admits(number, fired):
                continue
            total = sum(int(w) for w, f in zip(weight, fired, strict=True) if f)
            gathered = sum(int(w) for w, f in zip(weight, fired, strict=True) if f and w > 0)
            if best is None or (total, gathered) > best[:2]:
                best = (total, gathered, number, row)
    return best


def heaviest_ball(
    distances, centres, below, weight, border, opened=None, apart=False, excused=None
):
    """Try every ball; distances has a line a centre."""
    rays = [
        (number, [float(d) for d in distances[number]], bool(below[number]))
        for number, centre in enumerate(centres)
        if opened is None or opened[centre]
    ]

    def admits(ray, fired):
        centre = centres[ray]
        forgiven = not below[ray] or (excused is not None and excused[centre])
        return not apart or forgiven or fired[centre]

    return heaviest_cut(rays, weight, border, admits)


def heaviest_half_space(
    similarity, prototypes, toward, away, weight, border, opened=None, apart=False, excused=None
):
    """Try every half-space of every pair."""
    pairs = {}
    for i, a in enumerate(toward):
        for j, b in enumerate(away):
            pairs[i * len(away) + j] = (prototypes[a], prototypes[b])
    rays = []
    for i, a in enumerate(toward):
        for j, b in enumerate(away):
            number = i * len(away) + j
            if opened is not None and not all(opened[row] for row in pairs[number]):
                continue
            with np.errstate(invalid="ignore", over="ignore"):
                rays.append((number, (similarity[a] - similarity[b]).tolist(), False))

    def admits(ray, fired):
        near, far = pairs[ray]
        forgiven = excused is not None and excused[near]
        return not apart or (not fired[far] and (fired[near] or forgiven))

    return heaviest_cut(rays, weight, border, admits)


def heaviest_sorted_cut(rays, weight, border, allows=lambda ray, t: True):
    """Answer for many rows at once: sort each ray (number, values, below), sum from the top."""
    best = None
    for number, values, below in rays:
        known = np.flatnonzero(~np.isnan(values))
        v = -values[known] if below else values[known]
        order = np.argsort(-v, kind="stable")
        v, row = v[order], known[order]
        first = np.searchsorted(-v, -v, side="left")  # so many rows lie above each
        total = np.append(0, np.cumsum(weight[row]))[first]
        gathered = np.append(0, np.cumsum(np.maximum(weight[row], 0)))[first]
        for at in np.flatnonzero(border[row] & np.isfinite(v) & allows(number, v)):
            found = (int(total[at]), int(gathered[at]), -number, -int(row[at]))
            best = found if best is None or found > best else best
    return best and (best[0], best[1], -best[2], -best[3])
