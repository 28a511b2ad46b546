"""What ``small_models.py`` prints and draws: means, the Pareto front, the three comparisons."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from accuracy import Row

FRONT_BELOW = 20
MAX_DRAWN = 100
CEILINGS = ("EBM", "LightGBM", "random forest")
"""Peers that are drawn as lines where they have more literals than the picture."""
FIGURES = ("error", "literals", "seconds")
LINE = "{:<24} {:<5} {:>8} {:>9} {:>9} {:>7}   {:>8} {:>9} {:>7}"
CLASS_IN_COLUMNS = "echocardiogram"
"""A table whose columns define the class."""


class Mean(NamedTuple):
    """Means of an entrant over those of some tables that it has results on."""

    name: str
    peer: bool
    error: float
    literals: float
    seconds: float
    tables: int


def means(rows: Iterable[Row], tables: Collection[str], peers: Collection[str]) -> list[Mean]:
    """Means of all entrants over tables, with the fewest literals first."""
    by_name: dict[str, list[Row]] = {}
    for row in rows:
        if row.set in tables:
            by_name.setdefault(row.learner, []).append(row)
    found = [
        Mean(
            name,
            name in peers,
            *(float(np.mean([getattr(row, key) for row in own])) for key in FIGURES),
            len(own),
        )
        for name, own in by_name.items()
    ]
    return sorted(found, key=lambda mean: (mean.literals, mean.error, mean.name))


def print_means(
    rows: Sequence[Row], small: Sequence[str], large: Sequence[str], peers: Collection[str]
) -> None:
    """Print a line for each entrant: its means over the small tables and over the large ones."""
    print(f"\nMeans over {len(small)} tables, cross-validated, and {len(large)} large ones.")
    heads = ("error %", "literals", "fit s", "tables", "error %", "literals", "tables")
    print(LINE.format("", "", *heads))
    others = {mean.name: mean for mean in means(rows, large, peers)}
    known = means(rows, small, peers)
    for mean in [*known, *(others[n] for n in others if n not in {m.name for m in known})]:
        first = _cells(mean if mean in known else None, seconds=True)
        last = _cells(others.get(mean.name), seconds=False)
        print(LINE.format(mean.name, "peer" if mean.peer else "ours", *first, *last))


def _cells(mean: Mean | None, seconds: bool) -> list[str]:
    if mean is None:
        return ["-"] * (4 if seconds else 3)
    time = [f"{mean.seconds:.3f}"] if seconds else []
    return [f"{mean.error:.2f}", f"{mean.literals:.1f}", *time, str(mean.tables)]


def front(known: Iterable[Mean]) -> list[Mean]:
    """Those than which no other has at most as many literals and as small an error."""
    found: list[Mean] = []
    for mean in sorted(known, key=lambda mean: (mean.literals, mean.error)):
        tied = found and (mean.literals, mean.error) == (found[-1].literals, found[-1].error)
        if not found or mean.error < found[-1].error or tied:
            found.append(mean)
    return found


def complete(rows: Sequence[Row], tables: Collection[str], peers: Collection[str]) -> list[Mean]:
    """Means of the entrants that have results on all of some tables."""
    return [mean for mean in means(rows, tables, peers) if mean.tables == len(tables)]


def print_front(known: Sequence[Mean]) -> None:
    """Print the Pareto front, and whether a peer is on it."""
    print(f"\nPareto front of mean error and mean literals, below {FRONT_BELOW} literals:")
    found = front(mean for mean in known if mean.literals < FRONT_BELOW)
    for mean in found:
        who = "peer" if mean.peer else "ours"
        print(f"  {mean.literals:6.1f} literals  {mean.error:6.2f} %  {who}  {mean.name}")
    theirs = [mean.name for mean in found if mean.peer]
    print(f"No peer on the front: {answer(not theirs)}{_listed(theirs)}")


def _listed(names: Sequence[str]) -> str:
    return f" ({', '.join(names)})" if names else ""


def answer(met: bool) -> str:
    return "met" if met else "not met"


def print_bar(
    rows: Sequence[Row],
    literals: int,
    rival: str,
    most: float,
    tables: Sequence[str],
    peers: Collection[str],
) -> None:
    """Compare the best of ours with at most so many literals on average with a peer.

    The bar is a difference of the mean errors of at most ``most`` points.
    """
    known = complete(rows, tables, peers)
    ours = [mean for mean in known if not mean.peer and mean.literals <= literals]
    theirs = [mean for mean in known if mean.name == rival]
    what = (
        f"At most {literals} literals, best of ours less {rival} at most {most:+g} points, "
        f"{len(tables)} tables"
    )
    if not ours or not theirs:
        done = {row.set for row in rows if row.learner == rival}
        lacking = _listed([table for table in tables if table not in done])
        print(f"{what}: not known, no results of {'ours' if theirs else rival}{lacking}.")
        return
    best, other = min(ours, key=lambda mean: (mean.error, mean.literals)), theirs[0]
    gap, spread = paired(rows, best.name, rival, tables)
    print(
        f"{what}: {answer(best.error - other.error <= most)}.\n"
        f"  {best.name}: {best.error:.2f} % with {best.literals:.1f} literals; {rival}: "
        f"{other.error:.2f} % with {other.literals:.1f}.\n"
        f"  Difference {gap:+.2f} points, standard error over tables {spread:.2f}."
    )


def paired(rows: Sequence[Row], one: str, other: str, tables: Sequence[str]) -> tuple[float, float]:
    """Mean difference of two entrants' errors over tables, and its standard error."""
    errors = {(row.learner, row.set): row.error for row in rows}
    gaps = [errors[one, table] - errors[other, table] for table in tables]
    spread = float(np.std(gaps, ddof=1)) / math.sqrt(len(gaps)) if len(gaps) > 1 else math.nan
    return float(np.mean(gaps)), spread


