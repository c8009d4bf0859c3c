"""Random instances drawn on the device that uses them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor

from hcvrp.env.batch import Batch, room
from hcvrp.errors import InputError
from hcvrp.generator import paper_fleet
from hcvrp.solution import Objective


@dataclass(frozen=True)
class World:
    """Uniform points in the unit square, demands 1–9 and one fleet (Li et al. 2021, §V-A)."""

    customers: int
    capacities: tuple[float, ...]
    speeds: tuple[float, ...]
    largest_demand: int = 9

    def __post_init__(self) -> None:
        if self.customers < 1:
            raise InputError(f"customers must be at least 1, not {self.customers}")
        if not self.capacities or len(self.capacities) != len(self.speeds):
            raise InputError(
                f"capacities and speeds must be as many and at least one each,"
                f" not {len(self.capacities)} and {len(self.speeds)}"
            )
        if not 1 <= self.largest_demand <= max(self.capacities):
            raise InputError(
                f"largest_demand must lie between 1 and the largest capacity,"
                f" not {self.largest_demand}"
            )

    @classmethod
    def paper(cls, customers: int, vehicles: int, objective: Objective) -> World:
        """The paper's training distribution for a fleet size and an objective."""
        fleet = paper_fleet(vehicles, objective)
        return cls(customers, tuple(v.capacity for v in fleet), tuple(v.speed for v in fleet))

    def draw(self, count: int, generator: torch.Generator) -> Batch:
        """`count` instances on the generator's device."""
        device, nodes = generator.device, self.customers + 1
        points = torch.rand(count, nodes, 2, generator=generator, device=device)
        demand = torch.randint(
            1, self.largest_demand + 1, (count, nodes), generator=generator, device=device
        ).float()
        demand[:, 0] = 0
        shape = (count, len(self.capacities))
        capacity = on_device(device, self.capacities).expand(shape)
        return Batch(
            points=points,
            distance=torch.linalg.vector_norm(points[:, :, None] - points[:, None], dim=-1),
            demand=demand,
            real=torch.ones(count, nodes, dtype=torch.bool, device=device),
            capacity=capacity,
            speed=on_device(device, self.speeds).expand(shape),
            fitted=torch.ones(shape, dtype=torch.bool, device=device),
            room=room(capacity),
        )


@lru_cache(maxsize=64)
def on_device(device: torch.device, values: tuple[float, ...]) -> Tensor:
    """`values` on the device, kept there: copying them anew would make the host wait."""
    return torch.tensor(values, device=device)
