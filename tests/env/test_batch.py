from __future__ import annotations

import numpy as np
import pytest
import torch

from hcvrp import InputError, Instance, Objective, generate, paper_set
from hcvrp.env import World, collate
from hcvrp.layout import layout, own_scale, scale


def test_instances_of_different_sizes_are_padded() -> None:
    small = Instance([1, 2], [5], depot=[0, 0], customers=[[1, 0], [0, 1]])
    large = generate(4, 3, seed=1)
    batch = collate([small, large])
    assert batch.padded
    assert (batch.size, batch.nodes, batch.vehicles) == (2, 5, 3)
    assert batch.real.sum(1).tolist() == [3, 5]
    assert batch.fitted.sum(1).tolist() == [1, 3]
    assert batch.demand[0].tolist() == [0, 1, 2, 0, 0]
    assert batch.distance[0, 1].tolist() == pytest.approx([1, 0, 2**0.5, 0, 0])
    assert batch.capacity[1].tolist() == [20, 25, 30]
    assert not collate([large, large]).padded


def test_a_demand_within_the_tolerance_fills_a_largest_vehicle() -> None:
    full = Instance([10 * (1 + 9e-10), 1], [10, 9], depot=[0, 0], customers=[[1, 0], [0, 1]])
    batch = collate([full])
    assert batch.demand[0].tolist() == [0, 10 * (1 + 0.5e-9), 1]
    assert batch.room[0, 0] == batch.demand[0, 1]  # nothing fits beside it


def test_paper_instances_keep_their_points_and_distances() -> None:
    instance = paper_set("v3-c40")[0]
    batch = collate([instance], torch.float64)
    assert np.array_equal(batch.points[0].numpy(), instance.coordinates)
    assert batch.distance[0].numpy() == pytest.approx(instance.distances, rel=4e-16, abs=0)


def test_other_coordinates_are_scaled_into_the_unit_square() -> None:
    wide = Instance([1, 1], [2], depot=[100, 200], customers=[[500, 200], [100, 400]])
    batch = collate([wide], torch.float64)
    assert batch.points[0].tolist() == [[0, 0], [1, 0], [0, 0.5]]
    assert batch.distance[0, 0].tolist() == pytest.approx([0, 1, 0.5])


def test_distances_in_other_units_are_put_on_the_scale_of_the_points() -> None:
    points = np.array([[0, 0], [1, 0], [0, 1.0]])
    roads = 60 * np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    minutes = Instance([1, 1], [2], depot=points[0], customers=points[1:], distances=roads)
    batch = collate([minutes], torch.float64)
    assert batch.distance[0].numpy() == pytest.approx(roads / 60)


def test_each_of_a_mixed_batch_has_its_own_distances() -> None:
    planar = Instance([1, 2], [5], depot=[10, 20], customers=[[40, 20], [10, 60]])
    globe = Instance(
        [1, 1, 1],
        [5],
        depot=[48, 11],
        customers=[[48.1, 11], [48, 11.2], [49, 12]],
        metric="great-circle",
    )
    roads = np.array([[0, 3, 5.0], [4, 0, 6], [5, 6, 0]])
    matrix = Instance([1, 1], [5], distances=roads)
    same = Instance([1], [5], depot=[3, 3], customers=[[3, 3]])
    batched = [planar, globe, matrix, same]
    batch = collate(batched, torch.float64)
    for row, instance in enumerate(batched):
        n = instance.size + 1
        points = batch.points[row, :n].numpy()
        unit = own_scale(instance, points) or scale(points, instance.distances)
        assert batch.distance[row, :n, :n].numpy() == pytest.approx(instance.distances / unit)
        assert batch.distance[row, n:].abs().sum() + batch.distance[row, :, n:].abs().sum() == 0
    assert batch.distance[0, 0, :3].tolist() == pytest.approx([0, 0.75, 1])


def test_layout_recovers_points_from_their_distances() -> None:
    instance = generate(7, seed=3)
    bare = Instance(instance.demands, instance.vehicles, distances=instance.distances)
    points = layout(bare)
    again = np.hypot(*(points[:, None] - points).transpose(2, 0, 1))
    assert again == pytest.approx(instance.distances, abs=1e-7)


def test_coincident_points_make_a_batch() -> None:
    same = Instance([1, 1], [2], depot=[3, 3], customers=[[3, 3], [3, 3]])
    batch = collate([same])
    assert torch.isfinite(batch.points).all()
    assert batch.distance.abs().max() == 0


def test_worlds_draw_what_the_paper_describes() -> None:
    world = World.paper(40, 5, Objective.MIN_SUM)
    batch = world.draw(500, torch.Generator().manual_seed(1))
    assert batch.capacity[3].tolist() == [20, 25, 30, 35, 40]
    assert batch.speed[3].tolist() == pytest.approx([1 / 4, 1 / 5, 1 / 6, 1 / 7, 1 / 8])
    assert batch.demand[:, 0].abs().max() == 0
    assert sorted(set(batch.demand[:, 1:].flatten().tolist())) == list(range(1, 10))
    assert batch.demand[:, 1:].mean().item() == pytest.approx(5, abs=0.1)
    assert batch.points.mean().item() == pytest.approx(0.5, abs=0.01)
    apart = (batch.points[7, 3] - batch.points[7, 9]).norm().item()
    assert batch.distance[7, 3, 9].item() == pytest.approx(apart, rel=1e-5)


def test_worlds_are_drawn_by_seed() -> None:
    world = World.paper(5, 3, Objective.MIN_MAX)
    one, same, other = (world.draw(2, torch.Generator().manual_seed(s)) for s in (4, 4, 5))
    assert torch.equal(one.points, same.points)
    assert torch.equal(one.demand, same.demand)
    assert not torch.equal(one.points, other.points)


def test_bad_input_is_named() -> None:
    with pytest.raises(InputError, match="at least one instance"):
        collate([])
    with pytest.raises(InputError, match="customers must be at least 1, not 0"):
        World.paper(0, 3, Objective.MIN_MAX)
    with pytest.raises(InputError, match="not 2 and 1"):
        World(5, (20.0, 30.0), (1.0,))
    with pytest.raises(InputError, match=r"largest_demand .* not 40"):
        World(5, (30.0,), (1.0,), largest_demand=40)
