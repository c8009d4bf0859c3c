"""Solutions as GeoJSON (RFC 7946), for maps: a line per trip, a point per stop, and the depot.

On the globe coordinates are [longitude, latitude], as the standard wants. Planar instances keep
their [x, y], which no map can place; the member `coordinate_system` says which it is.
"""

from __future__ import annotations

import json
from typing import Any

from hcvrp.errors import InputError
from hcvrp.formats.contents import check_belongs
from hcvrp.formats.fields import plain
from hcvrp.formats.stops import detail_columns
from hcvrp.instance import Instance
from hcvrp.schedule import TimedTrip, Visit, timed_trips
from hcvrp.solution import Solution

_STOP = ("kind", "customer", "name", "vehicle", "trip", "order", "demand", "arrival")


def format_solution(solution: Solution, instance: Instance) -> str:
    """The feature collection, a feature a line."""
    check_coordinates(instance)
    assert instance.coordinates is not None
    check_belongs(solution, instance)
    on_globe = instance.metric == "great-circle"
    points = (instance.coordinates[:, ::-1] if on_globe else instance.coordinates).tolist()
    names, cells = detail_columns(instance, _STOP)
    besides = [dict(zip(names, texts, strict=True)) for texts in cells]
    features = [_feature("Point", points[0], {"kind": "depot"} | besides[0])]
    for trip in timed_trips(instance, solution):
        features.append(_trip(instance, trip, points))
        for visit in trip.visits:
            facts = _stop(instance, visit) | besides[visit.customer]
            features.append(_feature("Point", points[visit.customer], facts))
    head = {
        "type": "FeatureCollection",
        "coordinate_system": "longitude, latitude" if on_globe else "planar x, y",
    }
    lines = ",\n".join(f"    {json.dumps(f, ensure_ascii=False)}" for f in features)
    return json.dumps(head, indent=2)[:-2] + f',\n  "features": [\n{lines}\n  ]\n}}\n'


def check_coordinates(instance: Instance) -> None:
    """Refuses an instance that no map can show."""
    if instance.coordinates is None:
        raise InputError("GeoJSON needs coordinates, the instance has only distances")


def _trip(instance: Instance, trip: TimedTrip, points: list[list[float]]) -> dict[str, Any]:
    properties = {
        "kind": "trip",
        "vehicle": trip.vehicle + 1,
        "vehicle_name": instance.vehicle_label(trip.vehicle),
        "trip": trip.trip + 1,
        "load": plain(trip.load),
        "time": plain(trip.end - trip.start),
    }
    nodes = (0, *(visit.customer for visit in trip.visits), 0)
    return _feature("LineString", [points[node] for node in nodes], properties)


def _stop(instance: Instance, visit: Visit) -> dict[str, Any]:
    name, demand = instance.customer_label(visit.customer), plain(visit.demand)
    place = (visit.vehicle + 1, visit.trip + 1, visit.order + 1)
    facts = ("stop", visit.customer, name, *place, demand, plain(visit.arrival))
    return dict(zip(_STOP, facts, strict=True))


def _feature(kind: str, coordinates: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": properties}
