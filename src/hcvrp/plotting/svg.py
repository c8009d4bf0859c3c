"""The map of the HTML page, as SVG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.plotting import style

if TYPE_CHECKING:
    from hcvrp.instance import Floats
    from hcvrp.plotting.scene import Scene
    from hcvrp.schedule import TimedTrip

WIDTH, MARGIN, LEAST_HEIGHT = 640.0, 26.0, 200.0
"""The map's width, its free border and its least height, in SVG units."""

CORNERS = {"square": (4, 45), "triangle": (3, -90), "diamond": (4, 0), "pentagon": (5, -90)}
"""How many corners a shape has and the direction of the first, in degrees; a circle has none."""


def places(points: Floats) -> tuple[Floats, float]:
    """The points in SVG units, y downwards, one scale for both; and the height they need."""
    low, high = points.min(axis=0), points.max(axis=0)
    scale = (WIDTH - 2 * MARGIN) / (float((high - low).max()) or 1.0)
    height = max(LEAST_HEIGHT, float(high[1] - low[1]) * scale + 2 * MARGIN)
    middle = np.array((WIDTH, height)) / 2
    centred = (points - (low + high) / 2) * (scale, -scale)
    return np.round(middle + centred, 2), round(height, 2)


def route_map(view: Scene) -> str:
    """The whole map: lines below, stops above, the depot on top."""
    at, height = places(view.points)
    detail = view.detail
    lines = [_lines(trips, at, detail) for trips in view.trips_by_vehicle()]
    stops = [_stops(view, trips if detail.stops else (), at) for trips in view.trips_by_vehicle()]
    x, y = at[0]
    opening = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH:g} {height:g}" tabindex="0"'
        f' style="--trip:{1.2 * detail.line:.2f};--leg:{detail.leg}" role="group"'
        ' aria-label="Map of the routes; arrow keys step through the stops">'
    )
    return "\n".join(
        (
            opening,
            *(_group(vehicle, parts) for vehicle, parts in enumerate(lines)),
            *(_group(vehicle, parts) for vehicle, parts in enumerate(stops)),
            f'<rect class="depot" x="{x - 7:.2f}" y="{y - 7:.2f}" width="14" height="14"/>',
            f'<text class="depot-label" x="{x:.2f}" y="{y - 12:.2f}">depot</text>',
            '<circle class="ring" r="10" style="display:none"/>',
            "</svg>",
        )
    )


def marker(shape: str, x: float, y: float, radius: float) -> str:
    """A stop; corners reach a little further than a circle, to weigh as much to the eye."""
    if shape not in CORNERS:
        return f'<circle class="stop" cx="{x:.2f}" cy="{y:.2f}" r="{radius:.2f}"/>'
    count, first = CORNERS[shape]
    angles = (math.radians(first + 360 * k / count) for k in range(count))
    reach = 1.25 * radius
    corners = (f"{x + reach * math.cos(a):.2f},{y + reach * math.sin(a):.2f}" for a in angles)
    return f'<polygon class="stop" points="{" ".join(corners)}"/>'


def _group(vehicle: int, parts: Iterable[str]) -> str:
    body = "\n".join(parts)
    return f'<g data-vehicle="{vehicle}" style="--colour:{style.colour(vehicle)}">\n{body}\n</g>'


def _lines(trips: Iterable[TimedTrip], at: Floats, detail: style.Detail) -> Iterator[str]:
    """Per trip a line through the stops, thin legs from and to the depot, an arrow outwards."""
    for trip in trips:
        nodes = at[[0, *(stop.customer for stop in trip.visits), 0]]
        lengths = style.dash(trip.trip) if detail.dashed else ()
        dash = " ".join(f"{2 * length:g}" for length in lengths) or "none"
        legs = (nodes[:2], nodes[-2:]) if detail.leg else ()
        yield (
            f'<g style="--colour:{style.tint(trip.vehicle, trip.trip)}">'
            f'<polyline class="trip" stroke-dasharray="{dash}" points="{_points(nodes[1:-1])}"/>'
            + "".join(f'<polyline class="leg" points="{_points(leg)}"/>' for leg in legs)
            + (_arrow(*nodes[:2]) if detail.arrows else "")
            + "</g>"
        )


def _stops(view: Scene, trips: Iterable[TimedTrip], at: Floats) -> Iterator[str]:
    radii = 1.5 * style.radii(view.instance.demands)
    for trip in trips:
        for stop in trip.visits:
            x, y = at[stop.customer]
            yield marker(style.shape(trip.vehicle), x, y, radii[stop.customer - 1])


def _points(nodes: Floats) -> str:
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in nodes)


def _arrow(origin: Floats, destination: Floats) -> str:
    """A small head in the middle of the leg, pointing along it."""
    x, y = (origin + destination) / 2
    angle = math.degrees(math.atan2(*(destination - origin)[::-1]))
    place = f"translate({x:.2f} {y:.2f}) rotate({angle:.1f})"
    return f'<path class="arrow" d="M-4 -3 4 0 -4 3z" transform="{place}"/>'
