"""Log-probabilities of chosen nodes and their gradient as four Triton kernels.

What `NodeScorer.scores`, a log-softmax and a gather compute. Of all (states, nodes) tensors only
the mask is read and one is written: the derivative of log p of the chosen node c by the
compatibilities, which is known as soon as log p is. With b the best node that is allowed:

    x_j = C y_j + p_j,   y_j = z · W₆h_j,   z = q + glimpse(q),
    t_j = tanh((x_j − x_b) / R),   u_j = R t_j,   log π = u_c − log Σ exp u_j,
    ∂log π / ∂y_j = C (s_j − 1[j = b] Σ_k s_k),   s_j = (1[j = c] − π_j) (1 − t_j²),

so the forward pass leaves ∂log π / ∂z behind as well. It goes over the nodes three times: for x_b,
for the sums, for the derivatives. Of several that are best the first is b (`amax` of torch shares
the derivative among them; each is a subgradient). The backward pass goes on from there through
each head's attention, whose weights it computes anew (Dao et al. 2022), once with the states and
once with the nodes in the outer loop, so that no two programs add to one number. With G the
gradient of log π, g = G ∂log π / ∂z, a_j = softmax(s q · k_j) and o = Σ_j a_j v_j:

    dy_j = a_j g · (v_j − o),   dq = g + s Σ_j dy_j k_j,   dk_j = s Σ dy_j q,   dv_j = Σ a_j g.
"""

import triton
import triton.language as tl

from hcvrp.policy.fleet.rollout_kernel import (
    NEVER,
    NODE_RANGE,
    below_best,
    better,
    blend,
    heads_of,
    scores,
)


@triton.jit(do_not_specialize=["states", "nodes"])
def glimpse(
    compared,  # (B, L, dim), z, to write
    logarithm,  # (B, heads, L), log Σ exp of the attention's scores, to write
    query,  # (B, L, dim)
    key,  # (B, heads, N, width)
    value,  # (B, heads, N, width)
    mask,  # (B, L, N) uint8
    states,
    nodes,
    scale,
    rows: tl.constexpr,
    block: tl.constexpr,
    heads: tl.constexpr,
    width: tl.constexpr,
    precision: tl.constexpr,
):
    """What a block of states of one instance compares the nodes with: z."""
    instance = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * rows + tl.arange(0, rows)
    asked = _by_heads(query, instance, row, states, heads, width)
    most = tl.full((heads, rows), NEVER, tl.float32)
    total = tl.zeros((heads, rows), tl.float32)
    mixed = tl.zeros((heads, rows, width), tl.float32)
    key += instance * heads * nodes * width
    value += instance * heads * nodes * width
    for part in range(tl.cdiv(nodes, block)):
        node = part * block + tl.arange(0, block)
        most, total, mixed = blend(
            asked, key, value, _mask(mask, instance, row, states, node, nodes), node, nodes,
            scale, most, total, mixed, heads, width, precision,
        )  # fmt: skip
    at = _head_rows(instance, row, states, heads)
    tl.store(logarithm + at, most + tl.log(total), mask=(row < states)[None, :])
    mixed = mixed / total[:, :, None] + asked.to(tl.float32)
    at = _head_columns(instance, row, states, heads, width)
    tl.store(compared + at, mixed.to(asked.dtype), mask=(row < states)[None, :, None])


