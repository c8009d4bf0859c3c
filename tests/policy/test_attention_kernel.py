"""Few nodes: the kernels against plain attention, on a GPU or in Triton's interpreter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import torch
from torch import Tensor
from torch.nn import functional
from triton_device import DEVICE, GPU, needs_triton, without_its_warnings

from hcvrp import Objective
from hcvrp.env import Actions, Batch, World, log_prob, rollout
from hcvrp.env.log_prob import AllSteps, score_steps
from hcvrp.env.tensors import mapped
from hcvrp.policy import NetworkConfig, attention, build
from hcvrp.policy.attention import (
    ShortAttention,
    attend,
    glimpse,
    glimpse_backward,
    joined,
    packed_mask,
    self_attend,
    split,
)
from hcvrp.policy.network import Network

pytestmark = [needs_triton, without_its_warnings]


@pytest.mark.parametrize(("heads", "nodes", "padding"), [(2, 5, 0), (1, 16, 0), (4, 19, 7)])
def test_values_and_gradients_are_those_of_plain_attention(
    heads: int, nodes: int, padding: int
) -> None:
    torch.manual_seed(1)
    packed = torch.randn(3, nodes, 3 * heads * 16, device=DEVICE)
    mask = None
    if padding:
        mask = torch.arange(nodes, device=DEVICE).expand(3, -1) < nodes - padding
        mask = mask | (torch.arange(3, device=DEVICE)[:, None] == 1)  # one without any
    weight = torch.randn(3, nodes, heads * 16, device=DEVICE)
    plain, fast = packed.clone().requires_grad_(), packed.clone().requires_grad_()
    expected = self_attend(plain, heads, mask)
    found = ShortAttention.apply(fast, heads, mask)
    tolerance = 2e-3 if GPU else 1e-5  # products of float32 are TF32 there
    torch.testing.assert_close(found, expected, rtol=tolerance, atol=tolerance)
    (expected * weight).sum().backward()
    (found * weight).sum().backward()
    torch.testing.assert_close(fast.grad, plain.grad, rtol=tolerance, atol=10 * tolerance)


@pytest.mark.parametrize(
    ("heads", "queries", "nodes", "width"), [(2, 9, 5, 16), (1, 64, 33, 16), (2, 70, 101, 32)]
)
def test_glimpses_and_gradients_are_those_of_plain_attention(
    heads: int, queries: int, nodes: int, width: int
) -> None:
    case = glimpse_case(heads, queries, nodes, width)
    expected = gradients_of(attend, case)
    found = gradients_of(own_glimpse, case)
    tolerance = 2e-3 if GPU else 1e-5  # products of float32 are TF32 there
    for ours, plain in zip(found, expected, strict=True):
        torch.testing.assert_close(ours, plain, rtol=tolerance, atol=10 * tolerance)


def test_glimpses_in_half_precision_are_as_exact_as_it_is() -> None:
    half = torch.bfloat16 if GPU else torch.float16  # the interpreter cannot multiply bfloat16
    case = glimpse_case(heads=2, queries=70, nodes=41, width=16)
    expected = gradients_of(attend, Case(*(t.double() for t in case[:3]), *case[3:]))
    found = gradients_of(own_glimpse, Case(*(t.to(half) for t in case[:3]), *case[3:]))
    for ours, plain in zip(found, expected, strict=True):
        assert (ours - plain).norm() < 2 * torch.finfo(half).eps * plain.norm()


def test_a_query_that_may_attend_to_nothing_sees_zeros_and_has_no_gradient() -> None:
    case = glimpse_case(heads=2, queries=9, nodes=5, width=16)
    case.mask[1, 0, 3] = False
    out, by_query, by_key, by_value = gradients_of(own_glimpse, case)
    assert not out[1, 3].any()
    assert not by_query[1, :, 3].any()
    assert all(bool(t.isfinite().all()) for t in (out, by_query, by_key, by_value))


def test_a_mask_is_packed_bit_by_bit() -> None:
    mask = torch.zeros(1, 2, 35, dtype=torch.bool, device=DEVICE)
    mask[0, 0, [0, 3, 34]] = True
    mask[0, 1, [31, 32]] = True
    assert packed_mask(mask).tolist() == [[[1 + 8, 4], [-(2**31), 1]]]


def test_the_compiler_is_told_the_truth_about_the_operators() -> None:
    case = glimpse_case(heads=2, queries=9, nodes=5, width=16)
    words = packed_mask(case.mask[:, 0])
    inputs = [t.detach().requires_grad_() for t in (joined(case.query), case.key, case.value)]
    torch.library.opcheck(packed_mask, (case.mask[:, 0],))
    torch.library.opcheck(glimpse, (*inputs, words))
    detached = [t.detach() for t in inputs]
    torch.library.opcheck(glimpse_backward, (*detached, words, case.weight))


def test_compiled_glimpses_are_the_same_for_any_number_of_queries() -> None:
    backend = Watched()
    compiled = torch.compile(own_glimpse, backend=backend, fullgraph=True, dynamic=False)

    def marked(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
        for tensor in (query, mask):
            torch._dynamo.maybe_mark_dynamic(tensor, 2)
        return compiled(query, key, value, mask)

    for queries in (11, 70, 130):
        case = glimpse_case(heads=2, queries=queries, nodes=5, width=16)
        expected = gradients_of(own_glimpse, case)
        for ours, plain in zip(gradients_of(marked, case), expected, strict=True):
            assert torch.equal(ours, plain)
            assert ours.stride() == plain.stride()
    assert backend.glimpses == [1]


@pytest.mark.filterwarnings("ignore")  # the compiler looks at everything, and warns itself
@pytest.mark.parametrize(("kind", "glimpses"), [("paper", 1), ("fleet", 2)])
def test_the_compiled_gradient_pass_takes_them(
    monkeypatch: pytest.MonkeyPatch, kind: Any, glimpses: int
) -> None:
    config = NetworkConfig(
        kind, vehicles=3, dim=32, heads=2, layers=1, feed_forward=16, trips=False
    )
    network = build(config, seed=4).to(DEVICE)
    batch = World.paper(6, 3, Objective.MIN_MAX).draw(2, torch.Generator(DEVICE).manual_seed(7))
    made = rollout(batch, network.encode(batch), 2, torch.Generator(DEVICE).manual_seed(8)).actions
    longer = mapped(made, lambda t: functional.pad(t, (0, 2)))  # they wait at the depot
    expected = gradient_of(network, batch, made, score_steps)
    monkeypatch.setattr(attention, "_has_kernels", lambda _: True)
    backend = Watched()
    compiled = torch.compile(score_steps, backend=backend, fullgraph=True, dynamic=False)
    tolerance = 5e-2 if GPU else 1e-5
    for actions in (made, longer):
        for tensor in (actions.vehicle, actions.node):
            torch._dynamo.maybe_mark_dynamic(tensor, 2)
        found = gradient_of(network, batch, actions, compiled)
        for ours, plain in zip(found, expected, strict=True):
            assert (ours - plain).norm() <= tolerance * (1 + plain.norm())
    assert backend.glimpses == [glimpses]


class Case(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor
    mask: Tensor
    weight: Tensor


def glimpse_case(heads: int, queries: int, nodes: int, width: int) -> Case:
    """As the decoders give it: queries are heads cut out of (B, L, dim)."""
    torch.manual_seed(queries)
    query = split(torch.randn(2, queries, heads * width, device=DEVICE), heads)
    key, value = (torch.randn(2, heads, nodes, width, device=DEVICE) for _ in range(2))
    mask = torch.rand(2, 1, queries, nodes, device=DEVICE) < 0.4
    mask[..., 2] |= ~mask.any(-1)
    return Case(query, key, value, mask, torch.randn(2, queries, heads * width, device=DEVICE))


def own_glimpse(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> Tensor:
    return glimpse(joined(query), key, value, packed_mask(mask[:, 0]))


def gradients_of(attended: Callable[..., Tensor], case: Case) -> list[Tensor]:
    """What is seen, and the gradients of queries, keys and values."""
    inputs = [t.detach().requires_grad_() for t in (case.query, case.key, case.value)]
    out = attended(*inputs, case.mask)
    return [out, *torch.autograd.grad((out * case.weight).sum(), inputs)]


def gradient_of(
    network: Network, batch: Batch, actions: Actions, scored: AllSteps
) -> tuple[Tensor, ...]:
    score = log_prob(batch, network.encode(batch), actions, scored)
    weight = torch.tensor([1.0, -0.7], device=DEVICE)
    learned = list(network.parameters())
    found = torch.autograd.grad((score * weight).sum(), learned, allow_unused=True)
    return score, *(t for t in found if t is not None)


class Watched:
    """A compiler that generates no code, and how many glimpses each of its graphs held."""

    def __init__(self) -> None:
        self.glimpses: list[int] = []

    def __call__(self, graph: torch.fx.GraphModule, inputs: list[Tensor]) -> Any:
        self.glimpses.append(sum("hcvrp.glimpse" in str(n.target) for n in graph.graph.nodes))
        return torch._dynamo.lookup_backend("aot_eager")(graph, inputs)
