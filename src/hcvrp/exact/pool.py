"""Every trip that a solution cheaper than the incumbent can use, and what follows from that.

With prices that prove a bound, a solution of cost C pays C − bound in reduced costs, all of them
non-negative: trips above that are out (Baldacci, Christofides & Mingozzi 2008). Over the trips
that remain, cuts need no memory and pricing is a look at a list.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact import load_cuts
from hcvrp.exact.capacity import CapacityCut
from hcvrp.exact.column_generation import Proof, Relaxation, allowance
from hcvrp.exact.cuts import Cut, separate
from hcvrp.exact.fleet import SLACK
from hcvrp.exact.load_cuts import LoadCut
from hcvrp.exact.master import ACTIVE, AnyCut, Column, Duals, Master, priced
from hcvrp.exact.watch import Watch
from hcvrp.instance import CAPACITY_TOLERANCE
from hcvrp.search import native
from hcvrp.solution import trip_load

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from hcvrp.solution import Trip

CUTS_PER_ROUND = 40
COLUMNS_PER_ROUND = 500
NEGATIVE = -1e-9

FIRST_PER_CUSTOMER, SHORTLIST_PER_CUSTOMER = 5, 200
"""Trips per customer to start from, and those looked at before the whole list is."""


@dataclass(frozen=True)
class Pool:
    """Trips one after the other: trip k of group `groups[k]` is customers[first[k]:first[k+1]]."""

    size: int
    groups: NDArray[np.int32]
    customers: NDArray[np.int32]
    first: NDArray[np.int64]
    lengths: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.groups)

    def trip(self, k: int) -> Trip:
        """The customers of trip k, in order."""
        return tuple(self.customers[self.first[k] : self.first[k + 1]].tolist())

    def column(self, k: int) -> Column:
        """Trip k as a column."""
        return Column(int(self.groups[k]), self.trip(k), float(self.lengths[k]))

    def select(self, chosen: NDArray[np.bool_]) -> Pool:
        """The chosen trips."""
        counts = np.diff(self.first)
        customers = self.customers[np.repeat(chosen, counts)]
        first = np.concatenate([[0], np.cumsum(counts[chosen])]).astype(np.int64)
        return Pool(self.size, self.groups[chosen], customers, first, self.lengths[chosen])

    def cheapest(self, costs: NDArray[np.float64], most: int) -> Pool:
        """The trips of least (reduced) cost."""
        if len(self) <= most:
            return self
        chosen = np.zeros(len(self), dtype=bool)
        chosen[np.argsort(costs, kind="stable")[:most]] = True
        return self.select(chosen)

    def cheapest_for_each(self, costs: NDArray[np.float64]) -> NDArray[np.intp]:
        """The numbers of the trips that are some customer's cheapest."""
        trips = np.repeat(np.arange(len(self)), np.diff(self.first))
        least = np.full(self.size + 1, np.inf)
        np.minimum.at(least, self.customers, costs[trips])
        found = np.flatnonzero(costs[trips] == least[self.customers])
        _, one_each = np.unique(self.customers[found], return_index=True)
        return np.unique(trips[found[one_each]])

    @cached_property
    def _visits(self) -> NDArray[np.uint8]:
        """Whether customer i + 1 is on trip k, as bits: (customers, trips / 8)."""
        visits = np.zeros((self.size, len(self)), dtype=bool)
        visits[self.customers - 1, np.repeat(np.arange(len(self)), np.diff(self.first))] = True
        return np.packbits(visits, axis=1)

    def entries(self, cut: AnyCut) -> NDArray[np.float64]:
        """The trips' entries in the cut, without limits to its memory and counting a trip once."""
        if isinstance(cut, CapacityCut):
            rows = self._visits[[customer - 1 for customer in cut.customers]]
            inside = np.unpackbits(np.bitwise_or.reduce(rows), count=len(self))
            return -np.array(cut.shares)[self.groups] * inside
        if isinstance(cut, LoadCut):
            loads = np.add.reduceat(cut.weights()[self.customers - 1], self.first[:-1])
            return -np.ceil(loads / cut.divisor) / cut.needed
        a, b, c = (self._visits[customer - 1] for customer in sorted(cut.customers))
        return np.unpackbits(a & b | a & c | b & c, count=len(self)).astype(float)

    def reduced_costs(self, duals: Duals, cuts: Sequence[AnyCut]) -> NDArray[np.float64]:
        """Weight · length − Σ λ + Σ μ of each trip."""
        if len(self) == 0:
            return np.zeros(0)
        costs = duals.weights[self.groups] * self.lengths
        costs -= np.add.reduceat(duals.cover[self.customers - 1], self.first[:-1])
        for cut, penalty in priced(cuts, duals.penalties):
            costs += penalty * self.entries(cut)
        return np.asarray(costs)


