from __future__ import annotations

import pytest
import torch

from hcvrp import InputError, Objective
from hcvrp.env import Batch, MixedWorld, cost, rollout
from hcvrp.policy import NetworkConfig, build

FLEETS = (1, 2, 3, 3, 5)


def draw(
    objective: Objective = Objective.MIN_MAX, count: int = 4000, clustered: float = 0.2
) -> Batch:
    world = MixedWorld(12, FLEETS, objective, clustered)
    return world.draw(count, torch.Generator().manual_seed(3))


def share(flags: torch.Tensor) -> float:
    return flags.float().mean().item()


def test_fleet_sizes_are_drawn_as_often_as_named() -> None:
    batch = draw()
    assert batch.padded
    sizes = batch.fitted.sum(-1)
    for m, expected in ((1, 0.2), (2, 0.2), (3, 0.4), (4, 0.0), (5, 0.2)):
        assert share(sizes == m) == pytest.approx(expected, abs=0.03)
    assert batch.fitted[:, 0].all()
    assert not MixedWorld(5, (4, 4), Objective.MIN_MAX).draw(2, torch.Generator()).padded


def test_capacities_are_the_papers_narrow_or_wide() -> None:
    capacity = draw().capacity
    paper = (capacity == torch.tensor([20, 25, 30, 35, 40])).all(-1)
    assert share(paper) == pytest.approx(0.5, abs=0.03)
    wide = ((capacity < 20) | (capacity > 40)).any(-1)
    assert share(wide) == pytest.approx(0.25, abs=0.03)
    assert (capacity.min(), capacity.max()) == (15, 100)
    assert torch.equal(capacity, capacity.round())


@pytest.mark.parametrize("objective", list(Objective))
def test_speeds_lean_to_the_objectives(objective: Objective) -> None:
    batch = draw(objective)
    equal = share((batch.speed == 1).all(-1))
    inverse = share((batch.speed * batch.capacity - 5).abs().amax(-1) < 1e-4)
    shares = (equal, inverse) if objective is Objective.MIN_MAX else (inverse, equal)
    assert shares == pytest.approx((0.5, 0.2), abs=0.03)


def test_customers_are_uniform_or_clustered() -> None:
    for clustered, low, high in ((0.0, 0.16, 0.17), (1.0, 0.03, 0.1)):
        batch = draw(clustered=clustered)
        assert batch.points.min() >= 0
        assert batch.points.max() <= 1
        customers = batch.distance[:, 1:, 1:] + 9 * torch.eye(12)
        assert low < customers.amin(-1).mean().item() < high
        assert batch.points[:, 0].mean().item() == pytest.approx(0.5, abs=0.02)


def test_the_same_seed_gives_the_same_instances() -> None:
    one, two = draw(count=3), draw(count=3)
    assert torch.equal(one.points, two.points)
    assert torch.equal(one.capacity, two.capacity)


def test_padded_vehicles_never_move() -> None:
    batch = draw(count=20)
    network = build(NetworkConfig("fleet", dim=16, heads=4, layers=1, feed_forward=16)).eval()
    outcome = rollout(batch, network.encode(batch), 4, torch.Generator().manual_seed(1))
    assert not outcome.times.masked_select(~batch.fitted[:, None]).any()
    assert cost(outcome.times, Objective.MIN_MAX).min() > 0


def test_bad_worlds_are_named() -> None:
    with pytest.raises(InputError, match="customers must be at least 1, not 0"):
        MixedWorld(0, (3,), Objective.MIN_MAX)
    with pytest.raises(InputError, match=r"vehicles must be one or more numbers from 1, not \(\)"):
        MixedWorld(5, (), Objective.MIN_MAX)
    with pytest.raises(InputError, match=r"clustered must lie between 0 and 1, not 1\.5"):
        MixedWorld(5, (3,), Objective.MIN_MAX, 1.5)
