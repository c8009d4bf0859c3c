"""The state of many partial solutions at once."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hcvrp.env.batch import Batch


@dataclass(frozen=True)
class State:
    """Where L partial solutions of each of B instances stand (Li et al. 2021, §III-B).

    Of the paper's partial route Gⁱ only the last node is kept here: no rule needs more. The
    depot and padding count as served, so a row is finished when everything is.
    """

    served: Tensor  # (B, L, N) bool
    position: Tensor  # (B, L, M) int64, last node of the partial route, gⁱ
    remaining: Tensor  # (B, L, M), free capacity, oⁱ
    time: Tensor  # (B, L, M), accumulated travel time, Tⁱ
    last: Tensor  # (B, L) int64, the vehicle that moved last; −1 before the first step

    @property
    def finished(self) -> Tensor:
        """Which rows have served everybody, (B, L)."""
        return self.served.all(-1)


def initial(batch: Batch, samples: int) -> State:
    """All vehicles at the depot, empty-handed routes, full loads."""
    shape = (batch.size, samples, batch.vehicles)
    device = batch.points.device
    served = ~batch.real
    served[:, 0] = True
    return State(
        served=served[:, None].expand(-1, samples, -1).contiguous(),
        position=torch.zeros(shape, dtype=torch.int64, device=device),
        remaining=batch.room[:, None].expand(shape).contiguous(),
        time=batch.speed.new_zeros(shape),
        last=torch.full(shape[:2], -1, dtype=torch.int64, device=device),
    )
