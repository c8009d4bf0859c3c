"""Column generation: the linear programme's duals price routes, the routes improve the programme.

Every exact pricing gives a valid bound, converged or not. With duals λ ≥ 0 for the customers and
μ ≥ 0 for the cuts, let −ρ be the least (reduced cost) / (load level) of any route. All trips of a
solution together carry each customer once, hence their reduced costs sum to at least −ρ · Σ level,
and every solution costs at least

    Σ λ − Σ μ − ρ · Σ_i level_i

(the additive form of Farley's 1990 bound, with loads as weights as in Christofides, Mingozzi &
Toth 1981). The linear programme's own value is never trusted.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact import capacity, cuts
from hcvrp.exact.capacity import CapacityCut, FleetCovers, premiums
from hcvrp.exact.cuts import Cut
from hcvrp.exact.fleet import Group, Levels
from hcvrp.exact.master import ACTIVE, AnyCut, Column, Duals, Master, priced
from hcvrp.exact.watch import Watch
from hcvrp.search import native
from hcvrp.solution import Objective, Trip, trip_load

if TYPE_CHECKING:
    from hcvrp.instance import Instance

NEIGHBOURHOOD = 8
"""ng size: from 3 to 8 the bound rises by 0.6 %, from 8 to 20 by 0.05 % at three times the time."""

WIDTHS = (1, 6, 1 << 30)
"""Labels kept per load and last customer: quick looks first, all of them for a proof."""

SMOOTHING = 0.5
"""How far prices are drawn from the programme's duals to the best ones so far (Wentges 1997)."""

EXACT_EVERY = 12
"""So often a quick round gives way to an exact one, for the sake of an early bound."""

CONVERGED = 1e-6
"""Relative distance of bound and value at which column generation ends."""

SAFETY = 1e-10
"""Relative allowance for the rounding of sums in the bound."""

MOST_CUTS = 256
"""As many as the core keeps in the state of a route."""

UNSOLVED = "HiGHS did not solve a linear programme over routes"
TOO_MANY_ROUTES = "memory did not allow pricing all routes"


@dataclass(frozen=True)
class Proof:
    """A bound and the prices that prove it."""

    bound: float
    duals: Duals
    cuts: tuple[AnyCut, ...]


