"""When each vehicle is where, and with how much on board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.solution import Trip, trip_length

if TYPE_CHECKING:
    from hcvrp.instance import Instance
    from hcvrp.solution import Solution


@dataclass(frozen=True, slots=True)
class Visit:
    """One delivery: `solution.routes[vehicle][trip][order]` is the customer."""

    vehicle: int
    trip: int
    order: int
    customer: int
    demand: float
    load_after: float
    arrival: float


@dataclass(frozen=True, slots=True)
class TimedTrip:
    """One trip: when it leaves the depot and is back, and what it carries at the start."""

    vehicle: int
    trip: int
    start: float
    end: float
    load: float
    visits: tuple[Visit, ...]


def visits(instance: Instance, solution: Solution) -> list[Visit]:
    """Every visit of `solution`, vehicle by vehicle in the order of driving."""
    return [visit for trip in timed_trips(instance, solution) for visit in trip.visits]


def timed_trips(instance: Instance, solution: Solution) -> list[TimedTrip]:
    """Every trip with its times, vehicle by vehicle in the order of driving.

    A vehicle leaves at time 0 and starts each further trip when it is back from the last, so its
    last trip ends at the T_v of `Solution.vehicle_times`. The solution must have no violations.
    """
    timed: list[TimedTrip] = []
    for vehicle, trips in enumerate(solution.routes):
        driven = 0.0
        for number, trip in enumerate(trips):
            timed.append(_timed_trip(instance, vehicle, number, trip, driven))
            driven += trip_length(instance, trip)
    return timed


def _timed_trip(
    instance: Instance, vehicle: int, number: int, trip: Trip, driven: float
) -> TimedTrip:
    """The trip that begins after `driven` units of distance."""
    speed = instance.vehicles[vehicle].speed
    nodes = np.array((0, *trip))
    arrivals = (driven + np.cumsum(instance.travel(nodes[:-1], nodes[1:]))) / speed
    demands = instance.demands[nodes[1:] - 1]
    # Summed from the back, so that the last load is exactly zero.
    loads = np.append(np.cumsum(demands[::-1])[::-1], 0.0)
    return TimedTrip(
        vehicle=vehicle,
        trip=number,
        start=driven / speed,
        end=(driven + trip_length(instance, trip)) / speed,
        load=float(loads[0]),
        visits=tuple(
            Visit(vehicle, number, k, customer, float(demands[k]), float(loads[k + 1]), float(time))
            for k, (customer, time) in enumerate(zip(trip, arrivals, strict=True))
        ),
    )
