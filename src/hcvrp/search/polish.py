"""Set partitioning: the best plan that can be put together from trips already seen.

With a column x_tv per trip t and vehicle v that can carry it, ℓ_t the trip's length and s_v the
vehicle's speed,

    min-sum:  min Σ (ℓ_t / s_v) x_tv        min-max:  min τ,  Σ_t (ℓ_t / s_v) x_tv ≤ τ  for all v,

where the chosen trips visit every customer once (Balinski & Quandt 1964; as a partner of a
metaheuristic: Rochat & Taillard 1995). Min-sum needs only each trip's cheapest vehicle. The linear
relaxation over all columns comes first; the integer program then gets the columns of least reduced
cost, few enough to be solved in a fraction of a second, and the known plan to start from.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hcvrp.errors import InputError
from hcvrp.instance import CAPACITY_TOLERANCE
from hcvrp.solution import Objective, Solution, Trip, trip_length

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.instance import Instance

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

WAIT = 0.004
"""Seconds between looks at the cancel event while HiGHS works."""


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
        columns: how many columns of least reduced cost the integer program gets.
        seconds: for everything; what was found by then counts.
        cancel: ends the work within a few milliseconds.
    """
    end = time.perf_counter() + seconds
    cancel = cancel or threading.Event()
    table = _Table.make(instance, objective, trips, incumbent)
    relaxed = _Program(table, objective, integer=False)
    if not relaxed.run(end, cancel):
        return Polished(incumbent, optimal=False)
    table = table.only(_promising(relaxed.reduced_costs(), columns, table.known))
    program = _Program(table, objective, integer=True)
    program.start_from_known()
    optimal = program.run(end, cancel)
    found = table.solution(program.picked())
    better = found.cost(instance, objective) < incumbent.cost(instance, objective)
    if better and not found.violations(instance):
        return Polished(found, optimal)
    return Polished(incumbent, optimal)


def _promising(reduced_costs: Floats, columns: int, known: int) -> Ints:
    """The columns of least reduced cost and, before them, the incumbent's own."""
    order = np.argsort(reduced_costs, kind="stable")[:columns]
    return np.concatenate([np.arange(known), np.sort(order[order >= known])])


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

    def only(self, chosen: Ints) -> _Table:
        """These columns; they begin with the incumbent's."""
        return replace(
            self,
            trips=self.trips[chosen],
            vehicles=self.vehicles[chosen],
            times=self.times[chosen],
        )

    def solution(self, chosen: Ints) -> Solution:
        routes: list[list[Trip]] = [[] for _ in self.instance.vehicles]
        for vehicle, trip in zip(self.vehicles[chosen], self.trips[chosen].split(), strict=True):
            routes[vehicle].append(trip)
        return Solution(routes)


class _Program:
    """The linear or integer program over the columns of a table, in HiGHS."""

    def __init__(self, table: _Table, objective: Objective, *, integer: bool) -> None:
        self.highs = _highs()
        self.table = table
        self.size = len(table.times)
        self.min_max = objective is Objective.MIN_MAX
        self.values: Floats = np.zeros(self.size + self.min_max)
        self.highs.passModel(self._model(integer=integer))

    def _model(self, *, integer: bool) -> Any:
        """One row per customer; for min-max also one per vehicle, and τ as the last column."""
        import highspy

        table, n = self.table, self.table.instance.size
        m = len(table.instance.vehicles) if self.min_max else 0
        sizes, rows = table.trips.sizes, table.trips.customers - 1
        ends, values = np.cumsum(sizes), np.ones(len(rows))
        cost, upper = table.times, np.ones(self.size)
        kinds = [highspy.HighsVarType.kInteger] * self.size
        if self.min_max:
            rows = np.append(np.insert(rows, ends, n + table.vehicles), np.arange(n, n + m))
            values = np.append(np.insert(values, ends, table.times), -np.ones(m))
            sizes = np.append(sizes + 1, m)
            cost, upper = np.append(np.zeros(self.size), 1.0), np.append(upper, highspy.kHighsInf)
            kinds.append(highspy.HighsVarType.kContinuous)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = len(cost), n + m
        lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, np.zeros(len(cost)), upper
        lp.row_lower_ = np.append(np.ones(n), np.full(m, -highspy.kHighsInf))
        lp.row_upper_ = np.append(np.ones(n), np.zeros(m))
        lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
        lp.a_matrix_.start_ = np.append(0, np.cumsum(sizes))
        lp.a_matrix_.index_, lp.a_matrix_.value_ = rows, values
        if integer:
            lp.integrality_ = kinds
        return lp

    def start_from_known(self) -> None:
        """Tells HiGHS the incumbent."""
        import highspy

        self.values[: self.table.known] = 1.0
        if self.min_max:
            times = self.table.times * self.values[:-1]
            self.values[-1] = np.bincount(self.table.vehicles, times).max()
        start = highspy.HighsSolution()
        start.col_value = self.values
        self.highs.setSolution(start)

    def run(self, end: float, cancel: threading.Event) -> bool:
        """Solves until `end` or `cancel`; whether the optimum was found.

        HiGHS looks for an interrupt only now and then. It therefore works on a thread of its own
        that is told to stop, and left behind, when the time has come.
        """
        import highspy

        leave = threading.Event()

        def look(event: Any) -> None:
            if leave.is_set():
                event.interrupt()

        def improved(event: Any) -> None:
            self.values = np.array(event.data_out.mip_solution)

        self.highs.cbMipInterrupt.subscribe(look)
        self.highs.cbSimplexInterrupt.subscribe(look)
        self.highs.cbMipImprovingSolution.subscribe(improved)
        self.highs.setOptionValue("time_limit", max(0.0, end - time.perf_counter()))
        worker = threading.Thread(target=self.highs.run)
        worker.start()
        while worker.is_alive() and not cancel.is_set() and time.perf_counter() < end + WAIT:
            worker.join(WAIT)
        leave.set()
        if worker.is_alive():
            return False
        optimal: bool = self.highs.getModelStatus() == highspy.HighsModelStatus.kOptimal
        if optimal:
            self.values = np.array(self.highs.getSolution().col_value)
        return optimal

    def reduced_costs(self) -> Floats:
        """Of the columns, at the optimum of the linear program."""
        return np.array(self.highs.getSolution().col_dual)[: self.size]

    def picked(self) -> Ints:
        """The columns chosen by the best integer solution so far."""
        return np.flatnonzero(self.values[: self.size] > 0.5)


def available() -> bool:
    """Whether HiGHS is installed."""
    try:
        _highs()
    except InputError:
        return False
    return True


def _highs() -> Any:
    try:
        import highspy
    except ImportError:
        raise InputError("polish needs HiGHS: install the package highspy") from None
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    highs.setOptionValue("output_flag", False)
    highs.setOptionValue("threads", 1)
    return highs
