"""Attention to few nodes as Triton kernels, forward and backward.

Library kernels are made for sequences of thousands and cut them into tiles of a hundred and more.
Here all the nodes of an instance fit into one tile, so one program attends for one head of one
instance without looking back, and the backward pass computes the weights anew instead of reading
them. `attention_…` is of a sequence to itself, `glimpse_…` of many queries to few nodes.
"""

import triton
import triton.language as tl

NEVER = tl.constexpr(-1e30)
"""In place of −∞, whose difference from itself is no number."""

WORD = tl.constexpr(32)
"""Nodes whose part of a mask is one integer."""

LOG2_E = tl.constexpr(1.4426950408889634)


@triton.jit
def attention_forward(
    packed,  # (B, N, 3 dim): queries, keys and values
    mask,  # (B, N) bool, read where `masked`
    out,  # (B, N, dim), to be written
    nodes,
    heads: tl.constexpr,
    width: tl.constexpr,
    block: tl.constexpr,
    masked: tl.constexpr,
):
    """Heads side by side, as `attention.attend` gives them; program_id(0) counts (b, head)."""
    instance, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    dim: tl.constexpr = heads * width
    _, _, value, share = _attending(packed, mask, instance, head, nodes, width, dim, block, masked)
    seen = tl.dot(share.to(value.dtype), value)
    at, inside = _head(out, instance, head, 0, nodes, width, dim, block)
    tl.store(at, seen.to(out.dtype.element_ty), mask=inside)


@triton.jit
def attention_backward(
    packed,
    mask,
    gradient,  # (B, N, dim), of the output
    out,  # (B, N, 3 dim), to be written: gradients of queries, keys and values
    nodes,
    heads: tl.constexpr,
    width: tl.constexpr,
    block: tl.constexpr,
    masked: tl.constexpr,
):
    """The same backwards."""
    instance, head = tl.program_id(0) // heads, tl.program_id(0) % heads
    dim: tl.constexpr = heads * width
    query, key, value, share = _attending(
        packed, mask, instance, head, nodes, width, dim, block, masked
    )
    at, inside = _head(gradient, instance, head, 0, nodes, width, dim, block)
    pull = tl.load(at, mask=inside, other=0.0).to(value.dtype)
    by_value = tl.dot(tl.trans(share.to(value.dtype)), pull)
    by_score = _by_score(share, value, pull)
    by_query = tl.dot(by_score, key) * width**-0.5
    by_key = tl.dot(tl.trans(by_score), query) * width**-0.5
    at, inside = _head(out, instance, head, 0, nodes, width, 3 * dim, block)
    tl.store(at, by_query.to(out.dtype.element_ty), mask=inside)
    tl.store(at + dim, by_key.to(out.dtype.element_ty), mask=inside)
    tl.store(at + 2 * dim, by_value.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["total"])
