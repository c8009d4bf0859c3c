"""Multi-head attention (Vaswani et al. 2017) and clipping, shared by encoders and decoders."""

from __future__ import annotations

import math
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

FEW_QUERIES = 8
"""Up to so many queries a fused kernel, made for tiles of many, wastes most of its work."""

WIDTHS = (16, 32, 64)
"""Of a head that the kernels for short sequences take: powers of two that tensor cores multiply."""

SHORT = 128
"""Nodes up to which kernels of our own attend to a sequence, in training on a GPU in bfloat16."""

TRITON = find_spec("triton") is not None


def self_attend(packed: Tensor, heads: int, mask: Tensor | None) -> Tensor:
    """`attend` of a sequence to itself, (B, N, dim).

    Args:
        packed: (B, N, 3 dim), queries, keys and values side by side.
        heads: how many share dim.
        mask: (B, N), True where attention may go; None for everywhere.
    """
    width = packed.shape[-1] // (3 * heads)
    short = packed.shape[1] <= SHORT and width in WIDTHS
    learns = packed.is_cuda and packed.dtype == torch.bfloat16 and packed.requires_grad
    if TRITON and learns and short:
        return ShortAttention.apply(packed, heads, mask)  # type: ignore[no-any-return, no-untyped-call]
    query, key, value = (split(x, heads) for x in packed.chunk(3, -1))
    return attend(query, key, value, None if mask is None else mask[:, None, None])


class ShortAttention(torch.autograd.Function):
    """`self_attend` by kernels that keep a whole sequence in one tile."""

    @staticmethod
    def forward(ctx: Any, packed: Tensor, heads: int, mask: Tensor | None) -> Tensor:
        """What `self_attend` gives."""
        from hcvrp.policy.attention_kernel import attention_forward

        packed = packed.contiguous()
        mask = None if mask is None else mask.contiguous()
        ctx.save_for_backward(packed, mask)
        ctx.heads = heads
        out = packed.new_empty(*packed.shape[:-1], packed.shape[-1] // 3)
        _launch(attention_forward, packed, heads, mask, out)
        return out

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor, None, None]:
        """The gradient of `packed`."""
        from hcvrp.policy.attention_kernel import attention_backward

        packed, mask = ctx.saved_tensors
        out = torch.empty_like(packed)
        _launch(attention_backward, packed, ctx.heads, mask, gradient.contiguous(), out)
        return out, None, None


def _launch(kernel: Any, packed: Tensor, heads: int, mask: Tensor | None, *more: Tensor) -> None:
    """One program for each head of each instance."""
    nodes, width = packed.shape[1], packed.shape[2] // (3 * heads)
    block = max(WIDTHS[0], power_of_two(nodes))
    kernel[(packed.shape[0] * heads,)](
        packed,
        packed if mask is None else mask,
        *more,
        nodes,
        1 / math.sqrt(width),
        heads=heads,
        width=width,
        block=block,
        masked=mask is not None,
        num_warps=4 if block <= SHORT // 2 else 8,
    )


def power_of_two(number: int) -> int:
    """The smallest that is at least `number`: the size of a tile."""
    return 1 << (number - 1).bit_length()


def precision(kind: torch.dtype) -> str:
    """Of products: three on tensor cores in place of one without come close to float32."""
    return "tf32x3" if kind == torch.float32 else "tf32"


def split(x: Tensor, heads: int) -> Tensor:
    """(B, L, dim) as (B, heads, L, dim / heads)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def attend(query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None) -> Tensor:
    """softmax(QKᵀ/√dim_k) V for each head (Li et al. 2021, eq. 16), the heads side by side.

    Args:
        query: (B, heads, L, dim_k).
        key: (B, heads, N, dim_k).
        value: (B, heads, N, dim_k).
        mask: (B, 1, L, N) or (B, 1, 1, N), True where attention may go; None for everywhere.

    Returns:
        (B, L, heads · dim_k).
    """
    if query.shape[2] <= FEW_QUERIES:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        mixed = scores.softmax(-1) @ value
    else:
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return mixed.transpose(1, 2).flatten(2)


def below_best(scores: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Scores as bounded distances below the best allowed one, −∞ where masked.

        u_j = C tanh((x_j − max_k x_k) / C)

    Bounding x_j itself (Kool et al. 2019) loses the order of candidates that all lie beyond the
    bound, and with it every gradient that could bring them back: with many customers far from a
    vehicle all of them ended there, level with the depot, and the policy went home after each.
    Here the best differ as they are, and no choice is ever impossible.
    """
    best = scores.masked_fill(~mask, -math.inf).amax(-1, keepdim=True)
    return (clip * torch.tanh((scores - best) / clip)).masked_fill(~mask, -math.inf)
