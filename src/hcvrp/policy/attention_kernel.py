"""Self-attention of short sequences as Triton kernels, forward and backward.

Library kernels are made for sequences of thousands and cut them into tiles of a hundred and more.
Here a sequence fits into one tile, so one program attends for one head of one instance without
looking back, and the backward pass computes the weights anew instead of reading them.
"""

import triton
import triton.language as tl

NEVER = tl.constexpr(-1e30)
"""In place of −∞, whose difference from itself is no number."""


@triton.jit
def attention_forward(
    packed,  # (B, N, 3 dim): queries, keys and values
    mask,  # (B, N) bool, read where `masked`
    out,  # (B, N, dim), to be written
    nodes,
    scale,
    heads: tl.constexpr,
    width: tl.constexpr,
    block: tl.constexpr,
    masked: tl.constexpr,
):
    """Heads side by side, as `attention.attend` gives them; program_id(0) counts (b, head)."""
    instance, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    dim: tl.constexpr = heads * width
    query, key, value = _parts(packed, instance, head, nodes, width, dim, block)
    share = _shares(query, key, mask, instance, nodes, scale, block, masked)
    seen = tl.dot(share.to(value.dtype), value)
    at, inside = _head(out, instance, head, nodes, width, dim, block)
    tl.store(at, seen.to(out.dtype.element_ty), mask=inside)


@triton.jit
def attention_backward(
    packed,
    mask,
    gradient,  # (B, N, dim), of the output
    out,  # (B, N, 3 dim), to be written: gradients of queries, keys and values
    nodes,
    scale,
    heads: tl.constexpr,
    width: tl.constexpr,
    block: tl.constexpr,
    masked: tl.constexpr,
):
    """The same backwards.

    With weights P = softmax(S) and G the gradient of O = P V: dV = Pᵀ G, dP = G Vᵀ,
    dS = P ∘ (dP − Σ_j P_ij dP_ij), dQ = dS K, dK = dSᵀ Q.
    """
    instance, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    dim: tl.constexpr = heads * width
    query, key, value = _parts(packed, instance, head, nodes, width, dim, block)
    share = _shares(query, key, mask, instance, nodes, scale, block, masked)
    at, inside = _head(gradient, instance, head, nodes, width, dim, block)
    pull = tl.load(at, mask=inside, other=0.0).to(value.dtype)
    by_value = tl.dot(tl.trans(share.to(value.dtype)), pull)
    by_share = tl.dot(pull, tl.trans(value))
    by_score = share * (by_share - tl.sum(share * by_share, 1)[:, None])
    by_score = (by_score * scale).to(query.dtype)
    by_query = tl.dot(by_score, key)
    by_key = tl.dot(tl.trans(by_score), query)
    at, inside = _head(out, instance, head, nodes, width, 3 * dim, block)
    tl.store(at, by_query.to(out.dtype.element_ty), mask=inside)
    tl.store(at + dim, by_key.to(out.dtype.element_ty), mask=inside)
    tl.store(at + 2 * dim, by_value.to(out.dtype.element_ty), mask=inside)


@triton.jit
def _parts(
    packed, instance, head, nodes, width: tl.constexpr, dim: tl.constexpr, block: tl.constexpr
):
    """A head's queries, keys and values, (block, width) each, zeros beyond the nodes."""
    at, inside = _head(packed, instance, head, nodes, width, 3 * dim, block)
    query = tl.load(at, mask=inside, other=0.0)
    key = tl.load(at + dim, mask=inside, other=0.0)
    value = tl.load(at + 2 * dim, mask=inside, other=0.0)
    return query, key, value


@triton.jit
def _shares(query, key, mask, instance, nodes, scale, block: tl.constexpr, masked: tl.constexpr):
    """softmax(Q Kᵀ · scale) over the nodes that are there, (block, block) in float32."""
    node = tl.arange(0, block)
    allowed = node < nodes
    if masked:
        allowed = tl.load(mask + instance * nodes + node, mask=allowed, other=0) != 0
    score = (tl.dot(query, tl.trans(key)) * scale).to(tl.float32)
    score = tl.where(allowed[None, :], score, NEVER)
    weight = tl.exp(score - tl.max(score, 1)[:, None])
    return weight / tl.sum(weight, 1)[:, None]


@triton.jit
def _head(
    table, instance, head, nodes, width: tl.constexpr, columns: tl.constexpr, block: tl.constexpr
):
    """Where a head's first part is in a table (B, N, columns), and which of it is there."""
    node, column = tl.arange(0, block)[:, None], tl.arange(0, width)[None, :]
    row = instance.to(tl.int64) * nodes + node
    return table + row * columns + head * width + column, node < nodes