def pack_mask(
    mask,  # (B, L, N) bool
    words,  # (B, L, count) int32, to be written: a bit for each node
    total,  # words
    nodes,
    count: tl.constexpr,
    block: tl.constexpr,
):
    """One program for `block` words."""
    index = tl.program_id(0) * block + tl.arange(0, block)
    row, bit = (index // count).to(tl.int64)[:, None], tl.arange(0, WORD)[None, :]
    node = (index % count)[:, None] * WORD + bit
    inside = (index < total)[:, None] & (node < nodes)
    allowed = tl.load(mask + row * nodes + node, mask=inside, other=0)
    tl.store(words + index, tl.sum(allowed.to(tl.int32) << bit, 1), mask=index < total)


@triton.jit(do_not_specialize=["queries"])
def glimpse_forward(
    query,  # (B, L, dim)
    key,  # (B, heads, N, width)
    value,  # (B, heads, N, width)
    words,  # (B, L, block / WORD), the mask as `pack_mask` writes it
    out,  # (B, L, dim), to be written
    queries,
    nodes,
    heads: tl.constexpr,
    width: tl.constexpr,
    rows: tl.constexpr,
    block: tl.constexpr,
):
    """Heads side by side; program_id(0) counts (b, head), and each takes all queries in turn."""
    pair = tl.program_id(0)
    instance, head = pair // heads, pair % heads
    dim: tl.constexpr = heads * width
    key_row, value_row = _node_rows(key, value, pair, nodes, width, block)
    for first in range(0, queries, rows):
        at, inside = _head(query, instance, head, first, queries, width, dim, rows)
        query_row = tl.load(at, mask=inside, other=0.0)
        allowed = _unpacked(words, instance, first, queries, rows, block)
        share = _shares(query_row, key_row, allowed, width)
        seen = tl.dot(share.to(value_row.dtype), value_row)
        at, inside = _head(out, instance, head, first, queries, width, dim, rows)
        tl.store(at, seen.to(out.dtype.element_ty), mask=inside)


@triton.jit(do_not_specialize=["queries"])
def glimpse_backward(
    query,
    key,
    value,
    words,
    gradient,  # (B, L, dim), of the output
    query_out,  # (B, L, dim), to be written: the gradient of the queries
    key_out,  # (B, heads, N, width), of the keys
    value_out,  # (B, heads, N, width), of the values
    queries,
    nodes,
    heads: tl.constexpr,
    width: tl.constexpr,
    rows: tl.constexpr,
    block: tl.constexpr,
):
    """The same backwards; program_id(0) counts (b, head), and each goes through all queries.

    The sums for keys and values thereby stay in registers: nothing is added up in memory.
    """
    pair = tl.program_id(0)
    instance, head = pair // heads, pair % heads
    dim: tl.constexpr = heads * width
    key_row, value_row = _node_rows(key, value, pair, nodes, width, block)
    by_key = tl.zeros((block, width), tl.float32)
    by_value = tl.zeros((block, width), tl.float32)
    for first in range(0, queries, rows):
        at, inside = _head(query, instance, head, first, queries, width, dim, rows)
        query_row = tl.load(at, mask=inside, other=0.0)
        at, inside = _head(gradient, instance, head, first, queries, width, dim, rows)
        pull = tl.load(at, mask=inside, other=0.0)
        allowed = _unpacked(words, instance, first, queries, rows, block)
        share = _shares(query_row, key_row, allowed, width)
        by_value = tl.dot(tl.trans(share.to(value_row.dtype)), pull, by_value)
        by_score = _by_score(share, value_row, pull)
        by_key = tl.dot(tl.trans(by_score), query_row, by_key)
        by_query = tl.dot(by_score, key_row)
        at, inside = _head(query_out, instance, head, first, queries, width, dim, rows)
        tl.store(at, (by_query * width**-0.5).to(query_out.dtype.element_ty), mask=inside)
    at, inside = _head(key_out, pair, 0, 0, nodes, width, width, block)
    tl.store(at, (by_key * width**-0.5).to(key_out.dtype.element_ty), mask=inside)
    at, inside = _head(value_out, pair, 0, 0, nodes, width, width, block)
    tl.store(at, by_value.to(value_out.dtype.element_ty), mask=inside)


@triton.jit
def _attending(
    packed,
    mask,
    instance,
    head,
    nodes,
    width: tl.constexpr,
    dim: tl.constexpr,
    block: tl.constexpr,
    masked: tl.constexpr,
):
    """A head's queries, keys and values, zeros beyond the nodes, and its `_shares`."""
    at, inside = _head(packed, instance, head, 0, nodes, width, 3 * dim, block)
    query = tl.load(at, mask=inside, other=0.0)
    key = tl.load(at + dim, mask=inside, other=0.0)
    value = tl.load(at + 2 * dim, mask=inside, other=0.0)
    allowed = _allowed(mask, instance, nodes, block, masked)
    return query, key, value, _shares(query, key, allowed, width)


@triton.jit
def _node_rows(key, value, pair, nodes, width: tl.constexpr, block: tl.constexpr):
    """A head's keys and values from tables (B · heads, N, width), zeros beyond the nodes."""
    at, inside = _head(key, pair, 0, 0, nodes, width, width, block)
    key_row = tl.load(at, mask=inside, other=0.0)
    at, inside = _head(value, pair, 0, 0, nodes, width, width, block)
    return key_row, tl.load(at, mask=inside, other=0.0)


@triton.jit
def _allowed(mask, instance, nodes, block: tl.constexpr, masked: tl.constexpr):
    """Which nodes may be attended to, (1, block), the same for every query."""
    node = tl.arange(0, block)
    allowed = node < nodes
    if masked:
        allowed = tl.load(mask + instance * nodes + node, mask=allowed, other=0) != 0
    return allowed[None, :]


@triton.jit
def _unpacked(words, instance, first, queries, rows: tl.constexpr, block: tl.constexpr):
    """Which nodes each of `rows` queries from `first` on may attend to, (rows, block)."""
    count: tl.constexpr = (block + WORD - 1) // WORD
    query, node = first + tl.arange(0, rows), tl.arange(0, block)[None, :]
    at = words + (instance.to(tl.int64) * queries + query) * count
    allowed = tl.zeros((rows, block), tl.int32)
    for number in tl.static_range(count):
        word = tl.load(at + number, mask=query < queries, other=0)[:, None]
        allowed = tl.where(node // WORD == number, word >> (node % WORD), allowed)
    return allowed & 1 != 0


@triton.jit
def _shares(query, key, allowed, width: tl.constexpr):
    """softmax(Q Kᵀ/√width) over the allowed nodes in float32, zeros where none is."""
    power: tl.constexpr = LOG2_E * width**-0.5
    score = tl.where(allowed, tl.dot(query, tl.trans(key)), NEVER)
    best = tl.maximum(tl.max(score, 1), NEVER / 2)  # so that a row of NEVER gives zeros
    weight = tl.exp2(score * power - (best * power)[:, None])
    total = tl.maximum(tl.sum(weight, 1), 0.5)  # the best alone adds 1, if there is one
    return weight * (1.0 / total)[:, None]


@triton.jit
def _by_score(share, value, pull):
    """The gradient of S = Q Kᵀ/√width.

    With weights P = softmax(S) and G the gradient of O = P V: dV = Pᵀ G, dP = G Vᵀ,
    dS = P ∘ (dP − Σ_j P_ij dP_ij), dQ = dS K/√width, dK = dSᵀ Q/√width.
    """
    by_share = tl.dot(pull, tl.trans(value))
    by_score = share * (by_share - tl.sum(share * by_share, 1)[:, None])
    return by_score.to(value.dtype)


@triton.jit
def _head(
    table,
    instance,
    head,
    first,
    count,
    width: tl.constexpr,
    columns: tl.constexpr,
    block: tl.constexpr,
):
    """Where a head's first part is in a table (B, count, columns), and which of it is there.

    That is `block` rows from `first` on.
    """
    row, column = first + tl.arange(0, block)[:, None], tl.arange(0, width)[None, :]
    start = table + instance.to(tl.int64) * count * columns
    return start + row * columns + head * width + column, row < count
