from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from hcvrp import InputError, Instance, Objective, Solution, generate
from hcvrp.env import Batch, collate, rollout, solutions
from hcvrp.policy.config import NetworkConfig
from hcvrp.policy.decoding import Best, attempts, decode, symmetric
from hcvrp.policy.network import Network, build
from hcvrp.policy.settings import Decoding

INSTANCES = [generate(n, 3, seed=n) for n in (5, 8, 8, 3, 7)]


@pytest.fixture(scope="module")
def network() -> Network:
    config = NetworkConfig("paper", 3, dim=16, heads=4, layers=1, feed_forward=16)
    return build(config).eval().requires_grad_(False)


def answers(network: Network, seed: int = 1, **how: int | bool) -> tuple[Best, list[Solution]]:
    batch = collate(INSTANCES)
    best = decode(network, batch, Objective.MIN_SUM, Decoding(**how), seed=seed)  # type: ignore[arg-type]
    return best, solutions(batch, best.actions)


@pytest.mark.parametrize("samples", [0, 20])
@pytest.mark.parametrize("augment", [False, True])
def test_costs_are_those_of_the_referee(network: Network, samples: int, augment: bool) -> None:
    best, found = answers(network, samples=samples, augment=augment)
    for instance, answer, ours in zip(INSTANCES, found, best.cost.tolist(), strict=True):
        assert answer.violations(instance) == []
        assert answer.cost(instance, "min-sum") == pytest.approx(ours, abs=1e-5)


def test_the_same_seed_gives_the_same_answer(network: Network) -> None:
    first, same, other = (answers(network, seed, samples=4)[1] for seed in (1, 1, 2))
    assert first == same
    assert first != other


def test_more_attempts_are_never_worse(network: Network) -> None:
    greedy, _ = answers(network)
    eightfold, _ = answers(network, augment=True)
    assert (eightfold.cost <= greedy.cost).all()
    few, many = (answers(network, samples=s, rows=5)[0] for s in (1, 30))
    assert (many.cost <= few.cost).all()  # with 5 rows the first sample is common to both
    assert many.cost.sum() < few.cost.sum()


def test_a_cancelled_batch_has_answers_of_its_first_piece(network: Network) -> None:
    batch, whole = collate(INSTANCES), answers(network, rows=2)[0]
    part = decode(
        network, batch, Objective.MIN_SUM, Decoding(rows=2), seed=1, cancelled=lambda: True
    )
    assert part.cost.tolist() == whole.cost[:2].tolist()


def test_greedy_does_not_depend_on_the_memory_bound(network: Network) -> None:
    bounded, free = answers(network, rows=1)[1], answers(network, rows=1000)[1]
    assert bounded == free


def test_samples_are_spread_over_the_symmetries() -> None:
    assert Decoding(1280, augment=True).rollouts == 160
    assert Decoding(1280).rollouts == 1280
    assert Decoding(10, augment=True).rollouts == 2
    assert Decoding(0, augment=True).rollouts == 1


def test_the_eight_symmetries_differ_and_keep_distances() -> None:
    batch = collate([Instance([1], [2], depot=[0.1, 0.3], customers=[[1, 0.4]])], torch.float64)
    seen = {tuple(symmetric(batch, view).points.flatten().tolist()) for view in range(8)}
    assert len(seen) == 8
    for view in range(8):
        points = symmetric(batch, view).points[0]
        assert (points[0] - points[1]).norm() == pytest.approx(batch.distance[0, 0, 1].item())
    assert torch.equal(symmetric(batch, 0).points, batch.points)
    assert symmetric(batch, 5).points[0, 0].tolist() == pytest.approx([0.3, 0.9])


def test_a_view_is_the_same_in_the_encoder_and_at_every_step(network: Network) -> None:
    batch = collate(INSTANCES)
    views = attempts(network, batch, Objective.MIN_SUM, Decoding(augment=True))
    for view, best in enumerate(views):
        plain = decode(network, symmetric(batch, view), Objective.MIN_SUM, Decoding())
        assert best.actions.node.tolist() == plain.actions.node.tolist()
        assert best.cost.tolist() == plain.cost.tolist()


def test_sampling_follows_the_probabilities() -> None:
    """With scores log(1/6), log(2/6), log(3/6) the choices come as often as that."""

    class Fixed:
        trips = False

        def begin(self, samples: int) -> torch.Tensor:
            return torch.empty(1, samples, 0)

        def vehicle_scores(self, _: Batch, *rest: torch.Tensor) -> torch.Tensor:
            return torch.zeros(1, rest[1].shape[1], 1)

        def node_scores(self, _: Batch, *rest: torch.Tensor) -> torch.Tensor:
            mask = rest[2]
            scores = torch.tensor([0.0, 1, 2, 3]).log().expand_as(mask)
            return scores.masked_fill(~mask, -torch.inf)

        def remember(self, memory: torch.Tensor, *_: torch.Tensor) -> torch.Tensor:
            return memory

    batch = collate([generate(3, 1, seed=1)])
    generator = torch.Generator().manual_seed(3)
    for temperature in (1.0, 0.5):  # probabilities are 1 : 2 : 3, or their squares
        outcome = rollout(batch, Fixed(), 6000, generator, temperature=temperature)  # type: ignore[arg-type]
        first = torch.bincount(outcome.actions.node[0, :, 0], minlength=4) / 6000
        share = torch.tensor([0.0, 1, 2, 3]) ** (1 / temperature)
        torch.testing.assert_close(first, share / share.sum(), atol=0.02, rtol=0)


def test_the_fewer_customers_the_hotter_is_fleet_sampled() -> None:
    assert Decoding(1024).heat("fleet", 40) == 2
    assert Decoding(1024, augment=True).heat("fleet", 160) == 1.25
    assert Decoding(1024).heat("fleet", 5) == 3
    assert Decoding(1).heat("fleet", 40) == Decoding().heat("fleet", 40) == 1
    assert Decoding(1024).heat("paper", 40) == Decoding(1024).heat("am", 40) == 1
    assert Decoding(1024, temperature=1.5).heat("fleet", 40) == 1.5
    assert Decoding(1024, temperature=1.5).heat("paper", 40) == 1.5


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"samples": -1}, "samples must be a whole number of at least 0, not -1"),
        ({"samples": 2.5}, "samples must be a whole number of at least 0, not 2.5"),
        ({"rows": 0}, "rows must be a whole number of at least 1, not 0"),
        ({"augment": "yes"}, "augment must be true or false, not 'yes'"),
        ({"temperature": 0}, "temperature must be a number from 0.001 to 1000, not 0"),
        ({"temperature": "hot"}, "temperature must be a number from 0.001 to 1000, not 'hot'"),
        ({"temperature": True}, "temperature must be a number from 0.001 to 1000, not True"),
        ({"temperature": 1e37}, r"temperature must be a number from 0.001 to 1000, not 1e\+37"),
        ({"temperature": math.nan}, "temperature must be a number from 0.001 to 1000, not nan"),
    ],
)
def test_bad_parameters_are_named(bad: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        Decoding(**bad)
