"""plot_convergence(): cost against time."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, overload

from hcvrp import wording
from hcvrp.errors import InputError
from hcvrp.plotting import style
from hcvrp.plotting.files import save_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcvrp.task import Result

EARLIEST = 1e-4
"""Seconds; whatever was found earlier is drawn here, for a log axis has no zero."""


@overload
def plot_convergence(
    results: Mapping[str, Result], path: None = None, *, title: str | None = None
) -> Figure: ...
@overload
def plot_convergence(
    results: Mapping[str, Result], path: str | Path, *, title: str | None = None
) -> None: ...
def plot_convergence(
    results: Mapping[str, Result], path: str | Path | None = None, *, title: str | None = None
) -> Figure | None:
    """Draws the best cost so far against the time it was found, a step line per result.

    Args:
        results: of one instance and one objective, by the label each shall have.
        path: a `.png` or `.svg` file; without it the Matplotlib figure is returned.
        title: by default "Cost against time".

    Raises:
        InputError: for no results, mixed objectives, an unknown suffix or an unwritable path.
    """
    figure = _figure(results, title or "Cost against time")
    if path is None:
        return figure
    save_figure(figure, Path(path))
    return None


def _figure(results: Mapping[str, Result], title: str) -> Figure:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    objectives = sorted({result.objective for result in results.values()})
    if len(objectives) != 1:
        found = " and ".join(objectives) or "no results"
        raise InputError(f"results must share one objective, not {found}")
    figure = Figure(figsize=(8.4, 4.8), facecolor="white", layout="constrained")
    axes = figure.add_subplot()
    for k, (label, result) in enumerate(results.items()):
        _draw_result(axes, k, label, result)
    axes.set_title(
        style.shorten(title, 70),
        loc="left",
        size=13,
        weight="bold",
        color=style.INK,
        pad=14,
        parse_math=False,
    )
    axes.set_xscale("log")
    axes.xaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    axes.set_xlabel("seconds", color=style.MUTED)
    axes.set_ylabel(f"{objectives[0]} cost", color=style.MUTED)
    axes.grid(which="major", color=style.FAINT, lw=0.6)
    axes.tick_params(which="both", length=0, labelcolor=style.MUTED, labelsize=9)
    axes.spines[:].set_visible(False)
    legend = axes.legend(frameon=False, fontsize=9, loc="upper right", handlelength=2.6)
    for text in legend.get_texts():
        text.set_parse_math(False)
    return figure


def _draw_result(axes: Axes, k: int, label: str, result: Result) -> None:
    """The steps of one result, held to the end of its run, and its bound where there is one."""
    steps = [(i.seconds, i.cost) for i in result.history] + [(result.seconds, result.cost)]
    seconds, costs = zip(*((max(s, EARLIEST), c) for s, c in steps), strict=True)
    bound = "" if result.bound is None else f"  (bound {wording.number(result.bound)})"
    axes.plot(
        seconds,
        costs,
        drawstyle="steps-post",
        color=style.colour(k),
        lw=1.6,
        ls=(0, style.dash(k) or None),
        marker="o",
        ms=4,
        markevery=[-1],
        label=f"{wording.number(result.cost)}  {style.shorten(label, 40)}{bound}",
    )
    if result.bound is not None:
        axes.axhline(result.bound, color=style.colour(k), lw=0.8, ls=(0, (1, 3)))
