"""Where CUDA is missing, captured steps give way to plain ones; capture itself needs a GPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from hcvrp import generate
from hcvrp.env import advance, collate, graph, rollout
from hcvrp.env.graph import GraphedAdvance, best_advance, lasting_advance
from hcvrp.env.rollout import take_step
from hcvrp.env.tensors import constants, tensors
from hcvrp.policy import NetworkConfig, build

CONFIG = NetworkConfig("paper", 3, dim=16, heads=4, layers=1, feed_forward=16)


def test_on_a_cpu_steps_are_plain() -> None:
    assert best_advance(torch.device("cpu")) is advance
    assert lasting_advance(torch.device("cpu")) is advance


def test_records_tell_tensors_from_what_else_a_graph_is_bound_to() -> None:
    batch = collate([generate(4, 2, seed=1), generate(3, 2, seed=1)])
    assert list(constants(batch)) == [True]
    assert len(list(tensors(batch))) == 8
    config = NetworkConfig("fleet", dim=16, heads=4, layers=1, feed_forward=16, trips=False)
    decoder = build(config).encode(batch)
    assert list(constants(decoder)) == [10.0, False]
    assert list(constants(None)) == [None]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU, so capture would succeed")
def test_a_failed_capture_is_logged_once_and_changes_no_answer(
    caplog: pytest.LogCaptureFixture,
) -> None:
    batch = collate([generate(12, 3, seed=s) for s in (1, 2)])
    decoder = build(CONFIG).eval().encode(batch)
    graphed = GraphedAdvance()
    expected, got = rollout(batch, decoder), rollout(batch, decoder, advance=graphed)
    assert torch.equal(got.actions.node, expected.actions.node)
    assert torch.equal(got.times, expected.times)
    (said,) = (r.message for r in caplog.records)
    assert said.startswith("going on with steps that are not captured: ")


def test_within_a_larger_capture_its_steps_are_part_of_that(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = []

    def step(*given: Any) -> Any:
        taken.append(given)
        return take_step(*given)

    monkeypatch.setattr(graph, "capturing", lambda: True)
    batch = collate([generate(12, 3, seed=1)])
    decoder = build(CONFIG).eval().encode(batch)
    got = rollout(batch, decoder, advance=GraphedAdvance(step), steps=24)
    expected = rollout(batch, decoder, steps=24)
    assert torch.equal(got.actions.node, expected.actions.node)
    assert len(taken) == 24
    assert not caplog.records


@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
@pytest.mark.parametrize("samples", [1, 40])
def test_captured_steps_equal_plain_ones(samples: int) -> None:
    device = torch.device("cuda")
    batch = collate([generate(12, 3, seed=s) for s in range(6)], device=device)
    decoder = build(CONFIG).eval().requires_grad_(False).to(device).encode(batch)
    seeds = (torch.Generator(device).manual_seed(3) for _ in range(2))
    plain, graphed = (
        rollout(batch, decoder, samples, seed, how)
        for seed, how in zip(seeds, (advance, GraphedAdvance()), strict=True)
    )
    torch.testing.assert_close(graphed.times, plain.times)
    assert torch.equal(graphed.actions.node, plain.actions.node)
