"""Solutions as GeoJSON (RFC 7946), for maps: a line per trip, a point per stop, and the depot.

On the globe coordinates are [longitude, latitude], as the standard wants. Planar instances keep
their [x, y], which no map can place; the member `coordinate_system` says which it is.
"""

from __future__ import annotations

import json
from typing import Any

from hcvrp.errors import InputError
from hcvrp.formats.fields import plain
from hcvrp.formats.schedule import Stop, schedule
from hcvrp.instance import Instance
from hcvrp.solution import Solution, trip_length, trip_load


def format_solution(solution: Solution, instance: Instance) -> str:
    """The feature collection, a feature a line."""
    if instance.coordinates is None:
        raise InputError("GeoJSON needs coordinates, the instance has only distances")
    on_globe = instance.metric == "great-circle"
    points = (instance.coordinates[:, ::-1] if on_globe else instance.coordinates).tolist()
    features = [_feature("Point", points[0], {"kind": "depot"})]
    for stops in schedule(instance, solution):
        features.append(_trip(instance, stops, points))
        features += [_stop(instance, stop, points) for stop in stops if stop.customer]
    head = {
        "type": "FeatureCollection",
        "coordinate_system": "longitude, latitude" if on_globe else "planar x, y",
    }
    lines = ",\n".join(f"    {json.dumps(f, ensure_ascii=False)}" for f in features)
    return json.dumps(head, indent=2)[:-2] + f',\n  "features": [\n{lines}\n  ]\n}}\n'


def _trip(instance: Instance, stops: tuple[Stop, ...], points: list[list[float]]) -> dict[str, Any]:
    vehicle = stops[0].vehicle
    trip = tuple(stop.customer for stop in stops[:-1])
    properties = {
        "kind": "trip",
        "vehicle": vehicle + 1,
        "vehicle_name": instance.vehicle_label(vehicle),
        "trip": stops[0].trip,
        "load": plain(trip_load(instance, trip)),
        "time": plain(trip_length(instance, trip) / instance.vehicles[vehicle].speed),
    }
    return _feature("LineString", [points[node] for node in (0, *trip, 0)], properties)


def _stop(instance: Instance, stop: Stop, points: list[list[float]]) -> dict[str, Any]:
    properties = {
        "kind": "stop",
        "customer": stop.customer,
        "name": instance.customer_label(stop.customer),
        "vehicle": stop.vehicle + 1,
        "trip": stop.trip,
        "order": stop.order,
        "demand": plain(stop.demand),
        "arrival": plain(stop.arrival),
    }
    return _feature("Point", points[stop.customer], properties)


def _feature(kind: str, coordinates: list[Any], properties: dict[str, Any]) -> dict[str, Any]:
    geometry = {"type": kind, "coordinates": coordinates}
    return {"type": "Feature", "geometry": geometry, "properties": properties}
