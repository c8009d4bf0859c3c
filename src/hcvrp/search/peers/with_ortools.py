"""OR-Tools routing (Perron & Furnon, Google): guided local search until the time is up.

Min-sum: a vehicle for every trip that might be wanted, a leg costing its time on that vehicle.

Min-max: the real fleet and optional reload nodes, copies of the depot. The load counts up from 0,
q_j = q_i + d_j ≤ Q_v, and a reload subtracts Q_max with a slack that brings it back to 0. What is
minimised is `SPAN_WEIGHT` · max_v T_v + Σ_v T_v; the small second term guides the search.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from ortools.constraint_solver import pywrapcp, routing_enums_pb2

from hcvrp.search.peers import integers
from hcvrp.search.peers.query import Kind, Query, Routes

SPAN_WEIGHT = 100
"""How much the longest vehicle time weighs against the total."""


def solve(query: Query, report: Callable[[Routes], None]) -> None:
    """Reports ever better routes until the time is up."""
    end = time.perf_counter() + (query.time_limit or 0.0)
    model = _min_max(query) if query.is_min_max else _min_sum(query)
    routing, best = model.routing, math.inf

    def heard() -> None:  # of every local optimum, better or not
        nonlocal best
        if routing.CostVar().Value() < best:
            best = routing.CostVar().Value()
            report(model.routes(query))

    routing.AddAtSolutionCallback(heard)
    routing.SolveWithParameters(_parameters(query, end - time.perf_counter()))


def _parameters(query: Query, seconds: float) -> Any:
    parameters = pywrapcp.DefaultRoutingSearchParameters()
    start = routing_enums_pb2.FirstSolutionStrategy
    parameters.first_solution_strategy = (
        start.PARALLEL_CHEAPEST_INSERTION if query.is_min_max else start.SAVINGS
    )
    parameters.local_search_metaheuristic = (
        routing_enums_pb2.LocalSearchMetaheuristic.GUIDED_LOCAL_SEARCH
    )
    parameters.time_limit.FromMilliseconds(max(1, round(1000 * seconds)))
    return parameters


@dataclass(frozen=True)
class _Model:
    """A routing model, and the vehicles that each of its vehicles stands for."""

    nodes: pywrapcp.RoutingIndexManager
    routing: pywrapcp.RoutingModel
    owners: list[Kind]
    customers: int

    def routes(self, query: Query) -> Routes:
        """The routes of the solution at hand."""
        return query.deal((k, trip) for v, k in enumerate(self.owners) for trip in self.trips(v))

    def trips(self, vehicle: int) -> list[list[int]]:
        """The trips of one of the model's vehicles; a reload ends a trip."""
        trips: list[list[int]] = [[]]
        index = self.routing.NextVar(self.routing.Start(vehicle)).Value()
        while not self.routing.IsEnd(index):
            node = self.nodes.IndexToNode(index)
            if node <= self.customers:
                trips[-1].append(node)
            else:
                trips.append([])
            index = self.routing.NextVar(index).Value()
        return [trip for trip in trips if trip]


def _min_sum(query: Query) -> _Model:
    owners = [kind for kind in query.kinds() for _ in range(query.trips_enough(kind))]
    return _model(query, owners)[0]


def _min_max(query: Query) -> _Model:
    owners = [
        Kind(capacity, speed, (vehicle,))
        for vehicle, (capacity, speed) in enumerate(
            zip(query.capacities, query.speeds, strict=True)
        )
    ]
    model, times = _model(query, owners, reloads=_reloads(query))
    model.routing.AddDimensionWithVehicleTransits(times, 0, 2**40, True, "time")
    model.routing.GetDimensionOrDie("time").SetGlobalSpanCostCoefficient(SPAN_WEIGHT)
    return model


def _reloads(query: Query) -> int:
    """As many reloads as smallest loads there are, ⌈Σdᵢ/Q_min⌉, and enough for some solution.

    Some solution is first-fit decreasing on a largest vehicle alone. More nodes would do harm:
    the search slows down markedly with each.
    """
    demands, capacities = integers.loads(query.demands, query.capacities)
    loads: list[int] = []
    for demand in sorted(demands, reverse=True):
        fitting = (i for i, load in enumerate(loads) if load + demand <= max(capacities))
        trip = next(fitting, None)
        if trip is None:
            loads.append(demand)
        else:
            loads[trip] += demand
    smallest_loads = math.ceil(sum(query.demands) / min(query.capacities))
    return min(len(demands), max(len(loads), smallest_loads))


def _model(query: Query, owners: list[Kind], reloads: int = 0) -> tuple[_Model, list[int]]:
    """Vehicles, travel times and loads; the model and the time evaluator of each vehicle."""
    customers = len(query.demands)
    nodes = pywrapcp.RoutingIndexManager(1 + customers + reloads, len(owners), 0)
    model = _Model(nodes, pywrapcp.RoutingModel(nodes), owners, customers)
    times = _times(model, query, [*range(1 + customers), *[0] * reloads])
    for vehicle, evaluator in enumerate(times):
        model.routing.SetArcCostEvaluatorOfVehicle(evaluator, vehicle)
    _add_loads(model, query, reloads)
    return model, times


def _times(model: _Model, query: Query, places: list[int]) -> list[int]:
    """The travel-time evaluator of each vehicle; `places` says where each node is."""
    slowest = min(query.speeds)
    evaluators = {}
    for speed in set(query.speeds):
        legs = np.array(integers.legs(query.distances, integers.LONGEST_LEG * slowest / speed))
        matrix = legs[np.ix_(places, places)].tolist()
        evaluators[speed] = model.routing.RegisterTransitMatrix(matrix)
    return [evaluators[owner.speed] for owner in model.owners]


def _add_loads(model: _Model, query: Query, reloads: int) -> None:
    routing = model.routing
    demands, capacities = integers.loads(query.demands, query.capacities)
    largest = max(capacities)
    change = routing.RegisterUnaryTransitVector([0, *demands, *[-largest] * reloads])
    limits = [capacities[owner.vehicles[0]] for owner in model.owners]
    routing.AddDimensionWithVehicleCapacity(change, largest if reloads else 0, limits, True, "load")
    if reloads:
        load = routing.GetDimensionOrDie("load")
        for node in range(1, 1 + model.customers):
            load.SlackVar(model.nodes.NodeToIndex(node)).SetValue(0)
        for node in range(1 + model.customers, 1 + model.customers + reloads):
            routing.AddDisjunction([model.nodes.NodeToIndex(node)], 0)
