"""PyVRP (Wouda, Lan & Kool 2024): min-sum as it stands, min-max by bisection on a time bound.

Min-sum: a vehicle type for each distinct (capacity, pace), with a vehicle for every trip that
might be wanted; a leg costs its whole-number length times the whole-number pace of the type.

Min-max: the real fleet, reloading at the depot at will, under a common bound T on vehicle times,
which is a maximum distance T·s_v. An answer within the bound becomes the next upper end of the
bisection, a bound not met in its share of the time the next lower end.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pyvrp
from pyvrp.stop import FirstFeasible, MaxRuntime, MultipleCriteria

from hcvrp.search.peers import integers
from hcvrp.search.peers.query import Kind, Query, Routes

LONGEST_LEG = 25_000
"""Length of the longest leg."""

FIRST_SHARE = 0.1
"""The part of a min-max run that goes into the unbounded start."""

PROBE_SHARE = 0.4
"""The part of the remaining time that one bound may take."""

FINEST_STEP = 2e-3
"""A bisection closer than this part of the best time starts afresh, from a little below."""


def solve(query: Query, report: Callable[[Routes], None]) -> None:
    """Reports ever better routes until the time is up."""
    end = time.perf_counter() + (query.time_limit or 0.0)
    (_min_max if query.is_min_max else _min_sum)(query, report, end)


def _min_sum(query: Query, report: Callable[[Routes], None], end: float) -> None:
    kinds = query.kinds()
    paces = integers.paces([kind.speed for kind in kinds])
    data = _data(query, kinds)
    types = [
        kind_type.replace(
            reload_depots=[],
            unit_distance_cost=pace,
            num_available=query.trips_enough(kind),
        )
        for kind, kind_type, pace in zip(kinds, data.vehicle_types(), paces, strict=True)
    ]

    def heard(solution: pyvrp.Solution) -> None:
        if solution.is_feasible():
            routes = solution.routes()
            report(query.deal((kinds[r.vehicle_type()], t) for r in routes for t in _trips(r)))

    stop = MaxRuntime(max(0.0, end - time.perf_counter()))
    heard(_search(data.replace(vehicle_types=types), stop, query.seed, heard))


def _min_max(query: Query, report: Callable[[Routes], None], end: float) -> None:
    fleet = _Fleet(query)

    def remaining() -> float:
        return max(0.0, end - time.perf_counter())

    best = _search(fleet.data, MaxRuntime(FIRST_SHARE * remaining()), query.seed)
    if not best.is_feasible():
        best = _search(fleet.data, _feasible_within(remaining()), query.seed, start=best)
    report(fleet.routes(best))
    # All vehicles busy for the same time with the least total distance: hardly anything is below.
    low, high = fleet.mean_time(best), fleet.longest_time(best)
    while high > 0 and remaining() > 0:
        if high - low < FINEST_STEP * high:
            low = (1 - 5 * FINEST_STEP) * high
        middle = (low + high) / 2
        bounded = fleet.within(middle)
        stop = _feasible_within(PROBE_SHARE * remaining())
        found = _search(bounded, stop, query.seed, start=_moved(best, bounded))
        if found.is_feasible():
            best, high = found, fleet.longest_time(found)
            report(fleet.routes(best))
        else:
            low = middle


class _Fleet:
    """The real fleet, its vehicles reloading at the depot, and its times in real numbers."""

    def __init__(self, query: Query) -> None:
        self.query, self.kinds = query, query.kinds()
        self.scale = integers.leg_scale(query.distances, LONGEST_LEG)
        self.data = _data(query, self.kinds)

    def within(self, bound: float) -> pyvrp.ProblemData:
        """The problem with all vehicle times at most `bound`."""
        types = [
            kind_type.replace(max_distance=int(bound * kind.speed * self.scale))
            for kind, kind_type in zip(self.kinds, self.data.vehicle_types(), strict=True)
        ]
        return self.data.replace(vehicle_types=types)

    def longest_time(self, solution: pyvrp.Solution) -> float:
        """max_v T_v."""
        times = [
            float(route.distance()) / self.kinds[route.vehicle_type()].speed
            for route in solution.routes()
        ]
        return max(times, default=0.0) / self.scale

    def mean_time(self, solution: pyvrp.Solution) -> float:
        """The time all vehicles would take if they shared the total distance evenly."""
        return float(solution.distance()) / self.scale / sum(self.query.speeds)

    def routes(self, solution: pyvrp.Solution) -> Routes:
        """The routes of each kind to its vehicles, one each."""
        routes: Routes = [[] for _ in self.query.capacities]
        free = [iter(kind.vehicles) for kind in self.kinds]
        for route in solution.routes():
            routes[next(free[route.vehicle_type()])] = _trips(route)
        return routes


def _data(query: Query, kinds: list[Kind]) -> pyvrp.ProblemData:
    """The real fleet by types, each free to reload at the depot."""
    demands, capacities = integers.loads(query.demands, query.capacities)
    matrix = np.array(integers.legs(query.distances, LONGEST_LEG))
    return pyvrp.ProblemData(
        locations=[pyvrp.Location(0, 0) for _ in matrix],
        clients=[pyvrp.Client(i, delivery=[d]) for i, d in enumerate(demands, start=1)],
        depots=[pyvrp.Depot(0)],
        vehicle_types=[
            pyvrp.VehicleType(
                num_available=len(kind.vehicles),
                capacity=[capacities[kind.vehicles[0]]],
                reload_depots=[0],
            )
            for kind in kinds
        ],
        distance_matrices=[matrix],
        duration_matrices=[np.zeros_like(matrix)],
    )


def _feasible_within(seconds: float) -> MultipleCriteria:
    return MultipleCriteria([FirstFeasible(), MaxRuntime(seconds)])


def _search(
    data: pyvrp.ProblemData,
    stop: object,
    seed: int,
    heard: Callable[[pyvrp.Solution], None] | None = None,
    start: pyvrp.Solution | None = None,
) -> pyvrp.Solution:
    callbacks = pyvrp.IteratedLocalSearchCallbacks()
    if heard is not None:
        callbacks.on_best = heard
    params = pyvrp.SolveParams(
        ils=pyvrp.IteratedLocalSearchParams(callbacks=callbacks),
        penalty=pyvrp.PenaltyParams(max_penalty=_highest_price(data)),
    )
    return pyvrp.solve(
        data, stop, seed % 2**32, collect_stats=False, params=params, initial_solution=start
    ).best


def _highest_price(data: pyvrp.ProblemData) -> float:
    """Price limit for a unit of excess load; PyVRP starts at half of it.

    Two dearest legs are the most that an overload can save, and at the limit one unit of load, or
    a hundredth of the largest capacity, costs as much. PyVRP's own limit of 100,000 would fit only
    dearest legs of 50,000: with longer ones overloading pays and nothing feasible is found.
    """
    types = data.vehicle_types()
    dearest_leg = LONGEST_LEG * max(int(t.unit_distance_cost) for t in types)
    return 2 * dearest_leg / max(1.0, max(int(t.capacity[0]) for t in types) / 100)


def _trips(route: pyvrp.Route) -> list[list[int]]:
    trips: list[list[int]] = [[] for _ in range(route.num_trips())]
    for activity in route:
        if activity.is_client():
            trips[activity.trip].append(activity.idx + 1)
    return [trip for trip in trips if trip]


def _moved(solution: pyvrp.Solution, data: pyvrp.ProblemData) -> pyvrp.Solution:
    """The same routes under other bounds."""
    return pyvrp.Solution(
        data, [pyvrp.Route(data, list(r)[1:-1], r.vehicle_type()) for r in solution.routes()]
    )
