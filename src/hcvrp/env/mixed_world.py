"""Random fleets and places of many kinds, drawn on the device that uses them."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from hcvrp.env.batch import Batch, room
from hcvrp.env.world import on_device
from hcvrp.errors import InputError
from hcvrp.solution import Objective

LARGEST_DEMAND = 9
NARROW, WIDE = (20, 40), (15, 100)
"""Capacities besides the paper's. One far smaller would make most of a batch wait for its trips."""

CENTRES = (3, 7)
SPREAD = 0.07
"""Clusters are those of `hcvrp.generate`: so many centres, normal scatter around them."""


@dataclass(frozen=True)
class MixedWorld:
    """Instances of one size with fleets of all kinds, everything drawn anew for each instance.

    The number of vehicles is one of `vehicles`, evenly, so a number named twice is twice as
    likely. Demands are 1–9. Capacities are the paper's 20, 25, 30, … in half of the instances,
    otherwise whole numbers from 20–40 or from 15–100. Speeds are the paper's for the objective in
    half of the instances (equal for min-max, inverse to capacity for min-sum), otherwise those of
    the other objective (1 in 5) or uniform between ½ and 1 (3 in 10). A share `clustered` of the
    instances has customers around 3 to 7 centres, the others uniform ones.
    """

    customers: int
    vehicles: tuple[int, ...]
    objective: Objective
    clustered: float = 0.2

    def __post_init__(self) -> None:
        if self.customers < 1:
            raise InputError(f"customers must be at least 1, not {self.customers}")
        if not self.vehicles or min(self.vehicles) < 1:
            raise InputError(f"vehicles must be one or more numbers from 1, not {self.vehicles}")
        if not 0 <= self.clustered <= 1:
            raise InputError(f"clustered must lie between 0 and 1, not {self.clustered}")

    def draw(self, count: int, generator: torch.Generator) -> Batch:
        """`count` instances on the generator's device."""
        dice = _Dice(generator)
        points = self._points(dice, count)
        capacity = self._capacities(dice, count)
        shape = (count, self.customers + 1)
        demand = dice.whole(1, LARGEST_DEMAND, shape)
        demand[:, 0] = 0
        return Batch(
            points=points,
            distance=torch.linalg.vector_norm(points[:, :, None] - points[:, None], dim=-1),
            demand=demand,
            real=torch.ones(shape, dtype=torch.bool, device=dice.device),
            capacity=capacity,
            speed=self._speeds(dice, capacity),
            fitted=self._fitted(dice, count),
            room=room(capacity),
            padded=min(self.vehicles) < max(self.vehicles),
        )

    def _points(self, dice: _Dice, count: int) -> Tensor:
        low, high = CENTRES
        centres = dice.uniform(0.1, 0.9, (count, high, 2))
        near = (
            dice.uniform(0, 1, (count, self.customers)) * dice.whole(low, high, (count, 1))
        ).long()
        near = centres.gather(1, near[..., None].expand(-1, -1, 2))
        near = (near + SPREAD * dice.normal((count, self.customers, 2))).clamp(0, 1)
        anywhere = dice.uniform(0, 1, (count, self.customers + 1, 2))
        clustered = dice.uniform(0, 1, (count, 1, 1)) < self.clustered
        return torch.cat([anywhere[:, :1], torch.where(clustered, near, anywhere[:, 1:])], 1)

    def _capacities(self, dice: _Dice, count: int) -> Tensor:
        shape = (count, max(self.vehicles))
        paper = 20 + 5 * torch.arange(shape[1], device=dice.device)
        kind = dice.uniform(0, 1, (count, 1))
        other = torch.where(kind < 0.75, dice.whole(*NARROW, shape), dice.whole(*WIDE, shape))
        return torch.where(kind < 0.5, paper, other)

    def _speeds(self, dice: _Dice, capacity: Tensor) -> Tensor:
        equal, inverse = torch.ones_like(capacity), 5 / capacity
        if self.objective is Objective.MIN_SUM:
            equal, inverse = inverse, equal
        kind = dice.uniform(0, 1, (len(capacity), 1))
        drawn = dice.uniform(0.5, 1, tuple(capacity.shape))
        return torch.where(kind < 0.5, equal, torch.where(kind < 0.7, inverse, drawn))

    def _fitted(self, dice: _Dice, count: int) -> Tensor:
        pick = (dice.uniform(0, 1, (count, 1)) * len(self.vehicles)).long()
        sizes = on_device(dice.device, tuple(float(m) for m in self.vehicles))[pick]
        return torch.arange(max(self.vehicles), device=dice.device) < sizes


class _Dice:
    """Random tensors on the generator's device."""

    def __init__(self, generator: torch.Generator) -> None:
        self.generator = generator
        self.device = generator.device

    def uniform(self, low: float, high: float, shape: tuple[int, ...]) -> Tensor:
        drawn = torch.rand(shape, generator=self.generator, device=self.device)
        return low + (high - low) * drawn

    def whole(self, low: int, high: int, shape: tuple[int, ...]) -> Tensor:
        return torch.randint(
            low, high + 1, shape, generator=self.generator, device=self.device
        ).float()

    def normal(self, shape: tuple[int, ...]) -> Tensor:
        return torch.randn(shape, generator=self.generator, device=self.device)
