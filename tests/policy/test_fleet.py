"""One network for any fleet: no units, no order, no size, both objectives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import hcvrp
from hcvrp import Instance, Objective, Solution, Vehicle, generate
from hcvrp.env import (
    Batch,
    collate,
    initial,
    node_mask,
    rollout,
    solutions,
    step,
    vehicle_mask,
)
from hcvrp.env.tensors import mapped
from hcvrp.policy import NetworkConfig, build
from hcvrp.policy.fleet import FleetDecoder, FleetNetwork
from hcvrp.policy.fleet.features import customer_features, depot_features, vehicle_features
from hcvrp.policy.fleet.outlook import lookout, outlook
from hcvrp.policy.fleet.scales import scales

SMALL = NetworkConfig("fleet", dim=16, heads=4, layers=2, feed_forward=24)
BOTH = tuple(Objective)


def network(config: NetworkConfig = SMALL) -> FleetNetwork:
    made = build(config, seed=5).double().eval().requires_grad_(False)
    assert isinstance(made, FleetNetwork)
    for parameter in made.parameters():
        parameter.mul_(2)  # livelier than the initial weights, so that choices differ
    return made


def double(batch: Batch) -> Batch:
    return mapped(batch, lambda t: t.double() if t.is_floating_point() else t)


def batch_of(*instances: Instance) -> Batch:
    return double(collate(instances, torch.float64))


def greedy(instance: Instance, objective: Objective, config: NetworkConfig = SMALL) -> Solution:
    batch = batch_of(instance)
    decoder = network(config).encode(batch, objective)
    return solutions(batch, rollout(batch, decoder).actions)[0]


def logits(instance: Instance, objective: Objective) -> tuple[torch.Tensor, torch.Tensor]:
    """Vehicle scores at the start, and node scores of vehicle 0 after it has served customer 1."""
    batch = batch_of(instance)
    decoder = network().encode(batch, objective)
    state, memory = initial(batch, 1), decoder.begin(1)
    vehicle = decoder.vehicle_scores(batch, state, memory, vehicle_mask(batch, state))
    first = torch.zeros(1, 1, dtype=torch.int64)
    state = step(batch, state, first, first + 1)
    mask = node_mask(batch, state, first)
    return vehicle[0, 0], decoder.node_scores(batch, state, first, mask)[0, 0]


def mixed_instance(n: int = 9, seed: int = 4) -> Instance:
    fleet = [Vehicle(20, 0.9), Vehicle(33, 0.5), Vehicle(27, 0.7)]
    return generate(n, fleet=fleet, seed=seed)


def rebuilt(
    instance: Instance,
    *,
    distance: float = 1.0,
    demand: float = 1.0,
    speed: float = 1.0,
    vehicles: list[int] | None = None,
    customers: list[int] | None = None,
) -> Instance:
    """The same instance in other units or another order (positions of the old ones)."""
    fleet = vehicles or list(range(len(instance.vehicles)))
    order = customers or list(range(instance.size))
    points = instance.coordinates
    assert points is not None
    return Instance(
        instance.demands[order] * demand,
        [
            Vehicle(instance.vehicles[v].capacity * demand, instance.vehicles[v].speed * speed)
            for v in fleet
        ],
        depot=points[0] * distance,
        customers=points[1:][order] * distance,
    )


@pytest.mark.parametrize("objective", BOTH)
@pytest.mark.parametrize("unit", ["distance", "demand", "speed"])
@pytest.mark.parametrize("factor", [1 / 60, 3.7, 1e6])
def test_units_do_not_matter(objective: Objective, unit: str, factor: float) -> None:
    instance = mixed_instance()
    other = rebuilt(instance, **{unit: factor})
    for got, expected in zip(logits(other, objective), logits(instance, objective), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-6, atol=1e-6)
    assert greedy(other, objective) == greedy(instance, objective)


@pytest.mark.parametrize("objective", BOTH)
def test_the_order_of_vehicles_does_not_matter(objective: Objective) -> None:
    instance = mixed_instance()
    order = [2, 0, 1]
    other = rebuilt(instance, vehicles=order)
    expected, _ = logits(instance, objective)
    got, _ = logits(other, objective)
    torch.testing.assert_close(got, expected[order], rtol=1e-9, atol=1e-9)
    routes = greedy(other, objective).routes
    plain = greedy(instance, objective).routes
    assert [routes[order.index(v)] for v in range(3)] == list(plain)


@pytest.mark.parametrize("objective", BOTH)
def test_the_order_of_customers_does_not_matter(objective: Objective) -> None:
    instance = mixed_instance()
    order = [0, 5, 8, 2, 7, 1, 3, 6, 4]  # customer 1 stays first: `logits` sends a vehicle there
    other = rebuilt(instance, customers=order)
    for one, two in zip(logits(other, objective), logits(instance, objective), strict=True):
        expected = two if len(two) == 3 else two[[0, *(c + 1 for c in order)]]
        torch.testing.assert_close(one, expected, rtol=1e-9, atol=1e-9)
    renamed = [
        tuple(tuple(order[c - 1] + 1 for c in trip) for trip in trips)
        for trips in greedy(other, objective).routes
    ]
    assert renamed == list(greedy(instance, objective).routes)


def test_the_objective_matters() -> None:
    one, two = (logits(mixed_instance(), objective)[1] for objective in BOTH)
    assert (one - two)[one.isfinite()].abs().max() > 1e-3


@pytest.mark.parametrize("trips", [True, False])
def test_padding_changes_nothing(trips: bool) -> None:
    net = network(replace(SMALL, trips=trips))
    small, large = mixed_instance(6), generate(9, 7, seed=2)
    alone, together = batch_of(small), batch_of(small, large)
    mine, ours = rollout(alone, net.encode(alone)), rollout(together, net.encode(together))
    steps = min(mine.actions.node.shape[2], ours.actions.node.shape[2])
    torch.testing.assert_close(mine.times[0], ours.times[0, :, :3])
    assert not ours.times[0, :, 3:].any()
    assert torch.equal(mine.actions.node[0, :, :6], ours.actions.node[0, :, :6])
    assert solutions(together, ours.actions)[0] == solutions(alone, mine.actions)[0]
    assert steps >= 6


@pytest.mark.parametrize("vehicles", [1, 3, 7])
@pytest.mark.parametrize("objective", BOTH)
@pytest.mark.parametrize("trips", [True, False])
def test_every_fleet_gets_feasible_routes(vehicles: int, objective: Objective, trips: bool) -> None:
    instance = generate(12, vehicles, seed=vehicles)
    batch = collate([instance])
    decoder = build(replace(SMALL, trips=trips)).eval().encode(batch, objective)
    outcome = rollout(batch, decoder, 8, torch.Generator().manual_seed(1))
    for sample in range(8):
        actions = mapped(outcome.actions, lambda t, s=sample: t[:, s : s + 1])
        answer = solutions(batch, actions)[0]
        assert answer.violations(instance) == []
        times = outcome.times[0, sample].numpy()
        assert times == pytest.approx(answer.vehicle_times(instance), rel=1e-5)


def test_nasty_instances_get_feasible_routes(nasty: hcvrp.Instance) -> None:
    for objective in BOTH:
        batch = collate([nasty])
        decoder = build(SMALL).eval().encode(batch, objective)
        outcome = rollout(batch, decoder, 2, torch.Generator().manual_seed(1))
        assert solutions(batch, outcome.actions)[0].violations(nasty) == []


def test_asymmetric_distances_count_in_their_direction() -> None:
    rng = np.random.default_rng(2)
    roads = rng.uniform(1, 9, size=(8, 8))
    np.fill_diagonal(roads, 0)
    one = Instance(rng.integers(1, 9, 7), [10, Vehicle(12, 0.5)], distances=roads)
    back = Instance(one.demands, one.vehicles, distances=roads.T)
    assert (logits(one, BOTH[0])[1] - logits(back, BOTH[0])[1]).nan_to_num().abs().max() > 1e-3
    minutes = Instance(one.demands, one.vehicles, distances=roads * 60)
    assert greedy(minutes, BOTH[0]) == greedy(one, BOTH[0])


def test_trip_by_trip_one_vehicle_is_out_at_a_time() -> None:
    batch = batch_of(*(generate(12, 4, seed=s) for s in range(4)))
    outcome = rollout(batch, network().encode(batch), 5, torch.Generator().manual_seed(3))
    state = initial(batch, 5)
    for t in range(outcome.actions.node.shape[2]):
        state = step(batch, state, outcome.actions.vehicle[..., t], outcome.actions.node[..., t])
        assert int((state.position != 0).sum(-1).max()) <= 1


def test_the_trip_mask_by_hand() -> None:
    batch = batch_of(generate(5, 3, seed=1))
    state = initial(batch, 1)
    assert vehicle_mask(batch, state, trips=True)[0, 0].tolist() == [True, True, True]
    second = torch.ones(1, 1, dtype=torch.int64)
    out = step(batch, state, second, 3 * second)
    assert vehicle_mask(batch, out, trips=True)[0, 0].tolist() == [False, True, False]
    assert vehicle_mask(batch, out)[0, 0].tolist() == [True, True, True]


def square() -> Batch:
    """Two customers at distances 3 and 4 from the depot and 5 from each other."""
    instance = Instance(
        [2, 6],
        [Vehicle(10, 1), Vehicle(5, 2)],
        depot=[0, 0],
        customers=[[3, 0], [0, 4]],
    )
    return batch_of(instance)


def test_scales_by_hand() -> None:
    batch = square()  # laid out in the unit square: all lengths by 4
    units = scales(batch)
    assert units.length.item() == pytest.approx((3 + 4 + 5) / 3 / 4)
    assert units.gaps[0].tolist() == pytest.approx([0, 3 / 4, 4 / 4])
    assert units.gap.item() == pytest.approx(3.5 / 4)
    radial, crossing = (2 * 2 * 3 + 2 * 6 * 4) / 20 / 4, (3 + 4) / 3 / 4
    assert units.time.item() == pytest.approx(radial + crossing)
    assert units.work.sum().item() == pytest.approx(1)
    assert units.mean_demand.item() == 4


def test_features_by_hand() -> None:
    batch = square()
    units = scales(batch)
    vehicles = vehicle_features(batch, units)[0]
    small = [5 / 10, 5 / 7.5, 1, 2 / 1.5, 1, 1, np.log(5 / 4), 0.5, 1 / 2]
    assert vehicles[1].tolist() == pytest.approx(small)
    customer = customer_features(batch, units)[0, 2].tolist()
    assert customer[:4] == pytest.approx([0, 1, 1, 1])
    assert customer[6:10] == pytest.approx([6 / 10, 6 / 7.5, 6 / 5, 6 / 4])
    assert customer[11] == 1 / 2
    depot = depot_features(batch, units)[0].tolist()
    assert depot[:3] == pytest.approx([1.5 / 4, 2 / 4, 3.5 / 4])
    assert depot[4:6] == pytest.approx([np.log(8 / 15), np.log(7.5 / 4)])


def test_the_outlook_by_hand() -> None:
    batch = square()
    units = scales(batch)
    state = initial(batch, 1)
    start = outlook(batch, state, lookout(batch, units))
    assert start.context[0, 0].tolist() == pytest.approx([1, 1, 1, 0, 1])
    assert start.vehicles[0, 0].tolist() == [pytest.approx([0, 1, 0, 1, 0])] * 2
    first = torch.zeros(1, 1, dtype=torch.int64)
    later = outlook(batch, step(batch, state, first, first + 2), lookout(batch, units))
    time = 2 / units.time.item()  # out and home again, 1 each, at speed 1
    left = units.work[0, 1].item()
    level = 0.5 * time + left
    assert later.context[0, 0].tolist() == pytest.approx([2 / 8, left, 1 / 2, time, level])
    assert later.vehicles[0, 0, 0].tolist() == pytest.approx([time, level - time, 0, 0.4, 1])
    assert later.vehicles[0, 0, 1].tolist() == pytest.approx([0, level, time, 1, 0])


def test_no_weight_knows_a_size() -> None:
    shapes = [tuple(p.shape) for p in build(SMALL).parameters()]
    other = [tuple(p.shape) for p in build(replace(SMALL, vehicles=8)).parameters()]
    assert shapes == other


@settings(max_examples=25)
@given(
    n=st.integers(1, 8),
    fleet=st.lists(st.tuples(st.integers(9, 60), st.floats(0.1, 3)), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
    factor=st.floats(0.01, 100),
)
def test_any_instance_any_unit(
    n: int, fleet: list[tuple[int, float]], seed: int, factor: float
) -> None:
    instance = generate(n, fleet=[Vehicle(q, s) for q, s in fleet], seed=seed)
    other = rebuilt(instance, distance=factor, demand=1 / factor, speed=factor**2)
    for got, expected in zip(logits(other, BOTH[1]), logits(instance, BOTH[1]), strict=True):
        torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)
    answer = greedy(instance, BOTH[1])
    assert answer.violations(instance) == []


def test_the_decoder_is_a_record() -> None:
    batch = batch_of(mixed_instance())
    decoder = network().encode(batch)
    assert isinstance(decoder, FleetDecoder)
    assert decoder.trips
    assert decoder.nodes.ways.shape == (1, 10, 20)
