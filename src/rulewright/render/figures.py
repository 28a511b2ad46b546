"""Figures drawn by matplotlib, which is imported on first use."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.render.formatting import confidence_text, cost_text, count_text, percent_text

MAX_TICKS = 12
"""Maximum number of sizes that have a tick each."""


def path_figure(
    sizes: Sequence[int],
    errors: Sequence[float],
    bounds: Sequence[float],
    *,
    tested: Sequence[float] | None = None,
    test: str = "cross-validated",
    chosen: int | None = None,
    held: float | None = None,
    delta: float = 0.05,
    costs: bool = False,
    ax: Any = None,
) -> Any:
    """Plot training error, certified error and tested error against the size of a model.

    Parameters
    ----------
    sizes : sequence of int
    errors, bounds : sequence of float
        Training error and bound of each size, as shares.
    tested : sequence of float, optional
        Error of each size on rows outside its training set; ``test`` is their label.
    chosen : int, optional
        The size to mark.
    held : float, optional
        The bound of the chosen size from rows held out, where its certificate is from these.
    delta : float
        The bounds hold with probability ``1 - delta``.
    costs : bool, default False
        Whether the numbers are costs per case, and not shares of cases.
    ax : matplotlib's Axes, optional

    Returns
    -------
    matplotlib's Axes
    """
    if ax is None:
        ax = pyplot().subplots(figsize=(7, 4), layout="constrained")[1]
    certified = f"certified, with confidence {confidence_text(delta)}"
    ax.plot(sizes, bounds, "-o", color="#b3261e", markersize=4, label=certified)
    if tested is not None:
        ax.plot(sizes, tested, "--s", color="#6b4fa0", markersize=4, label=test)
    ax.plot(sizes, errors, "-o", color="#3a6ea5", markersize=4, label="in training")
    highest = max([*bounds, *errors, *(tested or ()), held or 0.0], default=0.0)
    room = 1.25 if _is_wide(ax) else 1.45  # for the words above the curves
    ax.set_ylim(0, room * highest or 1.0)
    if chosen is not None:
        bound = bounds[list(sizes).index(chosen)] if held is None else held
        if held is not None:
            style = {"color": "#b3261e", "linestyle": "none", "markersize": 7}
            ax.plot([chosen], [held], "D", label="certified, by the rows held out", **style)
        _mark_chosen(ax, sizes, chosen, cost_text(bound) if costs else percent_text(bound))
    _label(ax, sizes, costs)
    return ax


def _mark_chosen(ax: Any, sizes: Sequence[int], chosen: int, bound: str) -> None:
    """Mark the chosen size, with a note on the side that has more room."""
    ax.axvline(chosen, color="#888888", linewidth=1, linestyle=":", zorder=0)
    right = 2 * chosen <= min(sizes) + max(sizes)
    ax.annotate(
        f"chosen: {count_text(chosen, 'rule')}\nat most {bound}",
        (chosen, 1),
        xycoords=("data", "axes fraction"),
        xytext=(6 if right else -6, -4),
        textcoords="offset points",
        ha="left" if right else "right",
        va="top",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
    )


def _label(ax: Any, sizes: Sequence[int], costs: bool) -> None:
    ax.set_xlabel("rules")
    ax.set_xlim(min(sizes) - 0.5, max(sizes) + 0.5)
    if len(set(sizes)) <= MAX_TICKS:
        ax.set_xticks(sorted(set(sizes)))
    else:
        ax.xaxis.get_major_locator().set_params(integer=True)
    ax.set_ylabel("average cost of a case" if costs else "share of wrong cases")
    if not costs:
        ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %" if share <= 1 else "")
    ax.grid(axis="y", color="#e6e6e6")
    ax.set_axisbelow(True)
    ax.spines[["top", "right"]].set_visible(False)
    above = {"loc": "lower left", "bbox_to_anchor": (0, 1), "borderaxespad": 0.2}
    ax.legend(frameon=False, ncols=2 if _is_wide(ax) else 1, **above)


def _is_wide(ax: Any) -> bool:
    return bool(ax.get_window_extent().width > 4.5 * ax.figure.dpi)


def pyplot() -> Any:
    """Return matplotlib's pyplot, or raise an error with the way to install it."""
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib. Install it: pip install rulewright[plot]."
        ) from error
    return plt
