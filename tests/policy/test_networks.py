"""The networks against the paper's formulas, written out plainly."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch
from torch import Tensor
from torch.nn import functional

from hcvrp import InputError, Instance, Vehicle, generate
from hcvrp.env import Batch, collate, initial, node_mask, rollout, step, vehicle_mask
from hcvrp.env.tensors import mapped
from hcvrp.policy.attention import FEW_QUERIES, attend
from hcvrp.policy.config import KINDS, NetworkConfig
from hcvrp.policy.network import AttentionModel, Network, PaperDecoder, PaperNetwork, build

SMALL = NetworkConfig("paper", 3, dim=16, heads=4, layers=2, feed_forward=24)


def double(batch: Batch) -> Batch:
    return mapped(batch, lambda t: t.double() if t.is_floating_point() else t)


def network(config: NetworkConfig = SMALL) -> Network:
    return build(config, seed=5).double().eval().requires_grad_(False)


def batch_of(*sizes: int, vehicles: int = 3) -> Batch:
    return double(collate([generate(n, vehicles, seed=n) for n in sizes]))


def paper_parts(batch: Batch) -> tuple[PaperNetwork, PaperDecoder]:
    net = network()
    decoder = net.encode(batch)
    assert isinstance(net, PaperNetwork)
    assert isinstance(decoder, PaperDecoder)
    return net, decoder


def test_paper_features_are_shares_of_each_capacity() -> None:
    instance = Instance([4, 6], [20, 25, 30], depot=[0, 0.5], customers=[[1, 0], [0.5, 1]])
    features = network().features(double(collate([instance])))
    assert features[0, 1].tolist() == pytest.approx([1, 0, 4 / 20, 4 / 25, 4 / 30])
    assert features[0, 2].tolist() == pytest.approx([0.5, 1, 6 / 20, 6 / 25, 6 / 30])


def test_am_features_are_shares_of_the_largest_capacity() -> None:
    instance = Instance([4, 6], [20, 30], depot=[0, 0.5], customers=[[1, 0], [0.5, 1]])
    config = replace(SMALL, kind="am")
    padded = double(collate([instance, generate(2, 4, seed=1)]))
    features = network(config).features(padded)
    assert features[0, 1].tolist() == pytest.approx([1, 0, 4 / 30])


def test_node_scores_follow_the_paper_step_by_step() -> None:
    batch = batch_of(6, 6)
    net, decoder = paper_parts(batch)
    vehicle = torch.tensor([[1], [2]])
    state = step(batch, initial(batch, 1), vehicle, torch.tensor([[3], [5]]))
    mask = node_mask(batch, state, vehicle)
    scores = decoder.node_scores(batch, state, vehicle, mask)

    d, h = net.node_decoder, decoder.nodes
    for row, (v, node) in enumerate([(1, 3), (2, 5)]):
        left = state.remaining[row, 0, v]
        context = torch.cat([h[row].mean(0), h[row, node], left[None]])  # eq. 28
        query, key, value = d.context(context), d.key(h[row]), d.value(h[row])
        heads = []
        for y in range(4):  # eq. 29
            part = slice(4 * y, 4 * y + 4)
            u = key[:, part] @ query[part] / math.sqrt(4)
            heads.append(u.masked_fill(~mask[row, 0], -math.inf).softmax(0) @ value[:, part])
        glimpse = d.join(torch.cat(heads))
        u = 10 * torch.tanh(d.compare_key(h[row]) @ d.compare_query(glimpse) / math.sqrt(16))
        expected = u.masked_fill(~mask[row, 0], -math.inf)  # eq. 30
        torch.testing.assert_close(scores[row, 0], expected)


def test_vehicle_scores_follow_the_paper_step_by_step() -> None:
    batch = batch_of(6)
    net, decoder = paper_parts(batch)
    d, h = net.vehicle_decoder, decoder.nodes[0]
    state, memory = initial(batch, 1), decoder.begin(1)
    routes: list[list[int]] = [[0], [0], [0]]
    for number, (v, node) in enumerate([(0, 2), (2, 4), (0, 1), (0, 0), (1, 6)]):
        mask = vehicle_mask(batch, state)
        scores = decoder.vehicle_scores(batch, state, memory, mask)[0, 0]
        features = torch.cat(
            [
                torch.cat([batch.points[0, route[-1]], state.time[0, 0, k, None]])
                for k, route in enumerate(routes)
            ]
        )  # eq. 20
        pooled = torch.cat([h[route].amax(0) for route in routes])  # eq. 22 to 24
        if number == 0:
            pooled = torch.zeros_like(pooled)
        vehicle = _feed(features, d.vehicle, d.vehicle_widen, d.vehicle_narrow)  # eq. 21
        route = _feed(pooled, d.route, d.route_widen, d.route_narrow)  # eq. 25
        torch.testing.assert_close(scores, d.join(torch.cat([vehicle, route])))  # eq. 26
        routes[v].append(node)
        chosen, place = torch.tensor([[v]]), torch.tensor([[node]])
        state = step(batch, state, chosen, place)
        memory = decoder.remember(memory, chosen, place)


def _feed(x: Tensor, *layers: torch.nn.Module) -> Tensor:
    first, widen, narrow = layers
    return narrow(functional.relu(widen(first(x))))  # type: ignore[no-any-return]


def test_padding_changes_nothing() -> None:
    small, large = generate(5, 3, seed=1), generate(9, 3, seed=2)
    for kind in ("paper", "am"):
        net = network(replace(SMALL, kind=kind))
        alone, together = double(collate([small])), double(collate([small, large]))
        mine, ours = rollout(alone, net.encode(alone)), rollout(together, net.encode(together))
        steps = mine.actions.node.shape[2]
        assert torch.equal(mine.actions.node[0], ours.actions.node[0, :, :steps])
        torch.testing.assert_close(mine.times[0], ours.times[0])


def test_am_vehicles_move_by_turns_and_those_that_cannot_are_skipped() -> None:
    instance = Instance(
        [1, 5, 5, 5, 5],
        [Vehicle(10), Vehicle(2), Vehicle(10)],
        depot=[0, 0],
        customers=[[1, 0], [0, 1], [1, 1], [0.5, 1], [1, 0.5]],
    )
    batch = double(collate([instance]))
    decoder = network(replace(SMALL, kind="am")).encode(batch)
    state, memory, turns = initial(batch, 1), decoder.begin(1), []
    for node in (1, 2, 3, 0, 4, 5):  # vehicle 0 takes the only customer that vehicle 1 could
        scores = decoder.vehicle_scores(batch, state, memory, vehicle_mask(batch, state))
        vehicle = scores.argmax(-1)
        assert scores.exp().sum() == 1
        turns.append(int(vehicle))
        state = step(batch, state, vehicle, torch.tensor([[node]]))
    assert turns == [0, 2, 0, 2, 0, 2]


def test_am_takes_any_fleet() -> None:
    net = network(replace(SMALL, kind="am"))
    assert isinstance(net, AttentionModel)
    for vehicles in (1, 3, 7):
        batch = batch_of(6, vehicles=vehicles)
        assert rollout(batch, net.encode(batch)).times.shape == (1, 1, vehicles)


def test_both_ways_of_attention_agree() -> None:
    torch.manual_seed(1)
    queries = 2 * FEW_QUERIES
    query, key, value = (torch.randn(2, 4, n, 4).double() for n in (queries, 7, 7))
    mask = torch.rand(2, 1, queries, 7) < 0.5
    mask[..., 0] = True
    whole = attend(query, key, value, mask)
    halves = [
        attend(query[:, :, part], key, value, mask[:, :, part])
        for part in (slice(FEW_QUERIES), slice(FEW_QUERIES, None))
    ]
    torch.testing.assert_close(whole, torch.cat(halves, 1))


def test_bad_dimensions_are_named() -> None:
    with pytest.raises(InputError, match="heads must divide dim 128, not 7"):
        NetworkConfig(heads=7)
    with pytest.raises(InputError, match="layers must be positive, not 0"):
        NetworkConfig(layers=0)
    with pytest.raises(InputError, match=r"policy dim must be a whole number, not 128\.0"):
        NetworkConfig(dim=128.0)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=f"kind must be one of {', '.join(KINDS)}, not 'rnn'"):
        NetworkConfig("rnn")  # type: ignore[arg-type]
