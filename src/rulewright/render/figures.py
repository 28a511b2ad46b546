"""Figures for people, drawn by matplotlib, which is imported when one is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rulewright.render.words import confidence_text, percent_text


def path_figure(
    sizes: Sequence[int],
    errors: Sequence[float],
    bounds: Sequence[float],
    *,
    tested: Sequence[float] | None = None,
    test: str = "cross-validated",
    chosen: int | None = None,
    delta: float = 0.05,
    ax: Any = None,
) -> Any:
    """Draw training error, certified error and tested error against the size of a machine.

    Parameters
    ----------
    sizes : sequence of int
    errors, bounds : sequence of float
        Training error and bound of each size, as shares.
    tested : sequence of float, optional
        Error of each size on rows that it did not learn from; ``test`` says which.
    chosen : int, optional
        The size to mark.
    delta : float
        The bounds hold with probability ``1 - delta``.
    ax : matplotlib's Axes, optional

    Returns
    -------
    matplotlib's Axes
    """
    if ax is None:
        ax = _new_axes()
    confidence = confidence_text(delta)
    ax.plot(sizes, bounds, "-o", color="#b3261e", label=f"certified, with confidence {confidence}")
    if tested is not None:
        ax.plot(sizes, tested, "--s", color="#6b4fa0", label=test)
    ax.plot(sizes, errors, "-o", color="#3a6ea5", label="training error")
    if chosen is not None:
        bound = bounds[list(sizes).index(chosen)]
        ax.axvline(chosen, color="#888888", linewidth=1, linestyle=":")
        ax.annotate(
            f"chosen: at most {percent_text(bound)}",
            (chosen, bound),
            xytext=(6, 8),
            textcoords="offset points",
        )
    ax.set_xlabel("rules")
    ax.set_ylabel("share of cases misjudged")
    ax.set_xticks(sorted(set(sizes)))
    ax.set_ylim(bottom=0)
    ax.yaxis.set_major_formatter(lambda share, _: f"{100 * share:g} %")
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    return ax


def _new_axes() -> Any:
    try:
        import matplotlib.pyplot as plt  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "Drawing needs matplotlib. Install it: pip install rulewright[plot]."
        ) from error
    return plt.subplots(figsize=(7, 4), layout="constrained")[1]
