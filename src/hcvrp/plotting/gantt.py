"""The Gantt chart of a picture, drawn with Matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hcvrp.plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hcvrp.plotting.scene import Scene
    from hcvrp.schedule import TimedTrip

BAR = 0.56
"""Height of a bar; rows are 1 apart."""

ROOMY, CROWDED = 12, 40
"""Up to so many rows there is room for a second line of text in each, or for text at all."""


def gantt_height(rows: int, most: float) -> float:
    """Inches for so many rows: few grow into a height of `most`, very many share that of forty."""
    if rows <= ROOMY:
        return 0.4 + max(0.5 * rows, min(0.8 * rows, most - 0.4))
    return max(most, 0.4 + 0.2 * min(rows, CROWDED))


def draw_gantt(axes: Axes, view: Scene) -> None:
    """One bar per vehicle, a segment per trip, and a line where the longest vehicle ends."""
    _frame(axes, view)
    for vehicle, trips in enumerate(view.trips_by_vehicle()):
        edge = 0.8 if len(trips) <= style.PARTED else 0.0
        for trip in trips:
            _draw_segment(axes, view, trip, edge)
        if vehicle % math.ceil(len(view.times) / CROWDED) == 0:
            _label_row(axes, view, vehicle)
    axes.axvline(view.end, color=style.INK, lw=1, ls=(0, (3, 2)), zorder=1, gid="end")
    axes.annotate(
        f"longest time {view.time(view.end)}{view.unit}",
        (view.end, 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 4),
        textcoords="offset points",
        ha="right",
        size=9,
        weight="bold",
        color=style.INK,
    )


def _frame(axes: Axes, view: Scene) -> None:
    """A time axis below, rows from the top, light vertical lines and nothing else."""
    rows = len(view.times)
    axes.set_xlim(0, (view.end or 1.0) * 1.02)
    axes.set_ylim(rows - 0.4, -0.6)
    marks = view.ticks(most=6)
    axes.set_xticks(list(marks), list(marks.values()), size=8.5, color=style.MUTED)
    axes.set_yticks([])
    axes.set_xlabel("time (h:mm)" if view.hours else "time", size=9, color=style.MUTED)
    axes.grid(axis="x", color=style.FAINT, lw=0.6)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


def _draw_segment(axes: Axes, view: Scene, trip: TimedTrip, edge: float) -> None:
    """A trip's bar in its shade, with its number where there is room."""
    width = trip.end - trip.start
    colour = style.tint(trip.vehicle, trip.trip)
    axes.barh(
        trip.vehicle,
        width,
        left=trip.start,
        height=BAR,
        color=colour,
        edgecolor="white",
        linewidth=edge,
        gid=f"bar-{trip.vehicle}-{trip.trip}",
    )
    if width > 0.035 * view.end and len(view.times) <= CROWDED:
        axes.text(
            trip.start + width / 2,
            trip.vehicle,
            str(trip.trip + 1),
            ha="center",
            va="center_baseline",
            size=8,
            color=style.text_on(colour),
        )


def _label_row(axes: Axes, view: Scene, vehicle: int) -> None:
    """The vehicle's marker and name to the left of its bar, its time to the right."""
    sides = axes.get_yaxis_transform()  # x from 0 to 1 across the chart, y in rows

    def write(x: float, y: float, text: str, **look: Any) -> None:
        axes.text(x, y, text, transform=sides, parse_math=False, **look)

    shape = style.SHAPES[style.shape(vehicle)]
    colour = style.colour(vehicle)
    axes.plot(-0.035, vehicle, marker=shape, ms=6.5, color=colour, transform=sides, clip_on=False)
    name = style.shorten(view.instance.vehicle_label(vehicle), 26)
    left = {"ha": "right", "color": style.INK, "size": 9}
    if len(view.times) <= ROOMY:
        write(-0.07, vehicle - 0.02, name, va="bottom", **left)
        caption = left | {"color": style.MUTED, "size": 7.5}
        write(-0.07, vehicle + 0.05, view.vehicle_caption(vehicle), va="top", **caption)
    else:
        write(-0.07, vehicle, name, va="center", **left)
    write(1.02, vehicle, view.time_label(vehicle), va="center", color=style.INK, size=9)
