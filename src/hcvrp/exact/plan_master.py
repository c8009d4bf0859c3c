"""Can plans within a time limit serve everyone? The linear programme over whole vehicle plans.

A column is all that one vehicle does: disjoint trips, together no longer than the limit. The
programme minimises the number of customers left over, with subset-row cuts over plans. A value
above 0 proves that no solution keeps to the limit.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import highspy
import numpy as np

from hcvrp.exact.cuts import Cut
from hcvrp.exact.linear import quiet_highs, solve_within
from hcvrp.exact.master import ACTIVE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.watch import Watch
    from hcvrp.solution import Trip

    Floats = NDArray[np.float64]

PRIMAL_SIMPLEX = 4
"""HiGHS' number for it: new columns leave the old solution feasible."""

MOST_PLANS = 600
"""Beyond this many, half the plans are dropped, those with the worst prices."""


@dataclass(frozen=True)
class Plan:
    """What one vehicle does: its trips, all their customers, the time taken."""

    vehicle: int
    trips: tuple[Trip, ...]
    customers: frozenset[int]
    time: float


@dataclass(frozen=True)
class PlanDuals:
    """Prices of customers (λ), vehicles (π) and cuts (μ)."""

    cover: Floats
    vehicles: Floats
    penalties: Floats
    cuts: tuple[Cut, ...]

    @property
    def value(self) -> float:
        """Σ λ − Σ μ: what the plans of a solution are worth at least."""
        return float(self.cover.sum() - self.penalties.sum())


class PlanMaster:
    """The programme over the plans and cuts added so far.

    Customers are covered at least once, which is easier to solve; where distances lack the
    triangle inequality a surplus visit could not be left out, and they are covered `exactly_once`.
    """

    def __init__(
        self, size: int, vehicles: int, cancel: threading.Event, *, exactly_once: bool
    ) -> None:
        self.size = size
        self.vehicles = vehicles
        self.plans: list[Plan] = []
        self.cuts: list[Cut] = []
        self._known: set[tuple[int, tuple[Trip, ...]]] = set()
        self._open: list[bool] = []
        self._lp = quiet_highs(cancel)
        self._lp.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        self._floor = -np.inf if exactly_once else 0.0
        for _ in range(size):
            self._lp.addRow(1.0, 1.0 if exactly_once else highspy.kHighsInf, 0, [], [])
        for _ in range(vehicles):
            self._lp.addRow(-highspy.kHighsInf, 1.0, 0, [], [])
        for customer in range(size):
            self._lp.addCol(1.0, 0.0, highspy.kHighsInf, 1, [customer], [1.0])

    def add(self, plans: Sequence[Plan]) -> int:
        """Adds those plans that are new, in place of old ones if need be; how many there were."""
        fresh = [plan for plan in plans if (plan.vehicle, plan.trips) not in self._known]
        if fresh:
            self._tidy()
        for plan in fresh:
            rows = [customer - 1 for customer in sorted(plan.customers)]
            rows.append(self.size + plan.vehicle)
            rows += [
                self.size + self.vehicles + k
                for k, cut in enumerate(self.cuts)
                if len(cut.customers & plan.customers) > 1
            ]
            self._lp.addCol(0.0, 0.0, highspy.kHighsInf, len(rows), rows, np.ones(len(rows)))
            self._known.add((plan.vehicle, plan.trips))
            self.plans.append(plan)
            self._open.append(True)
        return len(fresh)

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Adds cuts over plans: of those with two of three customers at most one is used."""
        for cut in cuts:
            columns = [
                self.size + k
                for k, plan in enumerate(self.plans)
                if len(cut.customers & plan.customers) > 1
            ]
            self._lp.addRow(-highspy.kHighsInf, 1.0, len(columns), columns, np.ones(len(columns)))
            self.cuts.append(cut)

    def restrict(self, limit: float) -> None:
        """Opens the plans that keep to the time limit, closes the others."""
        for k, plan in enumerate(self.plans):
            fits = plan.time <= limit
            if fits != self._open[k]:
                self._lp.changeColBounds(self.size + k, 0.0, highspy.kHighsInf if fits else 0.0)
                self._open[k] = fits

    def solve(self, watch: Watch) -> float | None:
        """Customers left over at best; None when time ran out first."""
        return solve_within(self._lp, watch)

    def duals(self) -> PlanDuals:
        """The prices of the last solution, with exactly the signs that a proof needs."""
        row = np.array(self._lp.getSolution().row_dual)
        fixed = self.size + self.vehicles
        return PlanDuals(
            np.maximum(row[: self.size], self._floor),
            np.maximum(-row[self.size : fixed], 0.0),
            np.maximum(-row[fixed:], 0.0),
            tuple(self.cuts),
        )

    def used(self) -> list[tuple[Plan, float]]:
        """The plans of the last solution with their values."""
        values = np.array(self._lp.getSolution().col_value)[self.size :]
        return [(self.plans[k], float(values[k])) for k in np.flatnonzero(values > ACTIVE)]

    def _tidy(self) -> None:
        """Drops the worst plans of a long list, and cuts that the last solution did not need."""
        solution = self._lp.getSolution()
        if len(self.plans) > MOST_PLANS:
            prices = np.array(solution.col_dual)[self.size :]
            prices[np.array(solution.col_value)[self.size :] > ACTIVE] = -1.0
            prices[~np.array(self._open)] = np.inf
            self._drop_plans(np.sort(np.argsort(prices, kind="stable")[MOST_PLANS // 2 :]))
        slack = np.flatnonzero(self.duals().penalties <= ACTIVE)
        if len(slack) > len(self.cuts) // 2:
            rows = (self.size + self.vehicles + slack).astype(np.int32)
            self._lp.deleteRows(len(rows), rows)
            gone = set(slack.tolist())
            self.cuts = [cut for k, cut in enumerate(self.cuts) if k not in gone]

    def _drop_plans(self, numbers: NDArray[np.int64]) -> None:
        columns = (self.size + numbers).astype(np.int32)
        self._lp.deleteCols(len(columns), columns)
        gone = set(numbers.tolist())
        kept = [k for k in range(len(self.plans)) if k not in gone]
        self.plans = [self.plans[k] for k in kept]
        self._open = [self._open[k] for k in kept]
        self._known = {(plan.vehicle, plan.trips) for plan in self.plans}
