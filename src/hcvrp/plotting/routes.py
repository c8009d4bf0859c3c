"""The map of a picture, drawn with Matplotlib."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.plotting import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from hcvrp.instance import Floats
    from hcvrp.plotting.scene import Scene
    from hcvrp.schedule import TimedTrip

FLATTEST = 0.2
"""A map reaches at least this share of its longer side to either side of its middle."""


def draw_routes(axes: Axes, view: Scene) -> None:
    """Draws trips, stops and the depot with one scale in both directions."""
    _frame(axes, view)
    for trip in view.trips:
        _draw_trip(axes, view, trip)
    if view.detail.stops:
        for vehicle, trips in enumerate(view.trips_by_vehicle()):
            visited = [stop.customer for trip in trips for stop in trip.visits]
            _draw_stops(axes, view, vehicle, visited)
    axes.plot(
        *view.points[0],
        marker="s",
        ms=10,
        mfc=style.INK,
        mec="white",
        mew=1.5,
        zorder=6,
        gid="depot",
    )
    axes.annotate(
        "depot",
        view.points[0],
        xytext=(0, 8),
        textcoords="offset points",
        ha="center",
        va="bottom",
        size=8.5,
        weight="bold",
        color=style.INK,
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.8},
        zorder=7,
    )


def map_limits(points: Floats) -> tuple[Floats, Floats]:
    """The lower left and the upper right corner: a little beyond the points, never a mere line."""
    low, high = points.min(axis=0), points.max(axis=0)
    longer = float((high - low).max()) or 1.0
    reach = np.maximum(0.53 * (high - low), FLATTEST * longer)
    middle = (low + high) / 2
    return middle - reach, middle + reach


def _frame(axes: Axes, view: Scene) -> None:
    """No axes: places speak for themselves."""
    (left, bottom), (right, top) = map_limits(view.points)
    axes.set_xlim(left, right)
    axes.set_ylim(bottom, top)
    axes.set_aspect("equal", anchor="NW")
    axes.set_axis_off()
    axes.text(0, -0.01, view.note, transform=axes.transAxes, size=8, color=style.MUTED, va="top")


def _draw_trip(axes: Axes, view: Scene, trip: TimedTrip) -> None:
    """A line through the stops, thin legs from and to the depot, an arrow on the way out."""
    colour = style.tint(trip.vehicle, trip.trip)
    detail = view.detail
    dash = (0, (style.dash(trip.trip) or None) if detail.dashed else None)
    places = view.points[[0, *(stop.customer for stop in trip.visits), 0]]
    gid = f"trip-{trip.vehicle}-{trip.trip}"
    axes.plot(*places[1:-1].T, color=colour, lw=detail.line, ls=dash, zorder=3, gid=gid)
    if detail.leg:
        for leg in (places[:2], places[-2:]):
            axes.plot(*leg.T, color=colour, alpha=detail.leg, lw=detail.line / 2, zorder=2)
    if detail.arrows:
        _draw_arrow(axes, places[:2], colour)


def _draw_arrow(axes: Axes, leg: Floats, colour: str) -> None:
    """A small head in the middle of the leg, pointing along it."""
    from matplotlib.markers import MarkerStyle
    from matplotlib.transforms import Affine2D

    dx, dy = leg[1] - leg[0]
    head = MarkerStyle(">", transform=Affine2D().rotate(math.atan2(dy, dx)))
    axes.plot(*leg.mean(axis=0), marker=head, ms=4, mfc=colour, mew=0, zorder=2)


def _draw_stops(axes: Axes, view: Scene, vehicle: int, customers: list[int]) -> None:
    """The vehicle's stops, their area by demand."""
    radii = style.radii(view.instance.demands)[np.array(customers, dtype=int) - 1]
    x, y = view.points[customers].T
    axes.scatter(
        x,
        y,
        s=(2 * radii) ** 2,
        marker=style.SHAPES[style.shape(vehicle)],
        color=style.colour(vehicle),
        edgecolors="white",
        linewidths=0.4 * view.detail.line,
        zorder=4,
        gid=f"stops-{vehicle}",
    )
