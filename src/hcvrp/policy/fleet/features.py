"""What the network sees of an instance: numbers without units, and no index of any vehicle."""

from __future__ import annotations

import torch
from torch import Tensor

from hcvrp.env import Batch
from hcvrp.policy.fleet.scales import Scales

DEPOT, CUSTOMER, VEHICLE = 7, 12, 9
"""How many features each kind of token has."""

LIMIT = 1000.0
"""Quotients are capped here: loads without weight, vehicles without end."""


def depot_features(batch: Batch, units: Scales) -> Tensor:
    """The whole instance at a glance, (B, DEPOT).

    Where the customers' centre lies, how far out they are, how crowded, how many trips of the
    whole fleet they need, how many fit a trip, and how much of the work is radial.
    """
    kind = batch.points.dtype
    total = (units.mean_demand * units.count)[:, 0]
    capacity = _capacity(batch)
    fleet_load, vehicles = capacity.sum(-1), batch.fitted.sum(-1)
    weight = units.customer.to(kind)[..., None] / units.count[..., None]
    centre = ((batch.points - batch.points[:, :1]) * weight).sum(1) / units.length
    away = (_mean_leg(batch) * weight[..., 0]).sum(-1) / units.length[:, 0]
    crossing = (units.gaps.sum(-1) / _pace(batch).sum(-1)) / units.time[:, 0]
    rest = [
        away,
        units.gap[:, 0] / units.length[:, 0],
        _log(total / fleet_load),
        _log(fleet_load / vehicles / units.mean_demand[:, 0]),
        crossing,
    ]
    return torch.cat([centre, torch.stack(rest, -1)], -1)


def customer_features(batch: Batch, units: Scales) -> Tensor:
    """Of each node, (B, N, CUSTOMER); those of the depot and of padding mean nothing.

    Place relative to the depot, ways out and home, distance to the nearest node; demand by the
    largest, the mean and the smallest capacity and by the mean demand; shares of the work; and
    how many of the vehicles can carry it.
    """
    kind = batch.points.dtype
    demand, capacity = batch.demand.to(kind), _capacity(batch)
    vehicles = batch.fitted.sum(-1, keepdim=True)
    smallest = capacity.masked_fill(~batch.fitted, torch.inf).amin(-1, keepdim=True)
    carriers = (batch.demand[..., None] <= batch.room[:, None]) & batch.fitted[:, None]
    length = units.length
    columns = [
        *((batch.points - batch.points[:, :1]) / length[..., None]).unbind(-1),
        batch.distance[:, 0] / length,
        batch.distance[:, :, 0] / length,
        units.gaps / units.gap,
        units.gaps / length,
        demand / capacity.amax(-1, keepdim=True),
        demand * vehicles / capacity.sum(-1, keepdim=True),
        (demand / smallest).clamp(max=2),
        (demand / units.mean_demand).clamp(max=LIMIT),
        units.work * units.count,
        carriers.sum(-1).to(kind) / vehicles,
    ]
    return torch.stack(columns, -1)


def vehicle_features(batch: Batch, units: Scales) -> Tensor:
    """Of each vehicle, (B, M, VEHICLE); those of padding mean nothing.

    Capacity, speed and their product, the throughput, by the fleet's best and mean; how many
    customers fit; the vehicle's share of all throughput; and whom it can carry.
    """
    kind = batch.points.dtype
    capacity, pace = _capacity(batch), _pace(batch)
    throughput = capacity * pace
    fits = (batch.demand[:, None] <= batch.room[..., None]) & units.customer[:, None]
    columns = [
        *_by_best_and_mean(capacity, batch),
        *_by_best_and_mean(pace, batch),
        *_by_best_and_mean(throughput, batch),
        _log(capacity / units.mean_demand),
        throughput / throughput.sum(-1, keepdim=True),
        fits.sum(-1).to(kind) / units.count,
    ]
    return torch.stack(columns, -1)


def _by_best_and_mean(value: Tensor, batch: Batch) -> tuple[Tensor, Tensor]:
    mean = value.sum(-1, keepdim=True) / batch.fitted.sum(-1, keepdim=True)
    return value / value.amax(-1, keepdim=True), value / mean


def _capacity(batch: Batch) -> Tensor:
    """Capacities, 0 for padding."""
    return batch.capacity.to(batch.points.dtype) * batch.fitted


def _pace(batch: Batch) -> Tensor:
    """Speeds, 0 for padding."""
    return batch.speed * batch.fitted


def _mean_leg(batch: Batch) -> Tensor:
    return (batch.distance[:, 0] + batch.distance[:, :, 0]) / 2


def _log(value: Tensor) -> Tensor:
    return value.clamp(1 / LIMIT, LIMIT).log()
