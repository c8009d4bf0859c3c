"""Log-probabilities of chosen nodes, with their gradient, by kernels on a GPU."""

from __future__ import annotations

import logging
import math
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from hcvrp.env import Batch, Decoder, NodeLogProb, State, node_log_prob
from hcvrp.env.tensors import mapped
from hcvrp.policy.fleet.fused import BITS, LEAST, installed, power_of_two, precision, suits
from hcvrp.policy.fleet.network import FleetDecoder
from hcvrp.policy.fleet.node_decoder import PAIRS, WAYS, NodeScorer, Question
from hcvrp.policy.fleet.outlook import outlook

logger = logging.getLogger(__name__)

ROWS, FEW_ROWS = 64, 16
"""States that a program takes at a time; fewer where it takes them once for each head."""


def fastest_log_prob(device: torch.device) -> NodeLogProb:
    """By kernels where the device and Triton allow it."""
    return FusedLogProb() if device.type == "cuda" and installed() else node_log_prob


class FusedLogProb:
    """`env.node_log_prob` by kernels, for `fleet` decoders that suit them.

    Kernels are rehearsed once, since a failure in the backward pass of an update would come too
    late; where they fail, the plain way goes on, and one line in the log says so.
    """

    def __init__(self) -> None:
        self._works: dict[Any, bool] = {}

    def __call__(
        self,
        batch: Batch,
        decoder: Decoder,
        state: State,
        vehicle: Tensor,
        node: Tensor,
        mask: Tensor,
    ) -> Tensor:
        """Log π of `node` for the chosen `vehicle`, (B, L)."""
        if isinstance(decoder, FleetDecoder) and suits(batch, decoder) and self._can(decoder.nodes):
            return fused_log_prob(batch, decoder, state, vehicle, node, mask)
        return node_log_prob(batch, decoder, state, vehicle, node, mask)

    def _can(self, scorer: NodeScorer) -> bool:
        from triton.errors import TritonError

        _, heads, _, width = scorer.key.shape
        variant = (heads, width, _block(scorer.key), scorer.key.dtype)
        if variant not in self._works:
            try:
                rehearse(scorer)
                self._works[variant] = True
            except (RuntimeError, TritonError) as error:
                logger.warning("the log-probability kernels failed, going on without: %s", error)
                self._works[variant] = False
        return self._works[variant]


def fused_log_prob(
    batch: Batch, decoder: FleetDecoder, state: State, vehicle: Tensor, node: Tensor, mask: Tensor
) -> Tensor:
    """Log π of `node` for the chosen `vehicle`, (B, L), without a tensor of all scores."""
    seen = outlook(batch, state, decoder.lookout)
    question = decoder.nodes.question(state, seen, vehicle)
    return _apply(decoder.nodes, question, node, mask)


@torch.enable_grad()
def rehearse(scorer: NodeScorer) -> None:
    """One state of one instance, forth and back."""
    one = mapped(scorer, lambda t: t[:1].detach())
    for table in (one.key, one.value, one.compare):
        table.requires_grad_()
    query, weight = one.place.new_zeros(1, 1, one.place.shape[-1]), one.fixed.new_zeros(1, 1, PAIRS)
    position = torch.zeros(1, 1, dtype=torch.int64, device=query.device)
    mask = torch.ones(1, 1, one.key.shape[2], dtype=torch.bool, device=query.device)
    question = Question(position, query.requires_grad_(), weight.requires_grad_())
    _apply(one, question, position, mask).sum().backward()  # type: ignore[no-untyped-call]


def _apply(scorer: NodeScorer, question: Question, node: Tensor, mask: Tensor) -> Tensor:
    made: Tensor = _NodeLogProb.apply(  # type: ignore[no-untyped-call]
        question.query.contiguous(),
        functional.pad(question.weight, (0, LEAST - PAIRS)),
        scorer.key,
        scorer.value,
        scorer.compare,
        scorer.ways.contiguous(),
        functional.pad(scorer.fixed, (0, 0, WAYS, LEAST - PAIRS)),
        mask.contiguous().view(torch.uint8),
        question.position.contiguous(),
        node.contiguous(),
        scorer.clip,
    )
    return made


class _NodeLogProb(torch.autograd.Function):
    """The kernels of `log_prob_kernel.py` as one function of query, weights, keys, values, W₆h."""

    @staticmethod
    def forward(
        ctx: Any,
        query: Tensor,
        weight: Tensor,
        key: Tensor,
        value: Tensor,
        compare: Tensor,
        ways: Tensor,
        fixed: Tensor,
        mask: Tensor,
        position: Tensor,
        chosen: Tensor,
        clip: float,
    ) -> Tensor:
        from hcvrp.policy.fleet.log_prob_kernel import choice, glimpse

        size, states, dim = query.shape
        log_prob = query.new_empty(size, states, dtype=torch.float32)
        logarithm = query.new_empty(size, key.shape[1], states, dtype=torch.float32)
        compared, by_compared = torch.empty_like(query), torch.empty_like(query)
        by_score = torch.empty_like(mask, dtype=query.dtype)
        by_weight = torch.empty_like(weight)
        glimpse[_grid(query, FEW_ROWS)](
            compared, logarithm, query, key, value, mask, **_heads(query, key)
        )
        choice[_grid(query, ROWS)](
            log_prob, by_score, by_compared, by_weight,
            compared, weight, compare, ways, fixed, mask, position, chosen,
            states=states, nodes=key.shape[2], clip=clip, rows=ROWS, block=_block(key), dim=dim,
            pairs=LEAST, precision=precision(key.dtype), num_warps=4, num_stages=1,
        )  # fmt: skip
        ctx.save_for_backward(
            by_score, by_compared, by_weight, compared, logarithm, query, key, value, mask
        )
        return log_prob

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> tuple[Tensor | None, ...]:
        from hcvrp.policy.fleet.log_prob_kernel import backward_nodes, backward_states

        by_score, by_compared, by_weight, compared, logarithm, *tables = ctx.saved_tensors
        query, key, value, _ = tables
        gradient = gradients[0].contiguous()
        numbers = _heads(query, key)
        dq, along = torch.empty_like(query), torch.empty_like(logarithm)
        backward_states[_grid(query, FEW_ROWS)](
            dq, along, gradient, by_compared, compared, logarithm, *tables, **numbers
        )
        dk, dv = torch.empty_like(key), torch.empty_like(value)
        backward_nodes[(key.shape[0], -(-key.shape[2] // _block(key)))](
            dk, dv, along, gradient, by_compared, logarithm, *tables, **numbers
        )
        by_compare = by_score.transpose(1, 2) @ (compared * gradient[..., None].to(compared))
        return dq, by_weight * gradient[..., None], dk, dv, by_compare, *(None,) * 6


def _grid(query: Tensor, rows: int) -> tuple[int, int]:
    return query.shape[0], -(-query.shape[1] // rows)


def _block(key: Tensor) -> int:
    return min(BITS, max(LEAST, power_of_two(key.shape[2])))


def _heads(query: Tensor, key: Tensor) -> dict[str, Any]:
    """Sizes of the attention, and how its kernels are to be compiled for them."""
    _, heads, nodes, width = key.shape
    return {
        "states": query.shape[1],
        "nodes": nodes,
        "scale": 1 / math.sqrt(width),
        "rows": FEW_ROWS,
        "block": _block(key),
        "heads": heads,
        "width": width,
        "precision": precision(key.dtype),
        "num_warps": 8,
        "num_stages": 1,
        "maxnreg": 128,  # so that two programs share a multiprocessor
    }
