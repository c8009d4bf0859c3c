"""Orthogonal steps for matrices, Adam's for the rest."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from small_fleet import small_config
from torch import nn

from hcvrp.training.fleet_config import FleetConfig
from hcvrp.training.loop import Limits, train
from hcvrp.training.muon import Muon, is_matrix, orthogonal
from hcvrp.training.sampling import SampleLearner

CPU = torch.device("cpu")


def config(optimizer: str = "muon") -> FleetConfig:
    return small_config(
        {"shapes": [{"customers": 6, "batch": 8}]},
        width=32,
        steps=3,
        samples=4,
        optimizer=optimizer,
        validation=8,
        sets=["v2-c5"],
    )


@pytest.mark.parametrize("shape", [(3, 40, 64), (2, 96, 32), (1, 48, 48)])
def test_all_singular_values_become_about_one(shape: tuple[int, ...]) -> None:
    given = torch.randn(shape, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    left, _, right = torch.linalg.svd(given, full_matrices=False)
    found = orthogonal(given)
    inside = left.mT @ found @ right.mT  # diagonal: the directions stay
    values = inside.diagonal(dim1=1, dim2=2)
    torch.testing.assert_close(inside, torch.diag_embed(values), rtol=0, atol=1e-9)
    assert values.min() > 0.3  # a square one may be nearly singular
    assert values.max() < 1.3
    torch.testing.assert_close(orthogonal(1e-3 * given), found, rtol=1e-2, atol=1e-3)


def test_the_first_step_by_hand() -> None:
    weight = nn.Parameter(torch.zeros(32, 64))
    gradient = torch.randn(32, 64, generator=torch.Generator().manual_seed(2))
    weight.grad = gradient.clone()
    Muon([weight], lr=0.5).step()
    # Momentum and gradient point the same way, so the step is that of the gradient: 0.5 · 0.2 · 8.
    torch.testing.assert_close(weight.data, -0.8 * orthogonal(gradient[None])[0])


def test_momentum_is_a_running_mean() -> None:
    weight = nn.Parameter(torch.zeros(32, 32))
    optimizer = Muon([weight], lr=0.0, momentum=0.75)
    for gradient in (torch.eye(32), torch.ones(32, 32)):
        weight.grad = gradient
        optimizer.step()
    kept = optimizer.state[weight]["momentum"]
    torch.testing.assert_close(kept, 0.75 * 0.25 * torch.eye(32) + 0.25 * torch.ones(32, 32))


def test_vectors_and_thin_matrices_follow_adam() -> None:
    generator = torch.Generator().manual_seed(3)
    ours = [nn.Parameter(torch.randn(shape, generator=generator)) for shape in ((9,), (5, 70))]
    assert not any(is_matrix(p) for p in ours)
    theirs = copy.deepcopy(ours)
    optimizers = [Muon(ours, lr=0.01), torch.optim.Adam(theirs, lr=0.01)]
    for _ in range(5):
        for one, other in zip(ours, theirs, strict=True):
            one.grad = torch.randn(one.shape, generator=generator)
            other.grad = one.grad.clone()
        for optimizer in optimizers:
            optimizer.step()
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_which_parameters_of_the_network_are_matrices() -> None:
    network = SampleLearner(config(), CPU).network
    chosen = {name for name, p in network.named_parameters() if is_matrix(p)}
    assert "encoder.layers.0.project.weight" in chosen
    assert "node_decoder.keys.weight" in chosen
    assert not chosen & {"encoder.customer.weight", "vehicle_decoder.out.weight"}
    assert not any(name.endswith("bias") for name in chosen)


def test_a_resumed_run_equals_an_unbroken_one(tmp_path: Path) -> None:
    whole = train(config(), tmp_path / "whole", CPU, Limits(2))
    for epochs in (1, 2):
        parts = train(config(), tmp_path / "parts", CPU, Limits(epochs), resume=True)
    plain = train(config("adam"), tmp_path / "plain", CPU, Limits(2))
    assert isinstance(whole.optimizer, Muon)
    for name, tensor in whole.network.state_dict().items():
        assert torch.equal(tensor, parts.network.state_dict()[name]), name
    name = "encoder.layers.0.join.weight"
    assert not torch.equal(whole.network.state_dict()[name], plain.network.state_dict()[name])
