"""The picture as one interactive HTML page that needs no network.

`page.html` holds the layout, styles and script. The Gantt chart is HTML, not SVG, so that its text
keeps its size on a phone and its rows are buttons that a keyboard reaches.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from html import escape
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING

from hcvrp import wording
from hcvrp.plotting import style, svg

if TYPE_CHECKING:
    from hcvrp.plotting.scene import Scene
    from hcvrp.schedule import TimedTrip


def page(view: Scene) -> str:
    """The whole page; every name in it is escaped."""
    template = Template(files("hcvrp.plotting").joinpath("page.html").read_text("utf-8"))
    marks = view.ticks(most=5)
    return template.substitute(
        title=escape(view.title),
        summary=escape(view.summary),
        note=escape(view.note),
        map=svg.route_map(view),
        longest=view.time(view.end) + view.unit,
        unit="h:mm" if view.hours else "time",
        rows="\n".join(_row(view, v, trips) for v, trips in enumerate(view.trips_by_vehicle())),
        ticks="".join(f'<span style="left:{_share(view, t)}">{w}</span>' for t, w in marks.items()),
        step=_share(view, max(marks) / max(1, len(marks) - 1)),
        data=_data(view),
    )


def _row(view: Scene, vehicle: int, trips: tuple[TimedTrip, ...]) -> str:
    """A vehicle: its marker and name, its trips as segments of a bar, its time."""
    name = escape(wording.tidy(view.instance.vehicle_label(vehicle)))
    bar = "bar" if len(trips) <= style.PARTED else "bar many"
    longest = " longest" if view.times[vehicle] == view.end else ""
    return (
        f'<li><button type="button" class="row{longest}" data-vehicle="{vehicle}"'
        f' aria-pressed="false" style="--colour:{style.colour(vehicle)}"><span class="who">'
        f'<svg class="key" viewBox="-8 -8 16 16" aria-hidden="true">'
        f"{svg.marker(style.shape(vehicle), 0, 0, 5.5)}</svg>"
        f'<span class="name" title="{name}">{name}</span>'
        f'<span class="caption">{escape(view.vehicle_caption(vehicle))}</span></span>'
        f'<span class="{bar}">{"".join(_segment(view, trip) for trip in trips)}</span>'
        f'<span class="time">{view.time_label(vehicle)}</span></button></li>'
    )


def _segment(view: Scene, trip: TimedTrip) -> str:
    """A trip in the bar, with its figures as a tooltip."""
    colour = style.tint(trip.vehicle, trip.trip)
    figures = (
        f"trip {trip.trip + 1}: {wording.plural(len(trip.visits), 'stop')},"
        f" load {wording.brief(trip.load)},"
        f" from {view.time(trip.start)} to {view.time(trip.end)}"
    )
    return (
        f'<span style="left:{_share(view, trip.start)};'
        f"width:{_share(view, trip.end - trip.start)};"
        f'background:{colour};color:{style.text_on(colour)}" title="{figures}">'
        f"{trip.trip + 1}</span>"
    )


def _share(view: Scene, time: float) -> str:
    """`time` as a share of the longest vehicle time."""
    return f"{100 * time / (view.end or 1.0):.3f}%"


def _data(view: Scene) -> str:
    """The schedule as JSON that no name can break out of."""
    at, _ = svg.places(view.points)
    instance = view.instance
    stops = [stop for trip in view.trips for stop in trip.visits]
    data = {
        "stops": [
            asdict(stop) | {"x": float(at[stop.customer, 0]), "y": float(at[stop.customer, 1])}
            for stop in stops
        ],
        "customers": [_customer(instance.customer_label(c + 1)) for c in range(instance.size)],
        "vehicles": [
            wording.tidy(instance.vehicle_label(v)) for v in range(len(instance.vehicles))
        ],
        "hours": view.hours,
    }
    return json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")


def _customer(label: str) -> str:
    """The customer as a heading: a bare number says what it counts."""
    return f"customer {label}" if label.isdecimal() else wording.tidy(label)
