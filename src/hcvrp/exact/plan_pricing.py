"""The plans of a group's vehicles that are worth most, and prices that bound them from above.

A vehicle's best plan is a knapsack of disjoint trips. Its linear relaxation,

    max Σ_r value_r y_r   with   Σ_r length_r y_r ≤ L,   Σ_{r ∋ i} y_r ≤ 1 for every customer i,

has dual prices θ for length and s_i for customers such that no trip is worth more than
θ · length + Σ s_i. The core's search for plans prunes by them. As a plan fills up, prices made for
less length bound what is left of it better, so there are prices for several lengths.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import highspy
import numpy as np

from hcvrp.exact.linear import quiet_highs, solve_within
from hcvrp.search import native

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.pool import Pool
    from hcvrp.exact.watch import Watch

    Floats = NDArray[np.float64]

PARTS = (1.0, 2 / 3, 1 / 3)
"""Shares of a plan's length that prices are made for."""

COLUMNS_PER_ROUND = 50

MOST_COLUMNS = 1000
"""Trips beyond which a knapsack starts anew, with those of its last solution."""

PRIMAL_SIMPLEX = 4
"""HiGHS' number for it: new values and new trips leave the old solution feasible."""

Shares = list[list[float]]
"""For each part of the length the prices s_i by node, the depot's 0."""


class GroupPricing:
    """Plans of trips of one group."""

    def __init__(self, pool: Pool, watch: Watch) -> None:
        self.watch = watch
        self.core = native.core.PlanPricing(pool.customers, pool.first, pool.lengths)
        self._priced: native.core.PlanPrices | None = None
        self._knapsacks = [_Knapsack(pool, watch) for _ in PARTS]

    def shares(self, prices: native.core.PlanPrices) -> Shares:
        """Prices of customers that bound what plans are worth at these prices."""
        self._price(prices)
        values = self.core.values()
        return [
            knapsack.shares(self.core, values, part * prices.most_length)
            for knapsack, part in zip(self._knapsacks, PARTS, strict=True)
        ]

    def best(
        self,
        prices: native.core.PlanPrices,
        shares: Shares,
        threshold: float,
        most: int,
        steps: int,
    ) -> native.core.PricedPlans:
        """At most so many plans worth more than the threshold, looked for in so many steps."""
        self._price(prices)
        return self.core.best(shares, threshold, most, steps, self.watch.run())

    def list(
        self, prices: native.core.PlanPrices, shares: Shares, threshold: float, most: int
    ) -> native.core.PlanList:
        """All plans worth more than the threshold, if they are no more than so many."""
        self._price(prices)
        return self.core.list(shares, threshold, most, self.watch.run())

    def _price(self, prices: native.core.PlanPrices) -> None:
        if prices is not self._priced:
            self.core.price(prices)
            self._priced = prices


class _Knapsack:
    """The linear relaxation over the trips that were of use so far."""

    def __init__(self, pool: Pool, watch: Watch) -> None:
        self._pool = pool
        self._watch = watch
        self._trips: list[int] = []
        self._clear()

    def shares(self, core: native.core.PlanPricing, values: Floats, length: float) -> list[float]:
        """Adds trips until none is worth more than its price; the customers' prices."""
        self._revalue(values, length)
        shares = [0.0] * (self._pool.size + 1)
        theta = 0.0
        while not self._watch.over:
            known = set(self._trips)
            above = [k for k in core.above(theta, shares, COLUMNS_PER_ROUND) if k not in known]
            if not above and theta > 0:
                break
            self._add(above, values)
            if solve_within(self._lp, self._watch) is None:
                break
            prices = np.maximum(np.array(self._lp.getSolution().row_dual), 0.0).tolist()
            theta, shares = prices[0], [0.0, *prices[1:]]
            if not above:
                break
        return shares

    def _revalue(self, values: Floats, length: float) -> None:
        if len(self._trips) > MOST_COLUMNS:
            used = np.flatnonzero(np.array(self._lp.getSolution().col_value) > 0)
            kept = [self._trips[k] for k in used]
            self._clear()
            self._add(kept, values)
        self._lp.changeRowBounds(0, -highspy.kHighsInf, length)
        columns = np.arange(len(self._trips), dtype=np.int32)
        self._lp.changeColsCost(len(columns), columns, values[self._trips])

    def _clear(self) -> None:
        self._trips = []
        self._lp = quiet_highs(self._watch.cancel)
        self._lp.setOptionValue("presolve", "off")
        self._lp.setOptionValue("simplex_strategy", PRIMAL_SIMPLEX)
        self._lp.changeObjectiveSense(highspy.ObjSense.kMaximize)
        for _ in range(self._pool.size + 1):
            self._lp.addRow(-highspy.kHighsInf, 1.0, 0, [], [])

    def _add(self, trips: list[int], values: Floats) -> None:
        pool = self._pool
        for k in trips:
            rows = np.concatenate([[0], pool.customers[pool.first[k] : pool.first[k + 1]]])
            entries = np.ones(len(rows))
            entries[0] = pool.lengths[k]
            self._lp.addCol(values[k], 0.0, highspy.kHighsInf, len(rows), rows, entries)
        self._trips += trips
