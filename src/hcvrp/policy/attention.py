"""Multi-head attention (Vaswani et al. 2017) and clipping, shared by encoders and decoders."""

from __future__ import annotations

import math
from importlib.util import find_spec
from subprocess import SubprocessError
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

FEW_QUERIES = 8
"""Up to so many queries a fused kernel, made for tiles of many, wastes most of its work."""

LEAST = 16
"""The least width of a product on tensor cores."""

WIDTHS = (16, 32, 64)
"""Of a head that our kernels take: powers of two that tensor cores multiply."""

SHORT = 128
"""Nodes up to which kernels of our own attend to them, in training on a GPU in bfloat16."""

ROWS = 64
"""Queries that a program of the kernels for glimpses looks at together."""

TRITON = find_spec("triton") is not None


def kernel_errors() -> tuple[type[Exception], ...]:
    """What a kernel of ours raises that cannot be built or run here.

    Where a machine has no compiler for it, or no headers, that is the compiler's own failure.
    """
    from triton.errors import TritonError

    return RuntimeError, TritonError, OSError, SubprocessError


def self_attend(packed: Tensor, heads: int, mask: Tensor | None) -> Tensor:
    """`attend` of a sequence to itself, (B, N, dim).

    Args:
        packed: (B, N, 3 dim), queries, keys and values side by side.
        heads: how many share dim.
        mask: (B, N), True where attention may go; None for everywhere.
    """
    width = packed.shape[-1] // (3 * heads)
    short = packed.shape[1] <= SHORT and width in WIDTHS
    if short and packed.requires_grad and _has_kernels(packed):
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
    block = tile(nodes)
    kernel[(packed.shape[0] * heads,)](
        packed,
        packed if mask is None else mask,
        *more,
        nodes,
        heads=heads,
        width=width,
        block=block,
        masked=mask is not None,
        num_warps=4 if block <= SHORT // 2 else 8,
    )


@torch.library.custom_op("hcvrp::glimpse", mutates_args=())
def glimpse(query: Tensor, key: Tensor, value: Tensor, words: Tensor) -> Tensor:
    """`attend` of many queries to few nodes, with gradients.

    An operator that torch.compile does not look into, unlike an autograd.Function: its kernels are
    started as they are for any number of queries, and what surrounds them is compiled whole.

    Args:
        query: (B, L, dim), the heads side by side.
        key: (B, heads, N, dim_k).
        value: (B, heads, N, dim_k).
        words: what `packed_mask` gives; a query that may attend to nothing sees zeros.
    """
    from hcvrp.policy.attention_kernel import glimpse_forward

    out = query.new_empty(query.shape)
    _launch_glimpse(glimpse_forward, query, key, value, words, out)
    return out


