"""The set-partitioning program behind polish: a linear relaxation that grows, and a tree above it.

HiGHS solves the linear programs only. Its own branch-and-cut would be the stronger solver, but it
cannot be stopped for up to a second at a time while it prepares a program; a simplex run can, after
every iteration.

- The relaxation is *sifted* (Bixby et al. 1992): a few hundred columns first, then again and again
  the most negative reduced costs among all others, from the last basis.
- The tree is searched depth first, by diving on the fractional column nearest to one. Columns whose
  reduced cost at the root exceeds the gap to the known plan are left out: no better plan uses them.
"""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hcvrp.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]

FIRST_PER_ROW, MORE_PER_ROW = 4, 2
"""Columns that the relaxation starts with, and gets at a time, for each of its rows."""
LEAST_GAIN = 1e-9
"""Reduced costs and gains below this share of the plan's cost are rounding."""
WHOLE = 1e-6
"""A value this near to a whole number is one."""


class Interrupted(Exception):  # noqa: N818
    """Time is up, or the run was cancelled."""


@dataclass(frozen=True)
class Columns:
    """Trips on vehicles: their customers one column after another, from 0, and what each takes."""

    customers: Ints
    sizes: Ints
    vehicles: Ints
    times: Floats

    def __len__(self) -> int:
        return len(self.sizes)

    def customers_of(self, chosen: Ints) -> Ints:
        """The customers of these columns, one column after another."""
        sizes = self.sizes[chosen]
        within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return np.asarray(
            self.customers[np.repeat(np.cumsum(self.sizes)[chosen] - sizes, sizes) + within]
        )