@triton.jit(do_not_specialize=["states", "nodes"])
def choice(
    log_prob,  # (B, L), to write
    by_score,  # (B, L, N), ∂log π / ∂y, to write
    by_compared,  # (B, L, dim), ∂log π / ∂z, to write
    by_weight,  # (B, L, pairs), ∂log π / ∂w, to write
    compared,  # (B, L, dim), z
    weight,  # (B, L, pairs), w
    compare,  # (B, N, dim)
    ways,  # (B, N, 2N)
    fixed,  # (B, pairs, N)
    mask,  # (B, L, N) uint8
    position,  # (B, L)
    chosen,  # (B, L)
    states,
    nodes,
    clip,
    rows: tl.constexpr,
    block: tl.constexpr,
    dim: tl.constexpr,
    pairs: tl.constexpr,
    precision: tl.constexpr,
):
    """Log-probabilities of a block of states of one instance, and what they change with."""
    instance = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * rows + tl.arange(0, rows)
    real = row < states
    at = instance * states + row
    kind = compare.dtype.element_ty
    compare += instance * nodes * dim
    ways += instance * nodes * nodes * 2
    fixed += instance * nodes * pairs
    column, pair = tl.arange(0, dim)[None, :], tl.arange(0, pairs)[None, :]
    z = tl.load(compared + at[:, None] * dim + column, mask=real[:, None], other=0.0)
    weights = tl.load(weight + at[:, None] * pairs + pair, mask=real[:, None], other=0.0)
    place = tl.load(position + at, mask=real, other=0)
    wanted = tl.load(chosen + at, mask=real, other=0)

    best = tl.full((rows,), NEVER, tl.float32)
    leader = tl.zeros((rows,), tl.int32)
    for part in range(tl.cdiv(nodes, block)):
        score = _allowed_scores(
            z, weights, place, compare, ways, fixed, mask, instance, row, states, part, nodes, clip,
            block, dim, pairs, precision,
        )  # fmt: skip
        best, leader = better(best, leader, score, part * block)

    total = tl.where(real, 0.0, 1.0)
    slopes = tl.zeros((rows,), tl.float32)
    taken = tl.zeros((rows,), tl.float32)
    own_slope = tl.zeros((rows,), tl.float32)
    for part in range(tl.cdiv(nodes, block)):
        score = _allowed_scores(
            z, weights, place, compare, ways, fixed, mask, instance, row, states, part, nodes, clip,
            block, dim, pairs, precision,
        )  # fmt: skip
        bounded, slope = _bounded(score, best)
        odds = tl.exp(bounded)  # at most 1, which the best has
        total += tl.sum(odds, 1)
        slopes += tl.sum(odds * slope, 1)
        hit = part * block + tl.arange(0, block)[None, :] == wanted[:, None]
        taken += tl.sum(tl.where(hit, bounded, 0.0), 1)
        own_slope += tl.sum(tl.where(hit, slope, 0.0), 1)
    tl.store(log_prob + at, taken - tl.log(total), mask=real)
    by_best = own_slope - slopes / total  # Σ s

    by_z = tl.zeros((rows, dim), tl.float32)
    by_w = tl.zeros((rows, pairs), tl.float32)
    for part in range(tl.cdiv(nodes, block)):
        node = part * block + tl.arange(0, block)
        inside = node < nodes
        score = _allowed_scores(
            z, weights, place, compare, ways, fixed, mask, instance, row, states, part, nodes, clip,
            block, dim, pairs, precision,
        )  # fmt: skip
        bounded, slope = _bounded(score, best)
        hit = (node[None, :] == wanted[:, None]).to(tl.float32)
        by_x = (hit - tl.exp(bounded) / total[:, None]) * slope
        by_x -= tl.where(node[None, :] == leader[:, None], by_best[:, None], 0.0)
        there = real[:, None] & inside[None, :]
        by_y = (clip * by_x).to(kind)
        tl.store(by_score + at[:, None] * nodes + node[None, :], by_y, mask=there)
        against = tl.load(compare + node[:, None] * dim + column, mask=inside[:, None], other=0.0)
        by_z += tl.dot(by_y, against, input_precision=precision)
        known = tl.load(fixed + pair * nodes + node[:, None], mask=inside[:, None], other=0.0)
        by_w += tl.dot(by_x.to(kind), known.to(kind), input_precision=precision)
        for number in tl.static_range(2):  # as in `scores`
            way = ways + (place[:, None] * 2 + number) * nodes + node[None, :]
            way = tl.load(way, mask=inside[None, :], other=0.0).to(tl.float32)
            by_w += tl.where(pair == 1 - number, tl.sum(by_x * way, 1)[:, None], 0.0)
    tl.store(by_weight + at[:, None] * pairs + pair, by_w, mask=real[:, None])
    tl.store(by_compared + at[:, None] * dim + column, by_z.to(kind), mask=real[:, None])


