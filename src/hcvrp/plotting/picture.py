"""plot(): routes on a map beside a Gantt chart of the vehicles' times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from hcvrp.plotting import style
from hcvrp.plotting.files import IMAGES, PAGE, picture_suffix, save, save_figure
from hcvrp.plotting.gantt import draw_gantt, gantt_height
from hcvrp.plotting.page import page
from hcvrp.plotting.routes import draw_routes, map_limits
from hcvrp.plotting.scene import Scene, scene

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from hcvrp.instance import Instance
    from hcvrp.solution import Solution

LARGEST = 6.0
MARGIN, NAMES, BARS, TIMES = 0.3, 2.1, 3.7, 0.85
HEAD, FOOT = 0.95, 0.55
"""Inches: the longer side of a map, the widths beside it from left to right, and the heights
above and below."""


@overload
def plot(
    instance: Instance, solution: Solution, path: None = None, *, title: str | None = None
) -> Figure: ...
@overload
def plot(
    instance: Instance, solution: Solution, path: str | Path, *, title: str | None = None
) -> None: ...
def plot(
    instance: Instance,
    solution: Solution,
    path: str | Path | None = None,
    *,
    title: str | None = None,
) -> Figure | None:
    """Draws a solution: its routes, and beside them when each vehicle is on which trip.

    Args:
        instance: the problem.
        solution: a feasible answer to it.
        path: where to write; `.png` and `.svg` are images, `.html` is one interactive page that
            needs no network. Without it the Matplotlib figure is returned.
        title: by default the instance's name.

    Raises:
        InputError: for an infeasible solution, an unknown suffix or a path that cannot be written.
    """
    if path is None:
        return _figure(scene(instance, solution, title))
    path = Path(path)
    suffix = picture_suffix(path, (*IMAGES, PAGE))
    view = scene(instance, solution, title)
    if suffix == PAGE:
        save(page(view).encode(), path)
    else:
        save_figure(_figure(view), path)
    return None


def _figure(view: Scene) -> Figure:
    """Map on the left, Gantt chart on the right, title and summary above; all lengths in inches.

    The map takes the shape of its places, and the figure the size of what is on it.
    """
    from matplotlib.figure import Figure

    wide, high = _map_size(view)
    tall = gantt_height(len(view.times), most=high)
    width = MARGIN + wide + NAMES + BARS + TIMES
    height = HEAD + max(high, tall) + FOOT
    figure = Figure(figsize=(width, height), facecolor="white")

    def axes(left: float, top: float, across: float, down: float) -> Axes:
        box = (left / width, 1 - (top + down) / height, across / width, down / height)
        return figure.add_axes(box)

    def write(top: float, text: str, **look: Any) -> None:
        figure.text(MARGIN / width, 1 - top / height, text, parse_math=False, va="top", **look)

    write(0.25, style.shorten(view.title, 80), size=14, weight="bold", color=style.INK)
    write(0.58, view.summary, size=9.5, color=style.MUTED)
    draw_routes(axes(MARGIN, HEAD, wide, high), view)
    draw_gantt(axes(MARGIN + wide + NAMES, HEAD + 0.2, BARS, tall - 0.2), view)
    return figure


def _map_size(view: Scene) -> tuple[float, float]:
    """Width and height of the map, as its places lie, within reason for what stands beside it."""
    low, high = map_limits(view.points)
    ratio = float((high - low)[0] / (high - low)[1])
    width = min(LARGEST, ratio * LARGEST)
    return width, width / ratio