class Partition:
    """min Σ time·x or min τ, Σ time·x ≤ τ per vehicle, each customer once, x whole.

    The first `known` columns are a plan, the one to beat; `picked` is the best so far.
    """

    def __init__(
        self,
        columns: Columns,
        known: int,
        *,
        min_max: bool,
        seconds: float,
        cancel: threading.Event,
    ) -> None:
        self.columns = columns
        self.min_max = min_max
        self.picked: Ints = np.arange(known)
        self.cost = self._cost(self.picked)
        self._end = time.perf_counter() + seconds
        self._cancel = cancel
        self._customers = int(columns.customers.max()) + 1
        self._inside: Ints = np.arange(0)  # the columns that HiGHS has, in its order
        self._highs = solver()
        self._highs.cbSimplexInterrupt.subscribe(self._look)
        self._make_rows()

    def relax(self) -> None:
        """Solves the linear relaxation over all columns.

        Raises:
            Interrupted: before that.
        """
        rows = self._customers + len(self._vehicles)
        self._add(np.arange(min(len(self.columns), len(self.picked) + FIRST_PER_ROW * rows)))
        while True:
            self._solve()
            reduced = self.reduced_costs()
            reduced[self._inside] = 0.0
            entering = np.argsort(reduced, kind="stable")[: MORE_PER_ROW * rows]
            entering = entering[reduced[entering] < -LEAST_GAIN * self.cost]
            if len(entering) == 0:
                return
            self._add(entering)

    def branch(self, most: int) -> bool:
        """Looks for a better plan among `most` columns; whether none is left to be found there."""
        reduced = self.reduced_costs()
        gap = self.cost - self._highs.getInfo().objective_function_value
        order = np.argsort(reduced, kind="stable")[:most]
        self._add(np.setdiff1d(order[reduced[order] < gap], self._inside))
        useful = reduced[self._inside] < gap
        try:
            self._dive(useful)
        except Interrupted:
            return False
        return True

    def reduced_costs(self) -> Floats:
        """Of all columns, by the duals of the last linear program."""
        duals = np.array(self._highs.getSolution().row_dual)
        starts = np.cumsum(self.columns.sizes) - self.columns.sizes
        prices = np.add.reduceat(duals[self.columns.customers], starts)
        if not self.min_max:
            return np.asarray(self.columns.times - prices)
        return np.asarray(
            -prices - duals[self._customers + self.columns.vehicles] * self.columns.times
        )

    def _dive(self, useful: NDArray[np.bool_]) -> None:
        """Depth first: of the two children, the one that takes the column comes first."""
        lower, upper = np.zeros(len(useful)), useful.astype(float)
        stack = [(lower, upper)]
        while stack:
            lower, upper = stack.pop()
            self._bound(lower, upper)
            if not self._solve() or self._value >= self.cost * (1 - LEAST_GAIN):
                continue
            values = self._values()
            fractional = np.flatnonzero((values > WHOLE) & (values < 1 - WHOLE))
            if len(fractional) == 0:
                self._take(self._inside[values > 0.5])
                continue
            column = fractional[np.argmax(values[fractional])]
            without, with_it = upper.copy(), lower.copy()
            without[column], with_it[column] = 0.0, 1.0
            stack += [(lower, without), (with_it, upper)]

    def _take(self, chosen: Ints) -> None:
        cost = self._cost(chosen)
        if cost < self.cost:
            self.picked, self.cost = chosen, cost

    def _cost(self, chosen: Ints) -> float:
        times = self.columns.times[chosen]
        if not self.min_max:
            return float(times.sum())
        return float(np.bincount(self.columns.vehicles[chosen], times).max())

    # The linear program in HiGHS: a row per customer and, for min-max, per vehicle; τ comes first.

    @property
    def _vehicles(self) -> Ints:
        return np.arange(self.columns.vehicles.max() + 1 if self.min_max else 0)

    def _make_rows(self) -> None:
        import highspy

        for _ in range(self._customers):
            self._highs.addRow(1.0, 1.0, 0, [], [])
        for _ in self._vehicles:
            self._highs.addRow(-highspy.kHighsInf, 0.0, 0, [], [])
        if self.min_max:
            rows = self._customers + self._vehicles
            self._highs.addCol(1.0, 0.0, highspy.kHighsInf, len(rows), rows, -np.ones(len(rows)))

    def _add(self, chosen: Ints) -> None:
        sizes = self.columns.sizes[chosen]
        rows, times = self.columns.customers_of(chosen), self.columns.times[chosen]
        values, costs = np.ones(len(rows)), times
        if self.min_max:
            ends = np.cumsum(sizes)
            rows = np.insert(rows, ends, self._customers + self.columns.vehicles[chosen])
            values = np.insert(values, ends, times)
            sizes, costs = sizes + 1, np.zeros(len(chosen))
        starts = np.cumsum(sizes) - sizes
        zeros, ones = np.zeros(len(chosen)), np.ones(len(chosen))
        self._highs.addCols(len(chosen), costs, zeros, ones, len(rows), starts, rows, values)
        self._inside = np.concatenate([self._inside, chosen])

    def _bound(self, lower: Floats, upper: Floats) -> None:
        columns = np.arange(len(lower)) + self.min_max
        self._highs.changeColsBounds(len(lower), columns, lower, upper)

    def _solve(self) -> bool:
        """Whether there is a solution; raises Interrupted when time is up before that is known."""
        import highspy

        if self._over():
            raise Interrupted
        self._highs.run()
        status = self._highs.getModelStatus()
        if status == highspy.HighsModelStatus.kOptimal:
            return True
        if status == highspy.HighsModelStatus.kInfeasible:
            return False
        raise Interrupted

    @property
    def _value(self) -> float:
        return float(self._highs.getInfo().objective_function_value)

    def _values(self) -> Floats:
        return np.array(self._highs.getSolution().col_value)[int(self.min_max) :]

    def _look(self, event: Any) -> None:
        if self._over():
            event.interrupt()

    def _over(self) -> bool:
        return self._cancel.is_set() or time.perf_counter() >= self._end


def available() -> bool:
    """Whether HiGHS is installed."""
    try:
        solver()
    except InputError:
        return False
    return True


def solver() -> Any:
    """HiGHS, silent, on one thread and ready to start a simplex run at once."""
    try:
        import highspy
    except ImportError:
        raise InputError("polish needs HiGHS: install the package highspy") from None
    highs: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    for option, value in (("output_flag", False), ("threads", 1), ("presolve", "off")):
        highs.setOptionValue(option, value)
    return highs
