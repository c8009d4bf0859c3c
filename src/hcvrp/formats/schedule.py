"""When each stop of a solution is reached, and with how much still on board."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from hcvrp.formats.contents import check_belongs
from hcvrp.instance import Instance
from hcvrp.solution import Solution


@dataclass(frozen=True)
class Stop:
    """One arrival. Trips and stops count from 1; customer 0 is the return to the depot."""

    vehicle: int
    trip: int
    order: int
    customer: int
    demand: float
    load: float
    """Still on board after the stop."""
    arrival: float
    """Time since the vehicle first left the depot; trips follow one another without a pause."""


def schedule(instance: Instance, solution: Solution) -> Iterator[tuple[Stop, ...]]:
    """The stops of every trip, vehicle by vehicle, each trip ending at the depot."""
    check_belongs(solution, instance)
    for vehicle, trips in enumerate(solution.routes):
        distance = 0.0
        for number, trip in enumerate(trips, start=1):
            demands = [float(instance.demands[c - 1]) for c in trip] + [0.0]
            stops = []
            for order, (origin, customer) in enumerate(pairwise((0, *trip, 0)), start=1):
                distance += float(instance.travel(origin, customer))
                stops.append(
                    Stop(
                        vehicle=vehicle,
                        trip=number,
                        order=order,
                        customer=customer,
                        demand=demands[order - 1],
                        load=math.fsum(demands[order:]),
                        arrival=distance / instance.vehicles[vehicle].speed,
                    )
                )
            yield tuple(stops)
