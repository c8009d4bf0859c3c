"""Many instances as one record of tensors, padded to a common size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import torch
from torch import Tensor

from hcvrp.env.tensors import mapped
from hcvrp.errors import InputError
from hcvrp.instance import CAPACITY_TOLERANCE, Instance, Vehicle
from hcvrp.layout import layout, scale, unit_square

if TYPE_CHECKING:
    from hcvrp.instance import Floats

Load = TypeVar("Load", Tensor, float)


@dataclass(frozen=True)
class Batch:
    """B instances of up to N nodes (node 0 is the depot) and M vehicles.

    `real` and `fitted` tell nodes and vehicles from padding. Loads keep the precision of
    `demand`: float32 is exact for whole numbers, float64 follows the referee for all others.
    """

    points: Tensor  # (B, N, 2), within the unit square
    distance: Tensor  # (B, N, N), on the scale of the points
    demand: Tensor  # (B, N), 0 at the depot
    real: Tensor  # (B, N) bool
    capacity: Tensor  # (B, M)
    speed: Tensor  # (B, M)
    fitted: Tensor  # (B, M) bool
    room: Tensor  # (B, M), free capacity at the depot, see `room`
    padded: bool = False
    """Whether any node or vehicle is padding: attention needs no mask where none is."""

    @property
    def size(self) -> int:
        """How many instances, B."""
        return self.points.shape[0]

    @property
    def nodes(self) -> int:
        """How many nodes, the depot and padding included, N."""
        return self.points.shape[1]

    @property
    def vehicles(self) -> int:
        """How many vehicles, padding included, M."""
        return self.capacity.shape[1]

    def rows(self, start: int, stop: int) -> Batch:
        """Instances `start` up to, not including, `stop`."""
        return mapped(self, lambda t: t[start:stop])

    def travel(self, origin: Tensor, node: Tensor) -> Tensor:
        """Distance from `origin` to `node`, both (B, L), as (B, L)."""
        return self.distance.flatten(1).gather(1, origin * self.nodes + node)


def collate(
    instances: Sequence[Instance],
    dtype: torch.dtype = torch.float32,
    device: torch.device | str = "cpu",
) -> Batch:
    """The instances as one batch, each laid out in the unit square.

    Distances are those between its points there, made for all instances at once on the device;
    where an instance has others, those divided by `scale`. So the batch's costs are those of the
    instance divided by one number. No instance keeps its n² distances. Loads are float64.
    """
    if not instances:
        raise InputError("a batch needs at least one instance, got none")
    rows = len(instances)
    nodes = 1 + max(i.size for i in instances)
    vehicles = max(len(i.vehicles) for i in instances)
    points = np.zeros((rows, nodes, 2))
    demand = np.zeros((rows, nodes))
    real = np.zeros((rows, nodes), dtype=bool)
    capacity, speed = np.ones((rows, vehicles)), np.ones((rows, vehicles))
    fitted = np.zeros((rows, vehicles), dtype=bool)
    for row, instance in enumerate(instances):
        n, m = instance.size + 1, len(instance.vehicles)
        points[row, :n] = unit_square(layout(instance))
        # Above, within the referee's tolerance, a customer fills a largest vehicle to the brim.
        demand[row, 1:n] = np.minimum(instance.demands, room(float(instance.capacities.max())))
        real[row, :n] = True
        capacity[row, :m], speed[row, :m] = instance.capacities, instance.speeds
        fitted[row, :m] = True
    exists, loads = torch.from_numpy(real).to(device), torch.from_numpy(capacity).to(device)
    return Batch(
        points=torch.from_numpy(points).to(device, dtype),
        distance=_distance(instances, points, exists).to(dtype),
        demand=torch.from_numpy(demand).to(device),
        real=exists,
        capacity=loads,
        speed=torch.from_numpy(speed).to(device, dtype),
        fitted=torch.from_numpy(fitted).to(device),
        room=room(loads),
        padded=not bool(real.all() and fitted.all()),
    )


def _distance(instances: Sequence[Instance], points: Floats, real: Tensor) -> Tensor:
    """Distances on the scale of the points, (B, N, N); 0 from and to padding."""
    places = torch.from_numpy(points).to(real.device)
    distance = torch.cdist(places, places, compute_mode="donot_use_mm_for_euclid_dist")
    if not real.all():
        distance *= real[:, :, None] & real[:, None]
    for row, instance in enumerate(instances):
        if not instance.is_planar:
            n = instance.size + 1
            lengths = instance.travel(np.arange(n)[:, None], np.arange(n))
            fitted = lengths / scale(points[row, :n], lengths)
            distance[row, :n, :n] = torch.from_numpy(fitted)
    return distance


def instances(batch: Batch) -> list[Instance]:
    """The instances of a batch whose distances are those of its points, in its units."""
    parts = (batch.points, batch.demand, batch.capacity, batch.speed, batch.real, batch.fitted)
    rows = zip(*(part.cpu().numpy() for part in parts), strict=True)
    return [
        Instance(
            demand[real][1:],
            [Vehicle(float(q), float(v)) for q, v in zip(capacity[fit], speed[fit], strict=True)],
            depot=points[0],
            customers=points[real][1:],
        )
        for points, demand, capacity, speed, real, fit in rows
    ]


def room(capacity: Load) -> Load:
    """What fits a vehicle at the depot: half the referee's tolerance above its capacity.

    Half, so that rounding never makes the referee see more than it tolerates.
    """
    return capacity * (1 + CAPACITY_TOLERANCE / 2)
