"""VROOM (Coupey, Nicod & Varnier): min-sum only, a vehicle for every trip that might be wanted.

A duration is the whole-number length of the leg, and a vehicle of pace p has the speed factor
1/p, which VROOM rounds to a hundredth of a pace: whole paces pass through exactly. It ends of its
own accord or at the time limit, and only then says what it found.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import vroom

from hcvrp.search.peers import integers
from hcvrp.search.peers.query import Kind, Query, Routes

EXPLORATION = 5
"""The most thorough of VROOM's levels."""


def solve(query: Query, report: Callable[[Routes], None]) -> None:
    """Reports VROOM's one answer."""
    kinds = query.kinds()
    demands, capacities = integers.loads(query.demands, query.capacities)
    paces = integers.paces([kind.speed for kind in kinds])
    legs = integers.legs(query.distances, integers.LONGEST_LEG / max(paces))
    problem = vroom.Input()
    problem.set_durations_matrix("car", legs)
    problem.add_job([vroom.Job(i, i, delivery=[d]) for i, d in enumerate(demands, start=1)])
    owners: list[Kind] = []
    for kind, pace in zip(kinds, paces, strict=True):
        capacity = [capacities[kind.vehicles[0]]]
        for _ in range(query.trips_enough(kind)):
            problem.add_vehicle(
                vroom.Vehicle(len(owners), start=0, end=0, capacity=capacity, speed_factor=1 / pace)
            )
            owners.append(kind)
    limit = None if query.time_limit is None else timedelta(seconds=query.time_limit)
    answer = problem.solve(EXPLORATION, nb_threads=query.threads, timeout=limit)
    report(query.deal((owners[vehicle], trip) for vehicle, trip in _trips(answer)))


def _trips(answer: vroom.solution.solution.Solution) -> list[tuple[int, list[int]]]:
    """The customers that each used vehicle visits, in order."""
    visits = answer.routes[answer.routes["type"] == "job"]
    return [
        (int(vehicle), [int(customer) for customer in steps["id"]])
        for vehicle, steps in visits.groupby("vehicle_id", sort=True)
    ]
