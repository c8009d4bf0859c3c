"""Glimpse and compatibility of single rollouts as one Triton kernel.

In a rollout of training every instance has keys and values of its own and one query a step. A
library sees thousands of products of a matrix with one vector and starts a kernel for each kind;
here one program reads what belongs to its row once and leaves with the scores.
"""

import triton
import triton.language as tl

NEVER = tl.constexpr(-1e30)
"""In place of −∞, whose difference from itself is no number."""


@triton.jit
def single_scores(
    scores,  # (B, L, N), to be written
    query,  # (B, N, dim)
    load,  # (B, dim)
    key,  # (B, heads, N, width)
    value,  # (B, heads, N, width)
    compare,  # (B, N, dim)
    position,  # (B, L) int64
    remaining,  # (B, L)
    mask,  # (B, L, N) bool
    samples,
    nodes,
    scale,
    clip,
    block: tl.constexpr,
    heads: tl.constexpr,
    width: tl.constexpr,
):
    """`NodeScorer.scores` for row `program_id(0)` (Li et al. 2021, eq. 28 to 31), in float32."""
    dim: tl.constexpr = heads * width
    row = tl.program_id(0).to(tl.int64)
    instance = row // samples
    node, column = tl.arange(0, block), tl.arange(0, dim)
    allowed = tl.load(mask + row * nodes + node, mask=node < nodes, other=0) != 0

    place = tl.load(query + (instance * nodes + tl.load(position + row)) * dim + column)
    weight = tl.load(remaining + row).to(tl.float32)
    asked = place + weight * tl.load(load + instance * dim + column)

    start = instance * nodes * dim
    by_head = (column // width)[None, :] * nodes * width + (column % width)[None, :]
    by_head += node[:, None] * width
    wanted = allowed[:, None]  # whom the row may visit no more need not be read
    at = start + node[:, None] * dim + column[None, :]
    keys = tl.load(key + start + by_head, mask=wanted, other=0.0)
    values = tl.load(value + start + by_head, mask=wanted, other=0.0)
    against = tl.load(compare + at, mask=wanted, other=0.0)  # all three at once: no waiting between

    fit = keys.to(tl.float32) * asked[None, :]
    fit = tl.sum(tl.reshape(fit, (block, heads, width)), 2) * scale
    fit = tl.where(allowed[:, None], fit, NEVER)
    fit = tl.exp(fit - tl.max(fit, 0)[None, :])
    share = fit / tl.sum(fit, 0)[None, :]  # (block, heads)
    seen = share[:, :, None] * tl.reshape(values.to(tl.float32), (block, heads, width))
    seen = tl.reshape(tl.sum(seen, 0), (dim,))
    agreement = tl.sum(against.to(tl.float32) * seen[None, :], 1)
    bounded = clip * (1 - 2 / (tl.exp(2 * agreement) + 1))  # clip · tanh
    score = tl.where(allowed, bounded, float("-inf"))
    tl.store(scores + row * nodes + node, score, mask=node < nodes)