@triton.jit
def _allowed_scores(
    z, weights, place, compare, ways, fixed, mask, instance, row, states, part, nodes, clip,
    block: tl.constexpr, dim: tl.constexpr, pairs: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """The scores x_j of block `part`, NEVER where the mask is 0."""
    node = part * block + tl.arange(0, block)
    score = scores(
        z, weights, place, compare, ways, fixed, node, nodes, clip, dim, pairs, precision
    )
    return tl.where(_mask(mask, instance, row, states, node, nodes), score, NEVER)


@triton.jit
def _bounded(score, best):
    """The bounded scores u_j, NEVER where the score is, and 1 − t_j², 0 there."""
    bent = below_best(score, best, NODE_RANGE)
    return tl.where(score > NEVER, NODE_RANGE * bent, NEVER), 1 - bent * bent


@triton.jit(do_not_specialize=["states", "nodes"])
def backward_states(
    query_gradient,  # (B, L, dim), to write
    along,  # (B, heads, L), g · o, to write
    gradient,  # (B, L), G
    by_compared,
    compared,
    logarithm,
    query,
    key,
    value,
    mask,
    states,
    nodes,
    scale,
    rows: tl.constexpr,
    block: tl.constexpr,
    heads: tl.constexpr,
    width: tl.constexpr,
    precision: tl.constexpr,
):
    """Gradients of the queries of a block of states of one instance."""
    instance = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * rows + tl.arange(0, rows)
    real = row < states
    asked = _by_heads(query, instance, row, states, heads, width)
    seen = _by_heads(compared, instance, row, states, heads, width).to(tl.float32)
    seen -= asked.to(tl.float32)
    given = _given(gradient, by_compared, instance, row, states, heads, width)
    at = _head_rows(instance, row, states, heads)
    dot = tl.sum(given * seen, 2)
    tl.store(along + at, dot, mask=real[None, :])
    logs = tl.load(logarithm + at, mask=real[None, :], other=0.0)
    key += instance * heads * nodes * width
    value += instance * heads * nodes * width
    dq = given
    for part in range(tl.cdiv(nodes, block)):
        node = part * block + tl.arange(0, block)
        keys = heads_of(key, node, nodes, heads, width)
        values = heads_of(value, node, nodes, heads, width)
        allowed = _mask(mask, instance, row, states, node, nodes)
        share = _attention(asked, keys, allowed, logs, scale, precision)
        dy = share * (_against(given.to(asked.dtype), values, precision) - dot[:, :, None])
        dq += scale * tl.dot(dy.to(asked.dtype), keys, input_precision=precision)
    at = _head_columns(instance, row, states, heads, width)
    tl.store(query_gradient + at, dq.to(asked.dtype), mask=real[None, :, None])


@triton.jit(do_not_specialize=["states", "nodes"])
def backward_nodes(
    key_gradient,  # (B, heads, N, width), to write
    value_gradient,  # (B, heads, N, width), to write
    along,
    gradient,
    by_compared,
    logarithm,
    query,
    key,
    value,
    mask,
    states,
    nodes,
    scale,
    rows: tl.constexpr,
    block: tl.constexpr,
    heads: tl.constexpr,
    width: tl.constexpr,
    precision: tl.constexpr,
):
    """Gradients of the keys and values of a block of nodes of one instance."""
    instance = tl.program_id(0).to(tl.int64)
    node = tl.program_id(1) * block + tl.arange(0, block)
    first = instance * heads * nodes * width
    keys = heads_of(key + first, node, nodes, heads, width)
    values = heads_of(value + first, node, nodes, heads, width)
    dk = tl.zeros((heads, block, width), tl.float32)
    dv = tl.zeros((heads, block, width), tl.float32)
    for part in range(tl.cdiv(states, rows)):
        row = part * rows + tl.arange(0, rows)
        real = row < states
        asked = _by_heads(query, instance, row, states, heads, width)
        given = _given(gradient, by_compared, instance, row, states, heads, width)
        given = given.to(asked.dtype)
        at = _head_rows(instance, row, states, heads)
        logs = tl.load(logarithm + at, mask=real[None, :], other=0.0)
        dot = tl.load(along + at, mask=real[None, :], other=0.0)
        allowed = _mask(mask, instance, row, states, node, nodes)
        share = _attention(asked, keys, allowed, logs, scale, precision)
        dy = share * (_against(given, values, precision) - dot[:, :, None]) * scale
        share = tl.permute(share.to(asked.dtype), (0, 2, 1))
        dv += tl.dot(share, given, input_precision=precision)
        dy = tl.permute(dy.to(asked.dtype), (0, 2, 1))
        dk += tl.dot(dy, asked, input_precision=precision)
    at = tl.arange(0, heads)[:, None, None] * nodes * width + node[None, :, None] * width
    at += first + tl.arange(0, width)[None, None, :]
    inside = (node < nodes)[None, :, None]
    tl.store(key_gradient + at, dk.to(keys.dtype), mask=inside)
    tl.store(value_gradient + at, dv.to(keys.dtype), mask=inside)


@triton.jit
def _given(gradient, by_compared, instance, row, states, heads: tl.constexpr, width: tl.constexpr):
    """The gradient g of z, (heads, rows, width)."""
    factor = tl.load(gradient + instance * states + row, mask=row < states, other=0.0)
    slope = _by_heads(by_compared, instance, row, states, heads, width)
    return slope.to(tl.float32) * factor[None, :, None]


@triton.jit
def _attention(query, keys, allowed, logs, scale, precision: tl.constexpr):
    """The weights a_j, (heads, rows, block)."""
    score = _against(query, keys, precision) * scale - logs[:, :, None]
    return tl.exp(tl.where(allowed[None], score, NEVER))


@triton.jit
def _against(x, table, precision: tl.constexpr):
    """Products of rows (heads, rows, width) with rows (heads, block, width)."""
    return tl.dot(x, tl.permute(table, (0, 2, 1)), input_precision=precision)


@triton.jit
def _mask(mask, instance, row, states, node, nodes):
    """Where the choice may go, (rows, block) bool."""
    inside = (row < states)[:, None] & (node < nodes)[None, :]
    at = (instance * states + row)[:, None] * nodes + node[None, :]
    return tl.load(mask + at, mask=inside, other=0) > 0


@triton.jit
def _by_heads(table, instance, row, states, heads: tl.constexpr, width: tl.constexpr):
    """Rows of a table (B, L, dim) as (heads, rows, width)."""
    at = _head_columns(instance, row, states, heads, width)
    return tl.load(table + at, mask=(row < states)[None, :, None], other=0.0)


@triton.jit
def _head_columns(instance, row, states, heads: tl.constexpr, width: tl.constexpr):
    """Where rows of a table (B, L, dim) are, (heads, rows, width)."""
    column = tl.arange(0, heads)[:, None, None] * width + tl.arange(0, width)[None, None, :]
    return (instance * states + row)[None, :, None] * (heads * width) + column


@triton.jit
def _head_rows(instance, row, states, heads: tl.constexpr):
    """Where rows of a table (B, heads, L) are, (heads, rows)."""
    return (instance * heads + tl.arange(0, heads)[:, None]) * states + row[None, :]
