"""The decision process, checked by hand and by the referee."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from hcvrp import Instance, Objective, Vehicle
from hcvrp.env import (
    Actions,
    State,
    collate,
    cost,
    initial,
    node_mask,
    solutions,
    step,
    vehicle_mask,
    vehicle_times,
)
from hcvrp.layout import own_scale

LINE = Instance([4, 3, 2], [Vehicle(6, 1.0), Vehicle(3, 0.5)], depot=[0, 0],
                customers=[[0.3, 0], [0.6, 0], [1.0, 0]])  # fmt: skip
"""A depot and three customers on a line; the second vehicle cannot carry customer 1."""


def at(*values: int) -> Tensor:
    return torch.tensor([[*values]])


def drive(instance: Instance, moves: list[tuple[int, int]]) -> State:
    batch = collate([instance])
    state = initial(batch, 1)
    for vehicle, node in moves:
        state = step(batch, state, at(vehicle), at(node))
    return state


def test_a_hand_worked_rollout() -> None:
    batch = collate([LINE])
    state = drive(LINE, [(0, 1), (1, 2), (0, 3)])
    assert state.position.tolist() == [[[3, 2]]]
    assert state.remaining[0, 0].tolist() == pytest.approx([0, 0], abs=1e-7)
    assert state.time[0, 0].tolist() == pytest.approx([0.3 + 0.7, 0.6 / 0.5])
    assert state.finished.tolist() == [[True]]
    times = vehicle_times(batch, state)
    assert times[0, 0].tolist() == pytest.approx([2.0, 2.4])
    assert cost(times, Objective.MIN_MAX).item() == pytest.approx(2.4)
    assert cost(times, Objective.MIN_SUM).item() == pytest.approx(4.4)


def test_the_load_is_full_again_at_the_depot() -> None:
    state = drive(LINE, [(0, 1), (0, 0)])
    assert state.remaining[0, 0].tolist() == pytest.approx([6, 3])
    assert state.time[0, 0, 0].item() == pytest.approx(0.6)


def test_masks_by_hand() -> None:
    batch = collate([LINE])
    start = initial(batch, 1)
    assert vehicle_mask(batch, start).tolist() == [[[True, True]]]
    # At the depot with somebody to serve, staying is not allowed; customer 1 is too large for 1.
    assert node_mask(batch, start, at(0)).tolist() == [[[False, True, True, True]]]
    assert node_mask(batch, start, at(1)).tolist() == [[[False, False, True, True]]]
    # Vehicle 0 carries 4 of 6: customer 2 (3) no longer fits, 3 (2) does, home is allowed.
    state = drive(LINE, [(0, 1)])
    assert node_mask(batch, state, at(0)).tolist() == [[[True, False, False, True]]]
    # Nobody fits any more: home is all that is left.
    state = drive(LINE, [(0, 1), (0, 3)])
    assert node_mask(batch, state, at(0)).tolist() == [[[True, False, False, False]]]


def test_a_vehicle_at_the_depot_that_nobody_fits_may_not_move() -> None:
    batch = collate([LINE])
    state = drive(LINE, [(0, 2), (0, 3), (0, 0)])  # customer 1, too large for vehicle 1, waits
    assert vehicle_mask(batch, state).tolist() == [[[True, False]]]


def test_finished_rows_do_nothing() -> None:
    batch = collate([LINE])
    done = drive(LINE, [(0, 1), (1, 2), (0, 3)])
    assert vehicle_mask(batch, done).any()
    assert node_mask(batch, done, at(0)).tolist() == [[[True, False, False, False]]]
    after = step(batch, done, at(0), at(0))
    assert torch.equal(after.position, done.position)
    assert torch.equal(after.time, done.time)
    assert torch.equal(after.remaining, done.remaining)


def test_loads_follow_the_referee_where_float32_would_not() -> None:
    instance = Instance([0.1] * 3, [0.3], depot=[0, 0], customers=[[0, 1], [1, 1], [1, 0]])
    batch = collate([instance])
    state = drive(instance, [(0, 1), (0, 2)])
    assert node_mask(batch, state, at(0)).tolist() == [[[True, False, False, True]]]
    tight = Instance([0.1, 0.2, 0.300001], [0.3000005, 1], depot=[0, 0], customers=[[0, 1]] * 3)
    assert node_mask(collate([tight]), initial(collate([tight]), 1), at(0)).tolist() == [
        [[False, True, True, False]]
    ]


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 4))
    coordinate = st.integers(0, 4).map(lambda k: k / 4)  # coincident points are common
    points = draw(st.lists(st.tuples(coordinate, coordinate), min_size=n + 1, max_size=n + 1))
    capacities = draw(st.lists(st.integers(1, 9), min_size=m, max_size=m))
    demand = st.integers(0, max(capacities)).map(float)
    speeds = draw(st.lists(st.sampled_from([0.25, 0.7, 1.0, 3.0]), min_size=m, max_size=m))
    vehicles = [Vehicle(q, f) for q, f in zip(capacities, speeds, strict=True)]
    demands = draw(st.lists(demand, min_size=n, max_size=n))
    return Instance(demands, vehicles, depot=points[0], customers=points[1:])


@given(st.lists(instances(), min_size=1, max_size=3), st.integers(0, 1000))
@settings(max_examples=60, deadline=None)
def test_any_allowed_actions_end_in_feasible_solutions(batched: list[Instance], seed: int) -> None:
    batch = collate(batched)
    generator = torch.Generator().manual_seed(seed)
    state = initial(batch, 1)
    vehicles, nodes = [], []
    for _ in range(2 * (batch.nodes - 1)):
        vehicle = _any(vehicle_mask(batch, state), generator)
        node = _any(node_mask(batch, state, vehicle), generator)
        state = step(batch, state, vehicle, node)
        vehicles.append(vehicle)
        nodes.append(node)
    assert state.finished.all()
    times = vehicle_times(batch, state)
    actions = Actions(torch.stack(vehicles, -1), torch.stack(nodes, -1))
    for row, (instance, answer) in enumerate(zip(batched, solutions(batch, actions), strict=True)):
        assert answer.violations(instance) == []
        for objective in Objective:
            unit = own_scale(instance, batch.points[row, : instance.size + 1].numpy())
            assert unit is not None
            ours = cost(times, objective)[row].item() * unit
            assert ours == pytest.approx(answer.cost(instance, objective), abs=1e-5)


def _any(mask: Tensor, generator: torch.Generator) -> Tensor:
    """One of the allowed, (B, L)."""
    assert mask.any(-1).all()
    return torch.multinomial(mask[:, 0].float(), 1, generator=generator)