@torch.library.custom_op("hcvrp::glimpse_backward", mutates_args=())
def glimpse_backward(
    query: Tensor, key: Tensor, value: Tensor, words: Tensor, gradient: Tensor
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of queries, keys and values from that of the glimpse."""
    from hcvrp.policy.attention_kernel import glimpse_backward as kernel

    out = query.new_empty(query.shape), key.new_empty(key.shape), value.new_empty(value.shape)
    _launch_glimpse(kernel, query, key, value, words, gradient, *out)
    return out


@torch.library.custom_op("hcvrp::packed_mask", mutates_args=())
def packed_mask(mask: Tensor) -> Tensor:
    """(B, L, N) bool as (B, L, words) int32, a bit for each node up to the end of the tile.

    Every head reads it twice, and a program reads and tests a word in a fraction of the time that
    as many bytes take.
    """
    from hcvrp.policy.attention_kernel import pack_mask

    words = _words(mask)
    pack_mask[(math.ceil(words.numel() / ROWS),)](
        mask.contiguous(),
        words,
        words.numel(),
        mask.shape[-1],
        count=words.shape[-1],
        block=ROWS,
    )
    return words


def _launch_glimpse(kernel: Any, query: Tensor, key: Tensor, *more: Tensor) -> None:
    """One program for each head of each instance.

    With four warps and heads of 16, registers let seven programs share a multiprocessor and four
    on the way back; at more than 64 nodes four and two (compiled for sm_90, Triton 3.6).
    """
    instances, heads, nodes, width = key.shape
    kernel[(instances * heads,)](
        *(tensor.contiguous() for tensor in (query, key, *more)),
        query.shape[1],
        nodes,
        heads=heads,
        width=width,
        rows=ROWS,
        block=tile(nodes),
        num_warps=4,
        num_stages=2,
    )


def _words(mask: Tensor) -> Tensor:
    count = math.ceil(tile(mask.shape[-1]) / torch.iinfo(torch.int32).bits)
    return mask.new_empty(*mask.shape[:-1], count, dtype=torch.int32)


def _remember(ctx: Any, inputs: tuple[Tensor, ...], output: Tensor) -> None:  # noqa: ARG001
    ctx.save_for_backward(*inputs)


def _gradients(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
    return *glimpse_backward(*ctx.saved_tensors, gradient), None


packed_mask.register_fake(_words)
glimpse.register_fake(lambda query, *_: query.new_empty(query.shape))
glimpse_backward.register_fake(lambda *inputs: tuple(t.new_empty(t.shape) for t in inputs[:3]))
glimpse.register_autograd(_gradients, setup_context=_remember)


def tile(nodes: int) -> int:
    """The size of one that holds so many nodes, or vehicles."""
    return max(LEAST, power_of_two(nodes))


def power_of_two(number: int) -> int:
    """The smallest that is at least `number`: the size of a tile."""
    return 1 << (number - 1).bit_length()


def precision(kind: torch.dtype) -> str:
    """Of products: three on tensor cores in place of one without come close to float32."""
    return "tf32x3" if kind == torch.float32 else "tf32"


def split(x: Tensor, heads: int) -> Tensor:
    """(B, L, dim) as (B, heads, L, dim / heads)."""
    return x.view(*x.shape[:-1], heads, -1).transpose(1, 2)


def joined(x: Tensor) -> Tensor:
    """The same backwards: the heads side by side."""
    return x.transpose(1, 2).flatten(2)


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
    if mask is not None and _many_learn(query, key, value, mask):
        seen: Tensor = glimpse(joined(query), key, value, packed_mask(mask[:, 0]))
        return seen
    if query.shape[2] <= FEW_QUERIES:
        scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
        if mask is not None:
            scores = scores.masked_fill(~mask, -math.inf)
        mixed = scores.softmax(-1) @ value
    else:
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)
    return joined(mixed)


def _many_learn(query: Tensor, key: Tensor, value: Tensor, mask: Tensor) -> bool:
    """Whether `glimpse` is there for these, and made for them."""
    return (
        torch.is_grad_enabled()
        and (query.requires_grad or key.requires_grad or value.requires_grad)
        and _has_kernels(query)
        and query.shape[-1] in WIDTHS
        and key.shape[2] <= SHORT
        and mask.shape[2] == query.shape[2]
        and query.shape[2] > FEW_QUERIES
    )


def _has_kernels(x: Tensor) -> bool:
    return TRITON and x.is_cuda and x.dtype == torch.bfloat16


def below_best(scores: Tensor, mask: Tensor, clip: float) -> Tensor:
    """Scores as bounded distances below the best allowed one, −∞ where masked.

        u_j = C tanh((x_j − max_k x_k) / C)

    Bounding x_j itself (Kool et al. 2019) loses the order of candidates that all lie beyond the
    bound, and with it every gradient that could bring them back: with many customers far from a
    vehicle all of them ended there, level with the depot, and the policy went home after each.
    Here the best differ as they are, and no choice is ever impossible.

    The best is found by `max`, whose gradient goes to where it was found. That of `amax` goes
    to whatever equals it, and in a compiled pass, which rounds scores anew, nothing may: 0 / 0
    (github.com/pytorch/pytorch/issues/186799).
    """
    best = scores.masked_fill(~mask, -math.inf).max(-1, keepdim=True).values
    return (clip * torch.tanh((scores - best) / clip)).masked_fill(~mask, -math.inf)
