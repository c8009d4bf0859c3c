"""A whole rollout of the `fleet` policy as one Triton kernel.

One program plays `rows` samples of one instance from the first step to the last. Its state stays
in registers: which customers wait, one bit each; the times of the vehicles; and of the one vehicle
that is out (trip by trip there is never a second) its place and load. What it reads, `Tables` in
`fused.py`, has everything multiplied out that does not depend on the state. Sums are in float32
whatever the tables' precision.

Nodes are taken in blocks, one machine word of bits each. The softmax of a glimpse and the largest
score are carried from block to block, so there is no limit on their number (Milakov & Gimelshein
2018; Dao et al. 2022). Scores are bounded below the best of all blocks, hence computed twice where
there is more than one; a greedy choice needs no bound.
"""

import triton
import triton.language as tl

from hcvrp.policy.attention_kernel import NEVER
from hcvrp.policy.fleet import node_decoder, vehicle_decoder

LEAST_LOAD = tl.constexpr(node_decoder.LEAST_LOAD)
NODE_RANGE = tl.constexpr(node_decoder.RANGE)
FLEET_RANGE = tl.constexpr(vehicle_decoder.CLIP)


@triton.jit(
    do_not_specialize=["sampled", "temperature", "samples", "nodes", "vehicles", "most_steps"]
)
def fleet_rollout(
    # what to write
    vehicle_taken,  # (B, S, T) int32, zeros
    node_taken,  # (B, S, T) int32, zeros
    times,  # (B, S, M)
    steps,  # (B, S) int32
    # `Tables`, in any order
    waiting,
    customers,
    demand,
    distance,
    room,
    capacity,
    speed,
    strength,
    unit,
    shares,
    whole,
    mean_demand,
    place,
    vehicle_part,
    dynamic,
    out,
    out_bias,
    weigh,
    weigh_bias,
    key,
    value,
    compare,
    ways,
    fixed,
    fleet_query,
    fleet_context,
    fleet_key,
    fleet_value,
    fleet_part,
    fleet_dynamic,
    fleet_glimpse,
    fleet_own,
    fleet_others,
    fleet_bias,
    fleet_score,
    fleet_share,
    # numbers
    seed,  # (1,) int64
    sampled,  # instances from this number on are decoded greedily
    temperature,  # of the others
    samples,
    nodes,
    vehicles,
    most_steps,
    scale,
    clip,
    rows: tl.constexpr,
    words: tl.constexpr,
    block: tl.constexpr,
    fleet: tl.constexpr,
    dim: tl.constexpr,
    heads: tl.constexpr,
    hidden: tl.constexpr,
    pairs: tl.constexpr,
    precision: tl.constexpr,
):
    """Plays the samples of block `program_id(1)` of instance `program_id(0)` to the end."""
    instance = tl.program_id(0).to(tl.int64)
    sample = tl.program_id(1) * rows + tl.arange(0, rows)
    number = instance * samples + sample
    real = sample < samples
    noisy = instance < sampled
    drawn = tl.load(seed)

    waiting += instance * words
    demand += instance * nodes
    distance += instance * nodes * nodes
    shares += instance * nodes * 3
    room += instance * vehicles
    capacity += instance * vehicles
    speed += instance * vehicles
    place += instance * nodes * dim
    vehicle_part += instance * vehicles * dim
    key += instance * nodes * dim
    value += instance * nodes * dim
    compare += instance * nodes * dim
    ways += instance * nodes * nodes * 2
    fixed += instance * nodes * pairs
    fleet_query += instance * dim
    fleet_key += instance * nodes * dim
    fleet_value += instance * nodes * dim
    fleet_part += instance * vehicles * hidden

    one = tl.arange(0, fleet)
    fitted = one < vehicles
    rooms = tl.load(room + one, mask=fitted, other=-1.0)
    strengths = tl.load(strength + instance * vehicles + one, mask=fitted, other=0.0)
    fleet_shares = tl.load(fleet_share + instance * vehicles + one, mask=fitted, other=0.0)
    units = tl.load(unit + instance)
    mean_demands = tl.load(mean_demand + instance)

    word = tl.arange(0, words)
    bits = tl.load(waiting + word)[None, :] + tl.zeros((rows, words), tl.int64)
    left = tl.where(real, tl.load(customers + instance), 0)
    demand_left = tl.zeros((rows,), tl.float32) + tl.load(whole + instance * 3)
    work_left = tl.zeros((rows,), tl.float32) + tl.load(whole + instance * 3 + 1)
    count_left = tl.zeros((rows,), tl.float32) + tl.load(whole + instance * 3 + 2)
    time = tl.zeros((rows, fleet), tl.float32)
    vehicle = tl.zeros((rows,), tl.int32)
    position = tl.zeros((rows,), tl.int32)
    load = tl.load(room + vehicle)
    step = 0
    taken = tl.zeros((rows,), tl.int32)

    running = tl.max(left, 0)
    while (running > 0) & (step < most_steps):
        going = left > 0
        mine = one[None, :] == vehicle[:, None]
        way_home = tl.load(distance + position * nodes) / tl.load(speed + vehicle)
        home_time = (time + tl.where(mine, way_home[:, None], 0.0)) / units
        latest = tl.max(home_time, 1)
        level = tl.sum(home_time * strengths[None, :], 1) + work_left

        choosing = going & (position == 0)
        if tl.max(choosing.to(tl.int32), 0) > 0:
            query = _row(fleet_query, 0, dim) + _context(
                demand_left, work_left, count_left, latest, level, fleet_context, dim
            )
            anything = tl.full((rows,), float("inf"), load.dtype)
            seen = _glimpse(
                query, fleet_key, fleet_value, bits, demand, anything, choosing, nodes, scale,
                rows, block, dim, heads, precision,
            )  # fmt: skip
            score = _vehicle_scores(
                seen, home_time, latest, level, fleet_part, fleet_dynamic, fleet_glimpse,
                fleet_own, fleet_others, fleet_bias, fleet_score, fleet_shares, vehicles,
                rows, fleet, dim, hidden, precision,
            )  # fmt: skip
            smallest = _smallest(bits, demand, nodes, rows, block)
            score = tl.where(smallest[:, None] <= rooms[None, :], score, NEVER)
            if noisy:
                noise = temperature * _gumbel(drawn, number, step, one, vehicles + nodes)
                score = _disturbed(score, tl.max(score, 1), FLEET_RANGE, noise)
            chosen = tl.argmax(score, 1)
            vehicle = tl.where(choosing, chosen, vehicle)
            load = tl.where(choosing, tl.load(room + vehicle), load)
            mine = one[None, :] == vehicle[:, None]

        away = position > 0
        share_of_load = (load / tl.load(capacity + vehicle)).to(tl.float32)
        own_time = tl.sum(tl.where(mine, home_time, 0.0), 1)
        column = tl.arange(0, dim)[None, :]
        base = tl.load(place + position[:, None] * dim + column)
        base += tl.load(vehicle_part + vehicle[:, None] * dim + column)
        base += _context(demand_left, work_left, count_left, latest, level, dynamic, dim)
        base += _outer(own_time, dynamic, 5, dim) + _outer(share_of_load, dynamic, 6, dim)
        active = _silu(base).to(out.dtype.element_ty)
        query = base + _row(out_bias, 0, dim) + _product(active, out, dim, dim, precision)
        weight = _row(weigh_bias, 0, pairs) + _product(active, weigh, dim, pairs, precision)
        seen = _glimpse(
            query, key, value, bits, demand, load, away, nodes, scale,
            rows, block, dim, heads, precision,
        )  # fmt: skip
        node = _choose_node(
            seen + query, weight, position, (load / mean_demands).to(tl.float32), compare, ways,
            fixed, bits, demand, load, away, nodes, clip, noisy, temperature, drawn, number, step,
            vehicles, rows, words, block, dim, pairs, precision,
        )  # fmt: skip

        at = number * most_steps + step
        tl.store(vehicle_taken + at, vehicle, mask=going)
        tl.store(node_taken + at, node, mask=going)
        leg = tl.load(distance + position * nodes + node) / tl.load(speed + vehicle)
        time += tl.where(mine & going[:, None], leg[:, None], 0.0)
        load -= tl.load(demand + node)
        demand_left -= tl.load(shares + node * 3)
        work_left -= tl.load(shares + node * 3 + 1)
        count_left -= tl.load(shares + node * 3 + 2)
        served = tl.where(word[None, :] == (node // block)[:, None], 1, 0).to(tl.int64)
        bits = bits & ~(served << (node % block).to(tl.int64)[:, None])
        position = tl.where(going, node, position)
        left -= tl.where(going & (node > 0), 1, 0)
        taken += tl.where(going, 1, 0)
        step += 1
        running = tl.max(left, 0)

    way_home = tl.load(distance + position * nodes) / tl.load(speed + vehicle)
    time += tl.where(one[None, :] == vehicle[:, None], way_home[:, None], 0.0)
    at = number[:, None] * vehicles + one[None, :]
    tl.store(times + at, time, mask=real[:, None] & fitted[None, :])
    tl.store(steps + number, taken, mask=real)


@triton.jit
def _glimpse(
    query, key, value, bits, demand, limit, depot, nodes, scale,
    rows: tl.constexpr, block: tl.constexpr, dim: tl.constexpr,
    heads: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """softmax(q kᵀ) v of each head over the allowed nodes, the heads side by side, (rows, dim)."""
    width: tl.constexpr = dim // heads
    query = tl.reshape(query.to(key.dtype.element_ty), (rows, heads, width))
    query = tl.permute(query, (1, 0, 2))
    most = tl.full((heads, rows), NEVER, tl.float32)
    total = tl.zeros((heads, rows), tl.float32)
    mixed = tl.zeros((heads, rows, width), tl.float32)
    for number in range(tl.cdiv(nodes, block)):
        node = number * block + tl.arange(0, block)
        allowed = _allowed(bits, number, node, demand, limit, depot, nodes, block)
        most, total, mixed = blend(
            query, key, value, allowed, node, nodes, scale, most, total, mixed,
            heads, width, precision,
        )  # fmt: skip
    mixed = tl.permute(mixed / total[:, :, None], (1, 0, 2))
    return tl.reshape(mixed, (rows, dim))


@triton.jit
def blend(
    query, key, value, allowed, node, nodes, scale, most, total, mixed,
    heads: tl.constexpr, width: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """One more block of nodes in a softmax: largest score, sum of weights, weighted values.

    The query is (heads, rows, width), keys and values are (heads, N, width).
    """
    keys = heads_of(key, node, nodes, heads, width)
    score = tl.dot(query, tl.permute(keys, (0, 2, 1)), input_precision=precision) * scale
    score += tl.where(allowed, 0.0, NEVER)[None]
    peak = tl.maximum(most, tl.max(score, 2))
    weight = tl.exp(score - peak[:, :, None])
    fade = tl.exp(most - peak)
    values = heads_of(value, node, nodes, heads, width)
    seen = tl.dot(weight.to(values.dtype), values, input_precision=precision)
    return peak, total * fade + tl.sum(weight, 2), mixed * fade[:, :, None] + seen


@triton.jit
def heads_of(table, node, nodes, heads: tl.constexpr, width: tl.constexpr):
    """Rows `node` of a table (heads, N, width), zeros beyond N."""
    at = tl.arange(0, heads)[:, None, None] * nodes * width + node[None, :, None] * width
    at += tl.arange(0, width)[None, None, :]
    return tl.load(table + at, mask=(node < nodes)[None, :, None], other=0.0)


@triton.jit
def _vehicle_scores(
    seen, time, latest, level, part, dynamic, glimpse, own, others, bias, score, shares, vehicles,
    rows: tl.constexpr, fleet: tl.constexpr, dim: tl.constexpr, hidden: tl.constexpr,
    precision: tl.constexpr,
):  # fmt: skip
    """The unbounded scores u_v of `VehicleDecoder` with all vehicles home, (rows, fleet)."""
    one, column = tl.arange(0, fleet), tl.arange(0, hidden)
    common = _product(seen.to(glimpse.dtype.element_ty), glimpse, dim, hidden, precision)
    common += _outer(level, dynamic, 0, hidden) + _outer(latest, dynamic, 1, hidden)
    at = one[:, None] * hidden + column[None, :]
    parts = tl.load(part + at, mask=(one < vehicles)[:, None], other=0.0)
    state = _silu(
        parts[None] + common[:, None, :] + time[:, :, None] * _row(dynamic, 2, hidden)[None]
    )
    mean = tl.sum(state * shares[None, :, None], 1)
    kind = own.dtype.element_ty
    everyone = _product(mean.to(kind), others, hidden, hidden, precision) + _row(bias, 0, hidden)
    tall = tl.reshape(state, (rows * fleet, hidden)).to(kind)
    weights = tl.load(own + column[:, None] * hidden + column[None, :])
    mixed = tl.reshape(tl.dot(tall, weights, input_precision=precision), (rows, fleet, hidden))
    mixed = _silu(mixed + everyone[:, None, :])
    return tl.sum(mixed * _row(score, 0, hidden)[None], 2)


@triton.jit
def _choose_node(
    query, weight, position, loads, compare, ways, fixed, bits, demand, limit, depot, nodes, clip,
    noisy, temperature, seed, number, step, vehicles,
    rows: tl.constexpr, words: tl.constexpr, block: tl.constexpr, dim: tl.constexpr,
    pairs: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """The node with the largest score, or with the largest sum of bounded score and noise."""
    fill = tl.arange(0, pairs)[None, :] == 2
    weight = tl.where(fill, weight / tl.maximum(loads, LEAST_LOAD)[:, None], weight)
    query = query.to(compare.dtype.element_ty)
    best = tl.full((rows,), NEVER, tl.float32)
    chosen = tl.zeros((rows,), tl.int32)
    score = tl.full((rows, block), NEVER, tl.float32)
    for part in range(tl.cdiv(nodes, block)):
        score = _allowed_scores(
            query, weight, position, compare, ways, fixed, bits, part, demand, limit, depot,
            nodes, clip, block, dim, pairs, precision,
        )  # fmt: skip
        best, chosen = better(best, chosen, score, part * block)
    if noisy:
        top = tl.full((rows,), float("-inf"), tl.float32)
        for part in range(tl.cdiv(nodes, block)):
            if words > 1:  # the scores of an only block are still at hand
                score = _allowed_scores(
                    query, weight, position, compare, ways, fixed, bits, part, demand, limit,
                    depot, nodes, clip, block, dim, pairs, precision,
                )  # fmt: skip
            node = part * block + tl.arange(0, block)
            noise = _gumbel(seed, number, step, vehicles + node, vehicles + nodes)
            drawn = _disturbed(score, best, NODE_RANGE, temperature * noise)
            top, chosen = better(top, chosen, drawn, part * block)
    return chosen


@triton.jit
def _allowed_scores(
    query, weight, position, compare, ways, fixed, bits, part, demand, limit, depot, nodes, clip,
    block: tl.constexpr, dim: tl.constexpr, pairs: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """`scores` of block `part`, NEVER where the vehicle may not go."""
    node = part * block + tl.arange(0, block)
    score = scores(
        query, weight, position, compare, ways, fixed, node, nodes, clip, dim, pairs, precision
    )
    allowed = _allowed(bits, part, node, demand, limit, depot, nodes, block)
    return tl.where(allowed, score, NEVER)


@triton.jit
def better(best, chosen, score, first):
    """The largest score so far and its column, with one more block from column `first` on."""
    top = tl.max(score, 1)
    chosen = tl.where(top > best, first + tl.argmax(score, 1), chosen)
    return tl.maximum(best, top), chosen


@triton.jit
def _disturbed(score, best, bound, noise):
    """Bounded scores with noise, −∞ where the score is NEVER."""
    bounded = bound * below_best(score, best, bound) + noise
    return tl.where(score > NEVER, bounded, float("-inf"))


@triton.jit
def below_best(score, best, bound):
    """The tanh of `attention.below_best`, for scores that are nowhere above the best."""
    return _tanh((score - best[:, None]) / bound)


@triton.jit
def scores(
    query, weight, position, compare, ways, fixed, node, nodes, clip,
    dim: tl.constexpr, pairs: tl.constexpr, precision: tl.constexpr,
):  # fmt: skip
    """The unbounded scores x_j of `NodeDecoder` of a block of nodes, (rows, block)."""
    inside = (node < nodes)[None, :]
    at = tl.arange(0, dim)[:, None] + node[None, :] * dim
    against = tl.load(compare + at, mask=inside, other=0.0)
    at = tl.arange(0, pairs)[:, None] * nodes + node[None, :]
    known = tl.load(fixed + at, mask=inside, other=0.0)
    # The numbers of a pair enter in full precision: they are few, and distances tell.
    extra = tl.dot(weight, known, input_precision="tf32x3")
    pair = tl.arange(0, pairs)[None, :]
    for number in tl.static_range(2):  # the logarithm of the way comes second
        share = tl.sum(tl.where(pair == 1 - number, weight, 0.0), 1)[:, None]
        way = ways + (position[:, None] * 2 + number) * nodes + node[None, :]
        extra += share * tl.load(way, mask=inside, other=0.0).to(tl.float32)
    return clip * tl.dot(query, against, input_precision=precision) + extra


@triton.jit
def _allowed(bits, number, node, demand, limit, depot, nodes, block: tl.constexpr):
    """Waiting customers of a block that fit `limit`, and the depot where `depot` says so."""
    needs = tl.load(demand + node, mask=node < nodes, other=float("inf"))
    fits = needs[None, :] <= limit[:, None]
    return (_waits(bits, number, block) & fits) | ((node == 0)[None, :] & depot[:, None])


@triton.jit
def _smallest(
    bits, demand, nodes, rows: tl.constexpr, block: tl.constexpr
):  # fmt: skip
    """The smallest demand that waits, (rows,)."""
    smallest = tl.full((rows,), float("inf"), demand.dtype.element_ty)
    for number in range(tl.cdiv(nodes, block)):
        node = number * block + tl.arange(0, block)
        needs = tl.load(demand + node, mask=node < nodes, other=float("inf"))
        needs = tl.where(_waits(bits, number, block), needs[None, :], float("inf"))
        smallest = tl.minimum(smallest, tl.min(needs, 1))
    return smallest


@triton.jit
def _waits(bits, number, block: tl.constexpr):
    """The bits of a block, (rows, block) bool."""
    word = tl.arange(0, bits.shape[1])[None, :] == number
    own = tl.sum(tl.where(word, bits, 0), 1)
    return ((own[:, None] >> tl.arange(0, block).to(tl.int64)[None, :]) & 1) > 0


@triton.jit
def _product(x, weights, inner: tl.constexpr, outer: tl.constexpr, precision: tl.constexpr):
    """The product x W for weights (inner, outer) of x's type, in float32."""
    row, column = tl.arange(0, inner)[:, None], tl.arange(0, outer)[None, :]
    return tl.dot(x, tl.load(weights + row * outer + column), input_precision=precision)


@triton.jit
def _context(demand_left, work_left, count_left, latest, level, table, width: tl.constexpr):
    """`Outlook.context` times the first five rows of the table."""
    total = _outer(demand_left, table, 0, width) + _outer(work_left, table, 1, width)
    total += _outer(count_left, table, 2, width) + _outer(latest, table, 3, width)
    return total + _outer(level, table, 4, width)


@triton.jit
def _outer(value, table, row: tl.constexpr, width: tl.constexpr):
    """`value` (rows,) times row `row` of the table."""
    return value[:, None] * _row(table, row, width)


@triton.jit
def _row(table, row: tl.constexpr, width: tl.constexpr):
    """Row `row` of the table, (1, width)."""
    return tl.load(table + row * width + tl.arange(0, width))[None, :]


@triton.jit
def _gumbel(seed, row, step, column, width):
    """Gumbel noise by place alone: the same for a row, a step and a column whatever the blocks."""
    counter = (row.to(tl.int64) << 32)[:, None] + (step * width + column)[None, :]
    return -tl.log(-tl.log(tl.maximum(tl.rand(seed, counter), 1e-10)))


@triton.jit
def _silu(x):
    return x / (1 + tl.exp(-x))


@triton.jit
def _tanh(x):
    return 1 - 2 / (tl.exp(2 * x) + 1)