def print_bars(rows: Sequence[Row], small: Sequence[str], peers: Collection[str]) -> None:
    """Print the three comparisons; the best of ours is chosen with the same folds."""
    print_front(complete(rows, small, peers))
    print("\nThe best of ours is chosen by the errors that are compared.")
    print_bar(rows, 6, "JRip", -1.5, small, peers)
    without = [table for table in small if table != CLASS_IN_COLUMNS]
    print_bar(rows, 12, "EBM", 0.5, without, peers)


def print_tables(rows: Sequence[Row], tables: Sequence[str], peers: Collection[str]) -> None:
    """Print the entrants' errors and literals table by table."""
    for table in tables:
        print(f"\n{table}")
        own = [row for row in rows if row.set == table]
        for row in sorted(own, key=lambda row: (row.literals, row.error)):
            who = "peer" if row.learner in peers else "ours"
            figures = f"{row.error:6.2f} % {row.literals:9.1f} literals {row.seconds:9.3f} s"
            print(f"  {row.learner:<24} {who}  {figures}")


def plot(known: Sequence[Mean], path: Path, tables: int) -> None:
    """Draw mean errors against mean literals; large models are horizontal lines."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(11, 7.5), layout="constrained")
    drawn = [mean for mean in known if mean.literals <= MAX_DRAWN]
    for peer, colour, label in ((False, "#1f5fa8", "Rulewright"), (True, "#c05000", "peers")):
        side = [mean for mean in drawn if mean.peer is peer]
        marks = {"marker": "s" if peer else "o", "s": 30, "color": colour, "label": label}
        axes.scatter([m.literals for m in side], [m.error for m in side], zorder=3, **marks)
    best = front(drawn)
    steps = {"where": "post", "color": "grey", "linewidth": 0.8}
    axes.step([m.literals for m in best], [m.error for m in best], label="front", **steps)
    axes.set_xscale("log")
    for mean in known:
        if mean.literals > MAX_DRAWN and mean.name in CEILINGS:
            axes.axhline(mean.error, color="grey", linestyle=":", linewidth=0.8)
            text = f"{mean.name} ({mean.literals:,.0f})"
            place = {"xycoords": ("axes fraction", "data"), "ha": "right", "va": "bottom"}
            axes.annotate(text, (0.995, mean.error), fontsize=7, color="grey", **place)
    _label(axes, drawn)
    axes.set_xlabel("literals in the model, mean over tables")
    axes.set_ylabel("error, %, mean over tables")
    axes.set_title(f"Error against size on {tables} tables, the same ten folds for all")
    axes.xaxis.set_major_formatter(matplotlib.ticker.ScalarFormatter())
    axes.set_xticks([1, 2, 3, 4, 6, 8, 12, 20, 40, 80])
    axes.minorticks_off()
    axes.legend(loc="lower left")
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _label(axes: Any, drawn: Sequence[Mean]) -> None:
    """Write names beside points, from the top, each below the names that it would cover."""
    transform = axes.transData
    taken: list[tuple[float, float, float]] = []
    axes.figure.canvas.draw()
    for mean in sorted(drawn, key=lambda mean: -mean.error):
        x, y = transform.transform((mean.literals, mean.error))
        width, height, shift = 6.0 * len(mean.name), 13.0, 0.0
        while any(
            abs(y + shift - other) < height and x < right and x + width > left
            for left, right, other in taken
        ):
            shift -= 2.0
        taken.append((x, x + width, y + shift))
        colour = "#c05000" if mean.peer else "#1f5fa8"
        axes.annotate(
            mean.name,
            (mean.literals, mean.error),
            xytext=(5, 0.72 * shift + 2),
            textcoords="offset points",
            fontsize=7,
            color=colour,
        )
