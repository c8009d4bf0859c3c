"""The set-covering linear programme over trips, solved by HiGHS as columns and cuts come in.

Min-sum: minimise Σ pace_g · length_r · x_gr. Min-max: minimise τ where for each group g of equal
vehicles Σ_r pace_g · length_r · x_gr ≤ count_g · τ. Both cover every customer at least once. The
value of the min-max programme is the best weighting of vehicle times, Σ_g w_g · T_g with
Σ_g count_g · w_g = 1, so its dual prices a trip of group g at w_g · pace_g per unit of length.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import highspy
import numpy as np

from hcvrp.exact.capacity import CapacityCut
from hcvrp.exact.cuts import Cut
from hcvrp.exact.fleet import Group
from hcvrp.exact.linear import quiet_highs, solve_within
from hcvrp.exact.load_cuts import LoadCut
from hcvrp.solution import Objective, Trip

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hcvrp.exact.watch import Watch

    Floats = NDArray[np.float64]

AnyCut = Cut | CapacityCut | LoadCut
"""Σ_r entry_r · x_r ≤ limit."""

ACTIVE = 1e-9
"""A column used less than this, or a cut priced lower, counts as unused."""


@dataclass(frozen=True)
class Column:
    """A trip by a vehicle of a group; it may visit a customer twice before enumeration."""

    group: int
    trip: Trip
    length: float


@dataclass(frozen=True)
class Duals:
    """What a solution pays per customer, per unit of length by group, and per cut.

    Any non-negative values give a valid bound as long as the reduced costs of all trips are
    accounted for; that is how bounds survive the tolerances of a linear programme.
    """

    cover: Floats
    weights: Floats
    penalties: Floats
    limits: Floats

    @property
    def value(self) -> float:
        """Σ λ − Σ μ · limit: the bound if no trip has a negative reduced cost."""
        return float(self.cover.sum() - self.penalties @ self.limits)

    def towards(self, other: Duals, share: float) -> Duals:
        """The point that lies `share` of the way to `other`."""
        return Duals(
            (1 - share) * self.cover + share * other.cover,
            (1 - share) * self.weights + share * other.weights,
            (1 - share) * self.penalties + share * other.penalties,
            self.limits,
        )


def priced(cuts: Sequence[AnyCut], penalties: Floats) -> list[tuple[AnyCut, float]]:
    """The cuts that count in reduced costs, with their prices.

    A tiny price is left out only where that lowers reduced costs: of subset rows, whose entries are
    positive. Those of capacity and load cuts raise `Duals.value`: the trips must answer for them.
    """
    return [
        (cut, penalty)
        for cut, penalty in zip(cuts, penalties.tolist(), strict=True)
        if penalty > (ACTIVE if isinstance(cut, Cut) else 0)
    ]


class Master:
    """The programme over the columns and cuts added so far."""

    def __init__(
        self,
        size: int,
        groups: Sequence[Group],
        objective: Objective,
        cancel: threading.Event,
    ) -> None:
        self.size = size
        self.groups = groups
        self.objective = objective
        self.columns: list[Column] = []
        self.cuts: list[AnyCut] = []
        self._known: set[tuple[int, Trip]] = set()
        self._visitors: list[set[int]] = [set() for _ in range(size + 1)]  # columns, by customer
        self._repeaters: set[int] = set()  # columns that visit a customer twice
        self._lp = quiet_highs(cancel)
        self._fixed_rows = size + (len(groups) if self._min_max else 0)
        self._extra_columns = 1 if self._min_max else 0
        for _ in range(size):
            self._lp.addRow(1.0, highspy.kHighsInf, 0, [], [])
        if self._min_max:
            for _ in groups:
                self._lp.addRow(0.0, highspy.kHighsInf, 0, [], [])
            rows = [size + g for g in range(len(groups))]
            counts = [float(group.count) for group in groups]
            self._lp.addCol(1.0, 0.0, highspy.kHighsInf, len(rows), rows, counts)

    @property
    def _min_max(self) -> bool:
        return self.objective is Objective.MIN_MAX

    def add(self, columns: Sequence[Column]) -> int:
        """Adds those columns that are new; how many there were."""
        fresh = [c for c in columns if (c.group, c.trip) not in self._known]
        fresh = list({(c.group, c.trip): c for c in fresh}.values())
        if not fresh:
            return 0
        starts: list[int] = []
        rows: list[int] = []
        values: list[float] = []
        costs: list[float] = []
        for column in fresh:
            starts.append(len(rows))
            for row, value in self._entries(column):
                rows.append(row)
                values.append(value)
            costs.append(0.0 if self._min_max else self._time(column))
        count = len(fresh)
        self._lp.addCols(
            count,
            np.array(costs),
            np.zeros(count),
            np.full(count, highspy.kHighsInf),
            len(rows),
            np.array(starts),
            np.array(rows),
            np.array(values),
        )
        for k, column in enumerate(fresh, start=len(self.columns)):
            for customer in column.trip:
                self._visitors[customer].add(k)
            if len(set(column.trip)) < len(column.trip):
                self._repeaters.add(k)
        self.columns += fresh
        self._known.update((c.group, c.trip) for c in fresh)
        return count

    def add_cuts(self, cuts: Sequence[Cut]) -> None:
        """Adds cuts; one on the same customers is widened to remember what both remember."""
        for cut in cuts:
            same = [
                (k, old)
                for k, old in enumerate(self.cuts)
                if isinstance(old, Cut) and old.customers == cut.customers
            ]
            if same:
                self._widen(*same[0], cut)
            else:
                self._add_row(cut)

    def add_set_cuts(self, cuts: Sequence[CapacityCut | LoadCut]) -> int:
        """Adds those capacity and load cuts that are new; how many there were."""
        fresh = [cut for cut in cuts if cut not in self.cuts]
        for cut in fresh:
            self._add_row(cut)
        return len(fresh)

    def _add_row(self, cut: AnyCut) -> None:
        entries = self._row(cut)
        self._lp.addRow(
            -highspy.kHighsInf,
            cut.limit,
            len(entries),
            np.array([k for k, _ in entries], dtype=np.int32),
            np.array([v for _, v in entries]),
        )
        self.cuts.append(cut)

    def drop_slack_cuts(self) -> None:
        """Forgets the cuts that the last solution did not need."""
        penalties = self.duals().penalties
        slack = [k for k in range(len(self.cuts)) if penalties[k] <= ACTIVE]
        if slack:
            rows = np.array([self._fixed_rows + k for k in slack], dtype=np.int32)
            self._lp.deleteRows(len(rows), rows)
            self.cuts = [cut for k, cut in enumerate(self.cuts) if k not in set(slack)]
            self._lp.run()

    def solve(self, watch: Watch) -> float | None:
        """The programme's value; None when time ran out first."""
        return solve_within(self._lp, watch)

    @property
    def ending(self) -> str:
        """How HiGHS says that it ended, in its words."""
        return str(self._lp.modelStatusToString(self._lp.getModelStatus()))

    def duals(self) -> Duals:
        """The prices of the last solution, made exactly non-negative and normalised."""
        row = np.array(self._lp.getSolution().row_dual)
        cover = np.maximum(row[: self.size], 0.0)
        penalties = np.maximum(-row[self._fixed_rows :], 0.0)
        pace = np.array([g.pace for g in self.groups])
        limits = np.array([cut.limit for cut in self.cuts])
        if not self._min_max:
            return Duals(cover, pace, penalties, limits)
        shares = np.maximum(row[self.size : self._fixed_rows], 0.0)
        total = float(shares @ np.array([g.count for g in self.groups]))
        if total <= 0:
            shares = np.ones(len(self.groups))
            total = float(sum(g.count for g in self.groups))
        return Duals(cover / total, shares / total * pace, penalties / total, limits)

    def used(self) -> list[tuple[Column, float]]:
        """The columns of the last solution with their values."""
        values = np.array(self._lp.getSolution().col_value)[self._extra_columns :]
        return [(self.columns[k], float(values[k])) for k in np.flatnonzero(values > ACTIVE)]

    def _time(self, column: Column) -> float:
        return self.groups[column.group].pace * column.length

    def _entries(self, column: Column) -> list[tuple[int, float]]:
        visits: dict[int, float] = {}
        for customer in column.trip:
            visits[customer - 1] = visits.get(customer - 1, 0.0) + 1
        if self._min_max:
            visits[self.size + column.group] = -self._time(column)
        trip = set(column.trip)
        for k, cut in enumerate(self.cuts):
            if not cut.customers.isdisjoint(trip) and (
                entry := cut.entry(column.group, column.trip)
            ):
                visits[self._fixed_rows + k] = entry
        return list(visits.items())

    def _touched(self, cut: AnyCut) -> set[int]:
        """The columns that may have an entry in the cut."""
        if not isinstance(cut, Cut):
            return set().union(*(self._visitors[customer] for customer in cut.customers))
        a, b, c = (self._visitors[customer] for customer in cut.customers)
        return a & b | a & c | b & c | self._repeaters & (a | b | c)

    def _row(self, cut: AnyCut) -> list[tuple[int, float]]:
        """The cut's entries over the present columns."""
        touched = ((k, self.columns[k]) for k in sorted(self._touched(cut)))
        found = ((k, cut.entry(column.group, column.trip)) for k, column in touched)
        return [(self._extra_columns + k, value) for k, value in found if value]

    def _widen(self, k: int, old: Cut, cut: Cut) -> None:
        self.cuts[k] = wide = Cut(old.customers, old.memory | cut.memory)
        before = dict(self._row(old))
        for column, value in self._row(wide):
            if value != before.get(column):
                self._lp.changeCoeff(self._fixed_rows + k, column, value)