def join(size: int, pools: Sequence[Pool]) -> Pool:
    """All trips of these pools."""
    starts = np.cumsum([0] + [len(pool.customers) for pool in pools])
    first = [pool.first[:-1] + start for pool, start in zip(pools, starts[:-1], strict=True)]
    return Pool(
        size,
        np.concatenate([pool.groups for pool in pools]),
        np.concatenate([pool.customers for pool in pools]),
        np.concatenate([*first, starts[-1:]]).astype(np.int64),
        np.concatenate([pool.lengths for pool in pools]),
    )


def pool_of(size: int, columns: Sequence[Column]) -> Pool:
    """Those of the columns that visit no customer twice."""
    kept = [c for c in columns if len(set(c.trip)) == len(c.trip)]
    return Pool(
        size,
        np.array([c.group for c in kept], dtype=np.int32),
        np.array([customer for c in kept for customer in c.trip], dtype=np.int32),
        np.cumsum([0] + [len(c.trip) for c in kept], dtype=np.int64),
        np.array([c.length for c in kept]),
    )


def enumerate_pool(
    relaxation: Relaxation, proof: Proof, gap: float, memory: float, watch: Watch
) -> Pool | None:
    """Every trip with a reduced cost of at most `gap`; None if memory or time do not allow it."""
    instance = relaxation.instance
    pools: list[Pool] = []
    for g, group in enumerate(relaxation.groups):
        prices = relaxation.prices(g, proof.duals, proof.cuts)
        table = relaxation.routes
        if not table.fill(prices, relaxation.legs[g], 1 << 30, True, watch.run()):
            return None
        trips = native.core.TripRange(
            group.above * (1 - SLACK),
            group.capacity * (1 + SLACK),
            group.above_level,
            gap,
        )
        end, customers, first, lengths = native.core.enumerate_trips(
            relaxation.problem, table, prices, trips, memory, watch.run()
        )
        if end != native.core.PoolEnd.complete:
            return None
        found = Pool(
            instance.size, np.full(len(lengths), g, dtype=np.int32), customers, first, lengths
        )
        pools.append(_allowed(relaxation, found, g))
    return join(instance.size, pools)


