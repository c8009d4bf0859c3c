"""Glimpse and compatibility of single rollouts as one Triton kernel.

In a rollout of training every instance has keys and values of its own and one query a step. A
library sees thousands of products of a matrix with one vector and starts a kernel for each kind;
here one warp reads what belongs to its row once and leaves with the scores. Nodes are taken in
blocks; the softmax is carried from block to block (Milakov & Gimelshein 2018).
"""

import triton
import triton.language as tl

from hcvrp.policy.attention_kernel import NEVER


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
    head, column = tl.arange(0, heads)[:, None], tl.arange(0, width)[None, :]
    query += (instance * nodes + tl.load(position + row)) * dim
    asked = tl.load(query + head * width + column)
    share = tl.load(remaining + row).to(tl.float32)
    asked += share * tl.load(load + instance * dim + head * width + column)
    mask += row * nodes
    scores += row * nodes
    key += instance * nodes * dim
    value += instance * nodes * dim
    compare += instance * nodes * dim

    most = tl.full((heads,), NEVER, tl.float32)
    total = tl.zeros((heads,), tl.float32)
    seen = tl.zeros((heads, width), tl.float32)
    for first in range(0, nodes, block):
        node = first + tl.arange(0, block)
        allowed = tl.load(mask + node, mask=node < nodes, other=0) != 0
        wanted = allowed[:, None, None]  # whom the row may not visit need not be read
        at = (head * nodes * width + column)[None, :, :] + node[:, None, None] * width
        keys = tl.load(key + at, mask=wanted, other=0.0).to(tl.float32)
        values = tl.load(value + at, mask=wanted, other=0.0).to(tl.float32)
        fit = (tl.sum(keys * asked[None, :, :], 2) * scale).to(tl.float32)
        fit = tl.where(allowed[:, None], fit, NEVER)
        peak = tl.maximum(most, tl.max(fit, 0))
        weight, fade = tl.exp(fit - peak[None, :]), tl.exp(most - peak)
        total = total * fade + tl.sum(weight, 0)
        seen = seen * fade[:, None] + tl.sum(weight[:, :, None] * values, 0)
        most = peak
    seen = seen / total[:, None]

    for first in range(0, nodes, block):
        node = first + tl.arange(0, block)
        allowed = tl.load(mask + node, mask=node < nodes, other=0) != 0
        at = (head * width + column)[None, :, :] + node[:, None, None] * dim
        against = tl.load(compare + at, mask=allowed[:, None, None], other=0.0).to(tl.float32)
        agreement = tl.sum(tl.sum(against * seen[None, :, :], 2), 1)
        bounded = clip * (1 - 2 / (tl.exp(2 * agreement) + 1))  # clip · tanh
        score = tl.where(allowed, bounded, float("-inf"))
        tl.store(scores + node, score, mask=node < nodes)
