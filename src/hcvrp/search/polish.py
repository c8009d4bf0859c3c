"""Set partitioning: the best plan that can be put together from trips already seen.

With a column x_tv per trip t and vehicle v that can carry it, ℓ_t the trip's length and s_v the
vehicle's speed,

    min-sum:  min Σ (ℓ_t / s_v) x_tv        min-max:  min τ,  Σ_t (ℓ_t / s_v) x_tv ≤ τ  for all v,

where the chosen trips visit every customer once (Balinski & Quandt 1964; as a partner of a
metaheuristic: Rochat & Taillard 1995). Min-sum needs only each trip's cheapest vehicle. The linear
relaxation over all columns comes first; the columns of least reduced cost are then branched on, few
enough for a fraction of a second, from the known plan (`hcvrp.search.partition`).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.instance import CAPACITY_TOLERANCE
from hcvrp.search.partition import Columns, Interrupted, Partition
from hcvrp.solution import Objective, Solution, Trip, trip_length

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.instance import Instance

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Trips:
    """Many trips in flat arrays: the customers one trip after another, and each trip's size."""

    customers: Ints
    sizes: Ints
    lengths: Floats

    @classmethod
    def of(cls, instance: Instance, trips: Sequence[Trip]) -> Trips:
        """These trips, measured."""
        return cls(
            np.array([c for trip in trips for c in trip], dtype=np.int64),
            np.array([len(trip) for trip in trips], dtype=np.int64),
            np.array([trip_length(instance, trip) for trip in trips]),
        )

    def __add__(self, other: Trips) -> Trips:
        return Trips(
            np.concatenate([self.customers, other.customers]),
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.lengths, other.lengths]),
        )

    def __getitem__(self, chosen: Ints) -> Trips:
        ends, sizes = np.cumsum(self.sizes)[chosen], self.sizes[chosen]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        at = np.repeat(ends - sizes, sizes) + within
        return Trips(self.customers[at], sizes, self.lengths[chosen])

    def loads(self, instance: Instance) -> Floats:
        """The load of each trip."""
        owner = np.repeat(np.arange(len(self.sizes)), self.sizes)
        loads = np.bincount(owner, instance.demands[self.customers - 1], len(self.sizes))
        return loads.astype(np.float64)

    def split(self) -> list[Trip]:
        """The trips one by one."""
        parts = np.split(self.customers, np.cumsum(self.sizes)[:-1])
        return [tuple(int(c) for c in part) for part in parts]


@dataclass(frozen=True)
class Polished:
    """What set partitioning found, and whether nothing better can be made of its columns."""

    solution: Solution
    optimal: bool


def polish(
    instance: Instance,
    objective: Objective,
    trips: Trips,
    incumbent: Solution,
    *,
    columns: int,
    seconds: float,
    cancel: threading.Event | None = None,
) -> Polished:
    """The best plan made of `trips` and those of `incumbent`; never worse than `incumbent`.

    Args:
        instance: the problem.
        objective: what to minimise.
        trips: what may be chosen from.
        incumbent: a feasible plan.
        columns: how many columns of least reduced cost are branched on.
        seconds: for everything; what was found by then counts.
        cancel: ends the work within a few milliseconds.
    """
    table = _Table.make(instance, objective, trips, incumbent)
    partition = Partition(
        table.columns(), table.known, min_max=objective is Objective.MIN_MAX,
        seconds=seconds, cancel=cancel or threading.Event(),
    )  # fmt: skip
    try:
        partition.relax()
    except Interrupted:
        return Polished(incumbent, optimal=False)
    optimal = partition.branch(columns)
    found = table.solution(partition.picked)
    better = found.cost(instance, objective) < incumbent.cost(instance, objective)
    if better and not found.violations(instance):
        return Polished(found, optimal)
    return Polished(incumbent, optimal)


@dataclass(frozen=True)
class _Table:
    """Columns: a trip each on its vehicle, taking its time; the `known` of the incumbent first."""

    instance: Instance
    trips: Trips
    vehicles: Ints
    times: Floats
    known: int

    @classmethod
    def make(
        cls, instance: Instance, objective: Objective, trips: Trips, incumbent: Solution
    ) -> _Table:
        assigned = list(incumbent.trips())
        paces = 1 / instance.speeds
        # Half the referee's tolerance, as in the compiled core: sums in another order still pass.
        limits = instance.capacities * (1 + CAPACITY_TOLERANCE / 2)
        fits = trips.loads(instance)[:, None] <= limits
        if objective is Objective.MIN_SUM:
            cheapest = np.where(fits, paces, np.inf).argmin(axis=1)
            fits &= np.arange(len(paces)) == cheapest[:, None]
        trip, vehicle = np.nonzero(fits)
        every = Trips.of(instance, [t for _, t in assigned]) + trips[trip]
        vehicles = np.concatenate([np.array([v for v, _ in assigned], dtype=np.int64), vehicle])
        return cls(instance, every, vehicles, every.lengths * paces[vehicles], len(assigned))

    def columns(self) -> Columns:
        """The columns as numbers alone."""
        sizes = self.trips.sizes
        return Columns(self.trips.customers - 1, sizes, self.vehicles, self.times)

    def solution(self, chosen: Ints) -> Solution:
        routes: list[list[Trip]] = [[] for _ in self.instance.vehicles]
        for vehicle, trip in zip(self.vehicles[chosen], self.trips[chosen].split(), strict=True):
            routes[vehicle].append(trip)
        return Solution(routes)