def tighten(
    relaxation: Relaxation,
    pool: Pool,
    cost: float,
    watch: Watch,
    on_bound: Callable[[float], None],
    enough: int,
    cuts: tuple[AnyCut, ...] = (),
) -> tuple[Pool, tuple[AnyCut, ...], NDArray[np.float64]]:
    """Cuts off fractional solutions until at most `enough` trips remain or cuts run out.

    It starts from the relaxation's cuts and those given. Returns the trips that a solution cheaper
    than `cost` can use, the cuts in force, and the trips' reduced costs. The bounds reported hold
    for solutions that use trips of the pool only.
    """
    proof = relaxation.proof
    assert proof is not None
    master = Master(pool.size, relaxation.groups, relaxation.objective, watch.cancel)
    best, stalled = -np.inf, 0
    kept_costs = pool.reduced_costs(proof.duals, proof.cuts)
    shortlist = pool.cheapest(kept_costs, SHORTLIST_PER_CUSTOMER * pool.size)
    first = pool.cheapest(kept_costs, FIRST_PER_CUSTOMER * pool.size)
    master.add([first.column(k) for k in range(len(first))])
    # The cheapest trips of all may miss a customer, and the programme would have no solution.
    master.add([pool.column(int(k)) for k in pool.cheapest_for_each(kept_costs)])
    _add_cuts(master, [*proof.cuts, *cuts])
    while not watch.over:
        if master.solve(watch) is None:
            break
        duals = master.duals()
        if _add_negative(master, shortlist, shortlist.reduced_costs(duals, master.cuts)):
            continue
        costs = pool.reduced_costs(duals, master.cuts)
        if _add_negative(master, pool, costs):
            continue
        bound = duals.value + float(costs[costs < 0].sum())
        bound -= 1e-10 * abs(bound)
        if bound > best:
            stalled = 0 if bound - best > 0.01 * (cost - bound) else stalled + 1
            best = bound
            cuts = tuple(c for c, p in zip(master.cuts, duals.penalties, strict=True) if p > ACTIVE)
            on_bound(bound)
            kept = costs <= allowance(cost, bound)
            pool, kept_costs = pool.select(kept), costs[kept]
            shortlist = pool.cheapest(kept_costs, SHORTLIST_PER_CUSTOMER * pool.size)
        else:
            stalled += 1
        if len(pool) <= enough or stalled > 3:
            break
        if not _cut(master, relaxation, watch):
            break
    return pool, cuts, kept_costs


def _cut(master: Master, relaxation: Relaxation, watch: Watch) -> bool:
    """Adds violated subset-row and load cuts; whether there were any."""
    used = master.used()
    trips, values = [c.trip for c, _ in used], np.array([value for _, value in used])
    triples = separate(trips, values, master.size, CUTS_PER_ROUND, watch)
    loads = [(c.group, c.trip, value) for c, value in used]
    sets = load_cuts.separate(loads, relaxation.levels, relaxation.groups, CUTS_PER_ROUND, watch)
    return _add_cuts(master, [*triples, *sets])


def _add_cuts(master: Master, cuts: Sequence[AnyCut]) -> bool:
    """Adds cuts as strong as a list allows; whether there were new ones."""
    before = len(master.cuts)
    everyone = frozenset(range(1, master.size + 1))
    master.add_cuts([Cut(cut.customers, everyone) for cut in cuts if isinstance(cut, Cut)])
    capacity = (cut for cut in cuts if isinstance(cut, CapacityCut))
    master.add_set_cuts([replace(cut, once=True) for cut in capacity])
    master.add_set_cuts([cut for cut in cuts if isinstance(cut, LoadCut)])
    return len(master.cuts) > before


def _add_negative(master: Master, pool: Pool, costs: NDArray[np.float64]) -> int:
    """Adds the trips of most negative reduced cost; how many were new."""
    negative = np.flatnonzero(costs < NEGATIVE)
    worst = negative[np.argsort(costs[negative])[:COLUMNS_PER_ROUND]]
    return master.add([pool.column(int(k)) for k in worst])


def _allowed(relaxation: Relaxation, pool: Pool, group: int) -> Pool:
    """The trips that the referee lets the group's vehicles carry."""
    instance, members = relaxation.instance, relaxation.groups[group]
    if len(pool) == 0:
        return pool
    loads = np.add.reduceat(instance.demands[pool.customers - 1], pool.first[:-1])
    doubtful = np.flatnonzero(loads > members.capacity * (1 + CAPACITY_TOLERANCE / 2))
    allowed = np.ones(len(pool), dtype=bool)
    vehicle = instance.vehicles[members.vehicles[0]]
    for k in doubtful:
        allowed[k] = vehicle.can_carry(trip_load(instance, pool.trip(int(k))))
    return pool.select(allowed)