@dataclass
class Relaxation:
    """The linear relaxation of one instance: its columns, its cuts and the best proof so far.

    `on_bound` hears of every exact pricing that raises the bound; `memory` is in bytes, for the
    partial routes of one pricing.
    """

    instance: Instance
    objective: Objective
    groups: tuple[Group, ...]
    levels: Levels
    on_bound: Callable[[float], None]
    cancel: threading.Event
    memory: float
    proof: Proof | None = field(default=None, init=False)
    covers: FleetCovers | None = field(default=None, init=False)
    obstacle: str = field(default="", init=False)
    """Why column generation last ended before time was up, in a sentence."""

    def __post_init__(self) -> None:
        self.problem = native.problem(self.instance)
        self.routes = native.core.NgRoutes(
            self.problem, [0, *self.levels.customers], NEIGHBOURHOOD, self.memory
        )
        self.legs = [native.core.Legs(self.instance.size) for _ in self.groups]
        self.master = Master(self.instance.size, self.groups, self.objective, self.cancel)
        self.add_trips((c,) for c in range(1, self.instance.size + 1))

    def add_trips(self, trips: Iterable[Trip]) -> None:
        """Offers these trips to every group that can carry them."""
        columns: list[Column] = []
        for trip in trips:
            load, length = trip_load(self.instance, trip), self.problem.length(list(trip))
            able = (
                g
                for g, group in enumerate(self.groups)
                if self.instance.vehicles[group.vehicles[0]].can_carry(load)
            )
            columns += [Column(g, trip, length) for g in able]
        self.master.add(columns)

    def converge(self, watch: Watch) -> bool:
        """Generates columns until bound and value meet; False when that was cut short.

        The duals of successive programmes jump about; once a bound is known, routes are priced
        between them and the prices of the best bound.
        """
        best = self._carried_over()
        width, smoothing = 0, SMOOTHING
        for rounds in count(1):
            value = self.master.solve(watch)
            if value is None or watch.over:
                self.obstacle = f"{UNSOLVED}: {self.master.ending}"
                return False
            duals = self.master.duals()
            last = width == len(WIDTHS) - 1
            exact = last or rounds % EXACT_EVERY == 0
            point = duals.towards(best.duals, smoothing) if best is not None and last else duals
            columns, deficit = self._price(point, WIDTHS[-1 if exact else width], watch)
            if deficit is None:
                self.obstacle = TOO_MANY_ROUTES
                return False
            if exact:
                bound = point.value - deficit * self.levels.total
                bound -= SAFETY * abs(bound)
                if best is None or bound > best.bound:
                    best = Proof(bound, point, tuple(self.master.cuts))
                    self._accept(best)
                if value - best.bound <= CONVERGED * abs(value):
                    return True
            if self.master.add(columns):
                smoothing = SMOOTHING
            elif not last:
                width += 1
            elif smoothing == 0:
                return True
            else:
                smoothing = 0.0
        raise AssertionError("unreachable")

    def cut(self, most: int, watch: Watch) -> int:
        """Adds the most violated subset-row cuts; how many were found."""
        used = self.master.used()
        values = np.array([value for _, value in used])
        room = min(most, MOST_CUTS)
        found = cuts.separate([c.trip for c, _ in used], values, self.instance.size, room, watch)
        if self._subset_rows + len(found) > MOST_CUTS:
            self.master.drop_slack_cuts()
            found = found[: MOST_CUTS - self._subset_rows]
        self.master.add_cuts(found)
        return len(found)

    def cut_by_capacity(self, most: int, watch: Watch) -> int:
        """Adds the most violated capacity cuts; how many were found."""
        used = [(c.group, c.trip, value) for c, value in self.master.used()]
        if self.covers is None:
            self.covers = FleetCovers(self.groups, self.levels, self.memory, watch)
        found = capacity.separate(used, self.levels, self.covers, most, watch)
        return self.master.add_set_cuts(found)

    @property
    def _subset_rows(self) -> int:
        return sum(isinstance(cut, Cut) for cut in self.master.cuts)

    def drop_legs(self, cost: float, watch: Watch) -> None:
        """Forgets the legs that no solution cheaper than `cost` can use.

        From here on bounds hold for solutions cheaper than that only.
        """
        if self.proof is None:
            return
        gap = allowance(cost, self.proof.bound)
        for g in range(len(self.groups)):
            prices = self.prices(g, self.proof.duals, self.proof.cuts)
            tables = []
            for backwards in (False,) if self.problem.symmetric else (False, True):
                if not self.routes.fill(prices, self.legs[g], WIDTHS[-1], backwards, watch.run()):
                    return
                tables.append(self.routes.least_costs())
            self.legs[g].drop(tables[0], tables[-1], prices, gap)

    def prices(self, group: int, duals: Duals, cuts: Sequence[AnyCut]) -> native.core.Prices:
        """The prices of one group's routes, for the core."""
        active = priced(cuts, duals.penalties)
        rows = [
            native.core.SubsetRow(sorted(cut.customers), sorted(cut.memory), penalty)
            for cut, penalty in active
            if isinstance(cut, Cut)
        ]
        sets = [(cut, price) for cut, price in active if isinstance(cut, CapacityCut)]
        distances = self.instance.distances
        legs = duals.weights[group] * distances
        if sets:
            legs -= premiums(sets, group, len(distances))
        cover = [0.0, *duals.cover.tolist()]
        return native.core.Prices(legs.ravel(), self.groups[group].level, cover, rows)

    def _price(self, duals: Duals, width: int, watch: Watch) -> tuple[list[Column], float | None]:
        """Routes of negative reduced cost, and the largest deficit per load level of any route.

        The deficit is a proof only at full width; None says that time or memory ran out.
        """
        columns: list[Column] = []
        deficit = 0.0
        size = self.instance.size
        for g in range(len(self.groups)):
            prices = self.prices(g, duals, self.master.cuts)
            if not self.routes.fill(prices, self.legs[g], width, False, watch.run()):
                return [], None
            best = self.routes.best(max(30, size), 4)
            deficit = max(deficit, best.deficit)
            columns += [Column(g, tuple(r), self.problem.length(r)) for r in best.routes]
        return columns, deficit

    def _carried_over(self) -> Proof | None:
        """The best proof so far as a point of the present programme, whose cuts may be new."""
        if self.proof is None:
            return None
        known = dict(zip(self.proof.cuts, self.proof.duals.penalties.tolist(), strict=True))
        if any(cut not in self.master.cuts for cut, penalty in known.items() if penalty > ACTIVE):
            return None
        penalties = np.array([known.get(cut, 0.0) for cut in self.master.cuts])
        limits = np.array([cut.limit for cut in self.master.cuts])
        duals = Duals(self.proof.duals.cover, self.proof.duals.weights, penalties, limits)
        return Proof(self.proof.bound, duals, tuple(self.master.cuts))

    def _accept(self, proof: Proof) -> None:
        if self.proof is None or proof.bound > self.proof.bound:
            self.proof = proof
            self.on_bound(proof.bound)


def allowance(cost: float, bound: float) -> float:
    """Largest reduced cost of a trip in a solution as cheap as `cost`, with room for rounding."""
    return cost - bound + 1e-9 * max(1.0, abs(cost))
