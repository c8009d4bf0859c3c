"""The integer programme over a list of trips: every customer on exactly one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import highspy
import numpy as np

from hcvrp.exact.fleet import Group
from hcvrp.exact.linear import quiet_highs
from hcvrp.exact.master import AnyCut
from hcvrp.exact.pool import Pool
from hcvrp.exact.watch import Watch
from hcvrp.solution import Solution, Trip

if TYPE_CHECKING:
    from hcvrp.instance import Floats, Instance

SCALE = 1e4
"""Costs are scaled so that the incumbent costs this: HiGHS' tolerances are absolute."""


@dataclass(frozen=True)
class Partition:
    """The outcome: a better solution if there is one, and whether the search was exhaustive."""

    solution: Solution | None
    complete: bool
    bound: float


def cheapest_partition(
    instance: Instance,
    groups: Sequence[Group],
    pool: Pool,
    cuts: Sequence[AnyCut],
    cost: float,
    watch: Watch,
) -> Partition:
    """The cheapest way (min-sum) to serve every customer with trips of the pool.

    `cost` is what is to be beaten: a pool without any solution proves that nothing does.
    """
    if len(pool) == 0:
        return Partition(None, True, cost)
    if watch.over:
        return Partition(None, False, -np.inf)
    pace = np.array([g.pace for g in groups])[pool.groups]
    scale = SCALE / cost if cost > 0 else 1.0
    highs = _programme(pool, pace * pool.lengths * scale, cuts, watch)
    highs.setOptionValue("time_limit", watch.left)  # building it took its time
    highs.run()
    status = highs.getModelStatus()
    complete = status in (
        highspy.HighsModelStatus.kOptimal,
        highspy.HighsModelStatus.kInfeasible,
    )
    info = highs.getInfo()
    bound = cost if status == highspy.HighsModelStatus.kInfeasible else info.mip_dual_bound / scale
    solution = None
    if info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
        values = np.array(highs.getSolution().col_value)
        chosen = np.flatnonzero(values > 0.5)
        solution = _solution(instance, groups, pool, chosen.tolist())
    return Partition(solution, complete, bound)


def _programme(pool: Pool, costs: Floats, cuts: Sequence[AnyCut], watch: Watch) -> Any:
    """Every customer on exactly one of the trips, each taken whole or not at all, cuts kept."""
    highs = quiet_highs(watch.cancel)
    highs.setOptionValue("mip_rel_gap", 0.0)
    highs.setOptionValue("mip_abs_gap", 1e-6)
    model = highspy.HighsLp()
    count = len(pool)
    model.num_col_, model.num_row_ = count, pool.size
    model.col_cost_ = costs
    model.col_lower_, model.col_upper_ = np.zeros(count), np.ones(count)
    model.row_lower_ = model.row_upper_ = np.ones(pool.size)
    model.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    model.a_matrix_.start_ = pool.first.astype(np.int32)
    model.a_matrix_.index_ = pool.customers - 1
    model.a_matrix_.value_ = np.ones(len(pool.customers))
    model.integrality_ = [highspy.HighsVarType.kInteger] * count
    highs.passModel(model)
    for cut in cuts:
        entries = pool.entries(cut)
        columns = np.flatnonzero(entries).astype(np.int32)
        highs.addRow(-highspy.kHighsInf, cut.limit, len(columns), columns, entries[columns])
    return highs


def _solution(
    instance: Instance, groups: Sequence[Group], pool: Pool, chosen: list[int]
) -> Solution:
    routes: list[list[Trip]] = [[] for _ in instance.vehicles]
    for k in chosen:
        routes[groups[pool.groups[k]].vehicles[0]].append(pool.trip(k))
    return Solution(routes)
