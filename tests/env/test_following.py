"""Given solutions, built in the policy's own order."""

from __future__ import annotations

import pytest
import torch

from hcvrp import Instance, Objective, Solution
from hcvrp.env import (
    Batch,
    Following,
    MixedWorld,
    collate,
    cost,
    instances,
    rollout,
    solutions,
    trips,
)
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.network import build
from hcvrp.solver import solve


def drawn() -> tuple[Batch, list[Instance]]:
    world = MixedWorld(12, (1, 2, 5), Objective.MIN_MAX)
    batch = world.draw(16, torch.Generator().manual_seed(3))
    return batch, instances(batch)


def undirected(solution: Solution) -> list[set[tuple[int, ...]]]:
    """The trips of each vehicle without order and direction."""
    return [{min(tuple(t), tuple(t)[::-1]) for t in route} for route in solution.routes]


def test_instances_are_those_of_the_batch() -> None:
    batch, problems = drawn()
    again = collate(problems)
    assert [len(i.vehicles) for i in problems] == batch.fitted.sum(-1).tolist()
    for row, instance in enumerate(problems):
        fleet = len(instance.vehicles)
        torch.testing.assert_close(
            torch.tensor(instance.distances, dtype=torch.float32),
            batch.distance[row],
        )
        assert torch.equal(again.demand[row].float(), batch.demand[row])
        torch.testing.assert_close(
            again.capacity[row, :fleet], batch.capacity[row, :fleet].double()
        )
        torch.testing.assert_close(again.speed[row, :fleet], batch.speed[row, :fleet])


@pytest.mark.parametrize("built", ["trips", "moves"])
@pytest.mark.parametrize("objective", list(Objective))
def test_what_comes_out_is_the_given_solution(objective: Objective, built: str) -> None:
    batch, problems = drawn()
    plans = [solve(i, objective, method="savings").solution for i in problems]
    config = NetworkConfig(
        "fleet", dim=16, heads=4, layers=1, feed_forward=16, trips=built == "trips"
    )
    decoder = build(config, seed=1).eval().encode(batch, objective)
    following = Following(decoder, trips(batch, plans))
    generator = torch.Generator().manual_seed(1)
    orders = set()
    for _ in range(3):
        outcome = rollout(batch, following, 1, generator)
        made = solutions(batch, outcome.actions)
        assert [undirected(s) for s in made] == [undirected(s) for s in plans]
        expected = [s.cost(i, objective) for i, s in zip(problems, plans, strict=True)]
        assert cost(outcome.times, objective)[:, 0].tolist() == pytest.approx(expected, rel=1e-5)
        orders.add(tuple(outcome.actions.node.flatten().tolist()))
    assert len(orders) == 3  # sampled: the policy decides


def test_coincident_points_and_trips_of_one_customer() -> None:
    instance = Instance([9, 9, 9], [9], depot=(0.5, 0.5), customers=[(0.1, 0.1)] * 3)
    plan = Solution([[[2], [1], [3]]])
    batch = collate([instance])
    config = NetworkConfig("fleet", dim=16, heads=4, layers=1, feed_forward=16)
    decoder = build(config, seed=2).eval().encode(batch, Objective.MIN_MAX)
    outcome = rollout(batch, Following(decoder, trips(batch, [plan])))
    assert undirected(solutions(batch, outcome.actions)[0]) == undirected(plan)
