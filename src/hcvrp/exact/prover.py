"""From a first bound to a proof: the recipe for both objectives.

Root: column generation with subset-row cuts and, for min-sum, capacity cuts. Then, if all trips
that matter can be listed, the list decides: by an integer programme for min-sum, over whole vehicle
plans for min-max. Where the list would be too long, a shorter one proves part of the gap.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hcvrp.exact.column_generation import Relaxation, allowance
from hcvrp.exact.fleet import groups, load_levels
from hcvrp.exact.integer import cheapest_partition
from hcvrp.exact.plan_prover import PlanProver
from hcvrp.exact.plans import MOST_CUSTOMERS
from hcvrp.exact.pool import Pool, enumerate_pool, join, pool_of, tighten
from hcvrp.exact.progress import TOO_MANY
from hcvrp.exact.trivial import shortest_trips, trivial_bounds
from hcvrp.instance import Instance
from hcvrp.solution import Objective

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hcvrp.exact.fleet import Group
    from hcvrp.exact.master import AnyCut
    from hcvrp.exact.progress import Progress
    from hcvrp.exact.watch import Watch

MOST_PRICED = 2000
"""Customers beyond which a single pricing would take minutes."""

BYTES_PER_LEG, BYTES_PER_GROUPS_LEG, BYTES_PER_GROUPS_FLOW = 32, 8, 16
"""Distances here and in the core, prices, prices less duals; for each group lists of legs; and, for
capacity and load cuts, how much each leg is used, twice over while both ways are added up."""

LARGEST_TIMES = {Objective.MIN_MAX: 1e14, Objective.MIN_SUM: 1e19}
"""HiGHS refuses coefficients of 1e15 and costs of 1e20."""

CUTS_PER_ROUND = 30

STALL = 0.015
"""A round of cuts that closes less than this share of the gap counts as stalled …"""

STALLED_ROUNDS = 3
"""… and so many in a row end the rounds."""

QUICK_LIST = 4e7
"""Bytes for the partial trips of a first try at listing; more only when cuts no longer help."""

QUICK_ROUND = 1.0
"""Seconds that a round of cuts takes before longer tries at listing are worth it …"""

ROUNDS_PER_LIST = 2.0
"""… and how long these may take, in terms of the last round."""

SHRUNK = 0.85
"""A listing that failed is tried again when the gap has shrunk by this factor."""

EASY_PROGRAMME = 600
"""Trips with which the integer programme is quick, so that further cuts are not worth it."""

CORE_TRIPS = 2000
"""Of a longer list, the trips tried first for a better solution."""

PARTS = (1.0, 0.5, 0.25, 0.12, 0.06)
"""Shares of the gap for which trips are listed, the next one where the last are too many."""


def within_reach(instance: Instance, cost: float) -> Instance:
    """The instance with legs that no solution of that cost can use shortened to twice such a one.

    A solution with one of them costs more either way, even by the fastest vehicle. Tables mark
    forbidden legs by huge numbers, which linear programmes do not take. Where distances are those
    of a plane no leg is so long.
    """
    if instance.is_planar:
        return instance
    limit = 2 * cost * max(vehicle.speed for vehicle in instance.vehicles)
    if instance.distances.max() <= limit:
        return instance
    shortened = np.minimum(instance.distances, limit)
    return Instance(instance.demands, instance.vehicles, distances=shortened)


def longest_time(instance: Instance, alike: Sequence[Group]) -> float:
    """More than any trip takes, by the slowest of these vehicles."""
    pace = max(group.pace for group in alike)
    return (instance.size + 1) * float(instance.distances.max()) * pace


class Prover:
    """One proof in progress: `run` goes as far as time and memory allow."""

    def __init__(self, progress: Progress, memory: float) -> None:
        self.progress = progress
        self.memory = memory
        self.instance = progress.instance
        self.watch = progress.watch

    def run(self) -> None:
        """Raises the bound and improves the solution until they meet or time is up."""
        progress = self.progress
        for bound in trivial_bounds(self.instance, progress.objective, self.watch.part(0.2)):
            progress.raise_bound(bound)
        if progress.closed or self.watch.over:
            return
        if self.instance.size > MOST_PRICED:
            progress.note(f"column generation is for up to {MOST_PRICED} customers")
            return
        levels = load_levels(self.instance)
        alike = groups(self.instance, progress.objective, levels, self._of_no_use())
        if not self._has_room(len(alike)):
            return
        self.instance = within_reach(self.instance, progress.cost)
        if longest_time(self.instance, alike) > LARGEST_TIMES[progress.objective]:
            progress.note("the times are too large for linear programmes")
            return
        self.relaxation = Relaxation(
            self.instance,
            progress.objective,
            alike,
            levels,
            progress.raise_bound,
            self.watch.cancel,
            self.memory,
        )
        self.relaxation.add_trips(trip for _, trip in progress.solution.trips())
        if not self.relaxation.converge(self.watch) or progress.closed:
            if not (progress.closed or self.watch.over):
                progress.note(self.relaxation.obstacle)
            return
        if progress.objective is Objective.MIN_SUM:
            self._close_min_sum()
        else:
            self._close_min_max()

    def _of_no_use(self) -> set[int]:
        """Vehicles that carry nobody, or any of whose trips takes longer than the best solution.

        None of them is in a cheaper solution, whatever the objective. So no table is made for one,
        and no linear programme meets its times.
        """
        return set(np.flatnonzero(shortest_trips(self.instance) > self.progress.cost).tolist())

    def _has_room(self, groups: int) -> bool:
        """Whether the tables of column generation are within memory."""
        size = self.instance.size
        of_group = BYTES_PER_GROUPS_LEG
        if self.progress.objective is Objective.MIN_SUM:
            of_group += BYTES_PER_GROUPS_FLOW
        tables = (BYTES_PER_LEG + of_group * groups) * size**2
        if tables > self.memory:
            self.progress.note(f"column generation needs {tables / 1e9:.2g} GB for its tables")
        return tables <= self.memory

    @property
    def _root(self) -> float:
        """The bound of the relaxation, on which lists of trips build."""
        assert self.relaxation.proof is not None
        return self.relaxation.proof.bound

    def _cut(self, *, listing: bool) -> Pool | None:
        """Rounds of cuts until they stall or, with `listing`, until all trips can be listed."""
        failed = np.inf
        stalled = 0
        seconds = 0.0
        while not (self.watch.over or self.progress.closed):
            self.relaxation.drop_legs(self.progress.cost, self.watch)
            gap = allowance(self.progress.cost, self._root)
            if listing and gap < SHRUNK * failed:
                pool = self._list_as_long(gap, seconds)
                if pool is not None:
                    return pool
                first, failed = failed == np.inf, gap
                if first:
                    self._cut_by_capacity()
                    continue
            start = self.watch.seconds
            if stalled >= STALLED_ROUNDS or not self._add_cuts():
                break
            before = self._root
            # With many cuts the labels may multiply: then what is left is better spent otherwise.
            if not self.relaxation.converge(self.watch.part(0.3)):
                break
            stalled = stalled + 1 if self._root - before < STALL * gap else 0
            seconds = self.watch.seconds - start
        return None

    def _list_as_long(self, gap: float, seconds: float) -> Pool | None:
        """A list that is quick to make, or that takes about as long as the last round of cuts."""
        pool = self._list(gap, QUICK_LIST, self.watch)
        if pool is None and seconds > QUICK_ROUND:
            pool = self._list(gap, self.memory, self.watch.at_most(ROUNDS_PER_LIST * seconds))
        return pool

    def _add_cuts(self) -> int:
        """How many violated cuts there were to add."""
        found = self.relaxation.cut(CUTS_PER_ROUND, self.watch)
        if self.progress.objective is Objective.MIN_SUM:
            found += self.relaxation.cut_by_capacity(CUTS_PER_ROUND, self.watch)
        return found

    def _list(self, gap: float, memory: float, watch: Watch) -> Pool | None:
        assert self.relaxation.proof is not None
        return enumerate_pool(self.relaxation, self.relaxation.proof, gap, memory, watch)

    # Min-sum.

    def _close_min_sum(self) -> None:
        progress = self.progress
        self._improve_by_part()
        pool = self._cut(listing=True)
        if pool is not None:
            self._decide(pool, progress.cost)
            return
        self._improve_by_part()
        within = (k for k, share in enumerate(PARTS) if self._decide_part(share, 0.2))
        largest = next(within, 0)
        # The share that was too much in a fifth of the time may not be in all of it.
        for share in reversed(PARTS[:largest]):
            if progress.closed or not self._decide_part(share, 1.0):
                return

    def _cut_by_capacity(self) -> None:
        """Rounds of capacity cuts, which do not slow the pricing, until they stall."""
        stalled = 0
        while stalled < STALLED_ROUNDS:
            if not self.relaxation.cut_by_capacity(CUTS_PER_ROUND, self.watch):
                covers = self.relaxation.covers
                if covers is not None and not (covers.complete or self.watch.over):
                    self.progress.note("memory did not allow capacity cuts")
                return
            before = self._root
            if self.progress.closed or not self.relaxation.converge(self.watch.part(0.3)):
                return
            gap = self.progress.cost - before
            stalled = stalled + 1 if self._root - before < STALL * gap else 0

    def _decide_part(self, share: float, time: float) -> bool:
        """Decides about solutions within a share of the gap, listed in a share of the time."""
        cutoff = self._root + share * (self.progress.cost - self._root)
        gap = allowance(cutoff, self._root)
        pool = self._list(gap, self.memory, self.watch.part(time))
        if pool is None:
            self.progress.note(TOO_MANY)
            return False
        return self._decide(pool, cutoff)

    def _improve_by_part(self) -> None:
        """Looks for a better solution among trips of low reduced cost and those of the best."""
        proof, size = self.relaxation.proof, self.instance.size
        assert proof is not None
        pools = [pool_of(size, self.relaxation.master.columns)]
        for share in PARTS[1:]:
            gap = share * allowance(self.progress.cost, self._root)
            pool = self._list(gap, QUICK_LIST, self.watch.part(0.1))
            if pool is not None:
                pools.append(pool)
                break
        trips = join(size, pools)
        costs = trips.reduced_costs(proof.duals, proof.cuts)
        best = {trip for _, trip in self.progress.solution.trips()}
        costs[[k for k in range(len(pools[0])) if pools[0].trip(k) in best]] = -np.inf
        self._improve_with(trips.cheapest(costs, CORE_TRIPS), 0.1)

    def _decide(self, pool: Pool, cutoff: float, cuts: tuple[AnyCut, ...] = ()) -> bool:
        """The best solution below `cutoff`, whose trips are all in the pool; False: time is up."""
        progress = self.progress

        def raised(bound: float) -> None:
            progress.raise_bound(min(bound, cutoff))

        pool, cuts, costs = tighten(
            self.relaxation, pool, cutoff, self.watch, raised, EASY_PROGRAMME, cuts
        )
        if len(pool) > 2 * CORE_TRIPS:
            self._improve_with(pool.cheapest(costs, CORE_TRIPS), 0.3)
            if progress.cost < cutoff:
                return self._decide(pool, progress.cost, cuts)
        outcome = cheapest_partition(
            self.instance, self.relaxation.groups, pool, cuts, cutoff, self.watch
        )
        if outcome.solution is not None:
            progress.improve(outcome.solution)
        raised(cutoff if outcome.complete else outcome.bound)
        return outcome.complete

    def _improve_with(self, pool: Pool, share: float) -> None:
        """Takes the best solution of these trips if it is better; uses a share of the time."""
        outcome = cheapest_partition(
            self.instance,
            self.relaxation.groups,
            pool,
            (),
            self.progress.cost,
            self.watch.part(share),
        )
        if outcome.solution is not None:
            self.progress.improve(outcome.solution)

    # Min-max.

    def _close_min_max(self) -> None:
        self._cut(listing=False)
        if self.instance.size > MOST_CUSTOMERS:
            sentence = f"plans are searched for up to {MOST_CUSTOMERS} customers only"
            self.progress.note(sentence)
            return
        PlanProver(self.relaxation, self.progress, self.memory).run()
