"""The instance's own units: what lengths, loads and times are divided by."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hcvrp.env import Batch


@dataclass(frozen=True)
class Scales:
    """Units that grow with the instance's own, so that quotients have none.

    With dist the distances, r_i = (dist_0i + dist_i0)/2, g_i the distance from customer i to the
    nearest other node, and sums over customers i and vehicles v of speeds s_v:

        length = mean of dist over all pairs,    gap = mean of g_i
        time   = Σ_i work_i,   work_i = 2 d_i r_i / Σ_v Q_v s_v + g_i / Σ_v s_v

    The first part of the work is the radial bound on carrying everything out from the depot
    (Haimovich & Rinnooy Kan 1985) when all vehicles are always full and busy; the second is the
    way from one customer to the next, all vehicles at it.
    """

    length: Tensor  # (B, 1)
    gap: Tensor  # (B, 1)
    time: Tensor  # (B, 1)
    work: Tensor  # (B, N), shares of `time`
    gaps: Tensor  # (B, N)
    customer: Tensor  # (B, N) bool, neither depot nor padding
    count: Tensor  # (B, 1), customers
    mean_demand: Tensor  # (B, 1)


def scales(batch: Batch) -> Scales:
    """The units of each instance; none is zero, even where all nodes share one place."""
    distance, kind = batch.distance, batch.points.dtype
    customer = batch.real.clone()
    customer[:, 0] = False
    count = customer.sum(-1, keepdim=True).to(kind)
    nodes = count + 1
    pair = batch.real[:, :, None] & batch.real[:, None]
    length = _positive((distance * pair).sum((1, 2))[:, None] / (nodes * (nodes - 1)))
    itself = torch.eye(batch.nodes, dtype=torch.bool, device=distance.device)
    gaps = distance.masked_fill(~pair | itself, torch.inf).amin(-1)
    gaps = gaps.masked_fill(~customer, 0)
    fitted = batch.fitted.to(kind)
    capacity, demand = batch.capacity.to(kind) * fitted, batch.demand.to(kind)
    throughput = (capacity * batch.speed).sum(-1, keepdim=True)
    pace = (batch.speed * fitted).sum(-1, keepdim=True)
    there_and_back = distance[:, 0] + distance[:, :, 0]
    work = demand * there_and_back / throughput + gaps / pace
    time = _positive(work.sum(-1, keepdim=True))
    gap = gaps.sum(-1, keepdim=True) / count
    return Scales(
        length=length,
        gap=torch.where(gap > 0, gap, length),
        time=time,
        work=work / time,
        gaps=gaps,
        customer=customer,
        count=count,
        mean_demand=_positive(demand.sum(-1, keepdim=True) / count),
    )


def _positive(value: Tensor) -> Tensor:
    """`value`, or 1 where it is zero: what it would divide is zero as well."""
    return torch.where(value > 0, value, 1)
