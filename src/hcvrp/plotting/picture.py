"""plot(): routes on a map beside a Gantt chart of the vehicles' times."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from hcvrp.plotting import style
from hcvrp.plotting.files import IMAGES, PAGE, picture_suffix, save, save_figure
from hcvrp.plotting.gantt import draw_gantt
from hcvrp.plotting.page import page
from hcvrp.plotting.routes import draw_routes
from hcvrp.plotting.scene import Scene, scene

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hcvrp.instance import Instance
    from hcvrp.solution import Solution


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
    """Map on the left, Gantt chart on the right, title and summary above."""
    from matplotlib.figure import Figure

    rows = len(view.times)
    height = max(6.6, 2.0 + 0.26 * rows)
    figure = Figure(figsize=(12.6, height), facecolor="white")
    above = 0.95 / height
    left = figure.add_axes((0.02, 0.03, 0.48, 1 - above - 0.03))
    # A few rows need no tall chart: it keeps to the top, at the height of the title.
    tall = min(1 - above - 0.6 / height, (0.5 * rows + 0.5) / height)
    right = figure.add_axes((0.65, 1 - above - 0.25 / height - tall, 0.29, tall))
    words: dict[str, Any] = {"parse_math": False, "va": "top"}
    figure.text(
        0.025,
        1 - 0.25 / height,
        style.shorten(view.title, 80),
        size=14,
        weight="bold",
        color=style.INK,
        **words,
    )
    figure.text(0.025, 1 - 0.58 / height, view.summary, size=9.5, color=style.MUTED, **words)
    draw_routes(left, view)
    draw_gantt(right, view)
    return figure
