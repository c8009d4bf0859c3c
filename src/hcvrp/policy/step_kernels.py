"""A step of the paper's policies as two Triton kernels: who moves, and where to.

In a rollout of training every instance has keys and values of its own and one query a step.
Libraries see thousands of products of a matrix with one vector, and a dozen small kernels around
them; here a few rows share the vehicle decoder's weights, and one program a row reads what belongs
to it once and leaves with the next state. Sums are in float32 whatever the tables' precision.
"""

import triton
import triton.language as tl

from hcvrp.policy.attention_kernel import NEVER

QUERIES = tl.constexpr(16)
"""The least that tensor cores multiply: one row for each head, the others empty."""

FEATURES = tl.constexpr(32)
"""At least three for each vehicle."""


@triton.jit
def choose_vehicle(
    chosen,  # (R,) int64, to be written
    # `State` and memory, R rows of L samples an instance
    served,  # (R, N) bytes
    position,
    time,
    last,
    memory,  # (R, M, dim)
    # `Batch`
    points,
    demand,
    room,
    fitted,
    # `VehicleScorer`
    vehicle_weight,
    vehicle_bias,
    route_weight,
    route_bias,
    vehicle_out,
    route_out,
    bias,
    noise,  # (R, M + N), read where `sampled`
    share,  # rows of each network; program_id(1) counts networks
    samples,
    nodes,
    vehicles: tl.constexpr,
    fleet: tl.constexpr,  # vehicles and padding
    block: tl.constexpr,  # nodes and padding
    dim: tl.constexpr,
    hidden: tl.constexpr,
    tile: tl.constexpr,  # of the hidden layers
    rows: tl.constexpr,
    sampled: tl.constexpr,
    precision: tl.constexpr,
):
    """`PaperDecoder.vehicle_scores` and the choice (Li et al. 2021, eq. 20 to 27)."""
    network = tl.program_id(1).to(tl.int64)
    place = tl.program_id(0) * rows + tl.arange(0, rows)
    there = place < share
    row = network * share + tl.where(there, place, 0)
    instance = row // samples
    may = _may_move(
        served, position, demand, room, fitted, row, instance, nodes, vehicles, fleet, block
    )
    begun = tl.load(last + row) >= 0
    features = _features(points, position, time, row, instance, nodes, vehicles)
    feature, column = tl.arange(0, FEATURES), tl.arange(0, dim)
    one = tl.arange(0, fleet)[None, :]
    known, owned = (feature < 3 * vehicles)[:, None], one < vehicles
    score = tl.load(bias + network * vehicles + one, mask=owned, other=0.0)
    score += tl.zeros((rows, fleet), tl.float32)

    for first in range(0, hidden, tile):
        unit = first + tl.arange(0, tile)
        into = vehicle_weight + network * 3 * vehicles * hidden
        inward = tl.load(into + feature[:, None] * hidden + unit[None, :], mask=known, other=0.0)
        seen = tl.dot(features, inward, input_precision="tf32x3")
        seen += tl.load(vehicle_bias + network * hidden + unit)[None, :]
        routes = tl.zeros((rows, tile), tl.float32)
        panel = route_weight + network * vehicles * dim * hidden
        panel += column[:, None] * hidden + unit[None, :]
        pooled = memory + (row * vehicles * dim)[:, None] + column[None, :]
        for _ in range(vehicles):
            route = tl.load(pooled, mask=begun[:, None], other=0.0)
            weight = tl.load(panel)
            routes = tl.dot(route.to(weight.dtype), weight, routes, input_precision=precision)
            pooled += dim
            panel += dim * hidden
        routes += tl.load(route_bias + network * hidden + unit).to(tl.float32)[None, :]
        seen, routes = tl.maximum(seen, 0.0), tl.maximum(routes, 0.0)
        for v in tl.static_range(vehicles):
            out = (network * hidden + unit) * vehicles + v
            own = seen * tl.load(vehicle_out + out)[None, :]
            own += routes * tl.load(route_out + out).to(tl.float32)[None, :]
            score += tl.where(one == v, tl.sum(own, 1)[:, None], 0.0)

    if sampled:
        at = row[:, None] * (vehicles + nodes) + one
        score += tl.load(noise + at, mask=one < vehicles, other=0.0)
    score = tl.where(may, score, float("-inf"))
    tl.store(chosen + row, tl.argmax(score, 1).to(tl.int64), mask=there)


@triton.jit
def _features(points, position, time, row, instance, nodes, vehicles: tl.constexpr):
    """x, y and time of each vehicle, (rows, FEATURES), zeros beyond them."""
    feature = tl.arange(0, FEATURES)[None, :]
    at, part = row[:, None] * vehicles + feature // 3, feature % 3
    known = feature < 3 * vehicles
    place = tl.load(position + at, mask=known & (part < 2), other=0)
    point = points + (instance[:, None] * nodes + place) * 2 + part
    spent = tl.load(time + at, mask=known & (part == 2), other=0.0)
    return tl.load(point, mask=known & (part < 2), other=0.0) + spent


@triton.jit
def choose_turn(
    chosen,
    served,
    position,
    last,
    demand,
    room,
    fitted,
    count,  # of rows
    samples,
    nodes,
    vehicles: tl.constexpr,
    fleet: tl.constexpr,
    block: tl.constexpr,
    rows: tl.constexpr,
):
    """`AttentionDecoder.vehicle_scores` and the choice: the next in turn that may move."""
    place = tl.program_id(0) * rows + tl.arange(0, rows)
    row = tl.where(place < count, place, 0).to(tl.int64)
    may = _may_move(
        served, position, demand, room, fitted, row, row // samples, nodes, vehicles, fleet, block
    )
    turn = tl.arange(0, fleet)[None, :] - tl.load(last + row).to(tl.int32)[:, None] - 1
    wait = tl.where(may, (turn + vehicles) % vehicles, vehicles)
    tl.store(chosen + row, tl.argmin(wait, 1).to(tl.int64), mask=place < count)


@triton.jit
def _may_move(
    served,
    position,
    demand,
    room,
    fitted,
    row,
    instance,
    nodes,
    vehicles: tl.constexpr,
    fleet: tl.constexpr,
    block: tl.constexpr,
):
    """`env.vehicle_mask`, (rows, fleet), False for padding."""
    node, one = tl.arange(0, block)[None, :], tl.arange(0, fleet)[None, :]
    real = node < nodes
    done = tl.load(served + row[:, None] * nodes + node, mask=real, other=1) != 0
    need = tl.load(demand + instance[:, None] * nodes + node, mask=real, other=0.0)
    least = tl.min(tl.where(done, float("inf"), need), 1)
    owned, at = one < vehicles, instance[:, None] * vehicles + one
    fits = least[:, None] <= tl.load(room + at, mask=owned, other=0.0)
    away = tl.load(position + row[:, None] * vehicles + one, mask=owned, other=0) != 0
    return (tl.load(fitted + at, mask=owned, other=0) != 0) & (fits | away)


@triton.jit
def choose_node(
    # to be written: the node, the next `State` but for who moved, and the next memory
    taken,  # (R,) int64
    next_served,  # (R, N) bytes
    next_position,
    next_remaining,
    next_time,
    next_memory,
    # the vehicle, (R,) int64, and where things stand
    vehicle,
    served,
    position,
    remaining,
    time,
    memory,
    # `Batch`
    demand,
    distance,
    room,
    speed,
    # `NodeScorer`; embeddings for the memory of `paper`; what others divide capacities by
    query,
    load,
    key,
    value,
    compare,
    embedding,
    unit,  # (B,)
    noise,  # (R, M + N), read where `sampled`
    samples,
    nodes,
    scale,
    clip,
    vehicles: tl.constexpr,
    fleet: tl.constexpr,
    block: tl.constexpr,
    heads: tl.constexpr,
    width: tl.constexpr,
    paper: tl.constexpr,
    sampled: tl.constexpr,
    precision: tl.constexpr,
):
    """`NodeScorer.scores`, the choice and `env.step` for row program_id(0) (eq. 28 to 31)."""
    dim: tl.constexpr = heads * width
    row = tl.program_id(0).to(tl.int64)
    instance = row // samples
    # Loads come first, so that a program waits for memory three times: for the state, for what
    # the nodes that are left say, and for the embedding of the one it takes.
    one, node, column = tl.arange(0, fleet), tl.arange(0, block), tl.arange(0, dim)
    owned, real = one < vehicles, node < nodes
    at = row * vehicles + one
    mover = tl.load(vehicle + row)
    done = tl.load(served + row * nodes + node, mask=real, other=1) != 0
    need = tl.load(demand + instance * nodes + node, mask=real, other=0.0)
    stood = tl.load(position + at, mask=owned, other=0)
    loaded = tl.load(remaining + at, mask=owned, other=0.0)
    spent = tl.load(time + at, mask=owned, other=0.0)
    full = tl.load(room + instance * vehicles + one, mask=owned, other=0.0)
    pace = tl.load(speed + instance * vehicles + one, mask=owned, other=1.0)
    more = tl.load(load + instance * dim + column)
    luck = tl.zeros((block,), tl.float32)
    if sampled:
        luck = tl.load(noise + row * (vehicles + nodes) + vehicles + node, mask=real, other=0.0)

    moves = one == mover
    here, left = tl.sum(tl.where(moves, stood, 0), 0), tl.sum(tl.where(moves, loaded, 0.0), 0)
    allowed = (need <= left) & (done == 0)
    stuck = tl.max(allowed.to(tl.int32), 0) == 0
    depot = tl.where((here != 0) | stuck, 0, -1)  # its number, or none
    allowed = allowed | (node == depot)
    way = tl.load(distance + (instance * nodes + here) * nodes + node, mask=allowed, other=0.0)
    asked = tl.load(query + (instance * nodes + here) * dim + column)
    spare = left if paper else left / tl.load(unit + instance)
    start, source = instance * nodes * dim, tl.where(allowed, node, 0)[:, None]
    split = (column // width * nodes * width + column % width)[None, :] + source * width
    keys = tl.load(key + start + split)
    values = tl.load(value + start + split)
    against = tl.load(compare + start + source * dim + column[None, :])

    asked += spare.to(tl.float32) * more
    own = (column // width)[None, :] == tl.arange(0, QUERIES)[:, None]  # of each head
    questions = tl.where(own, asked[None, :], 0.0).to(keys.dtype)
    fit = tl.dot(questions, tl.trans(keys), input_precision=precision)
    fit = tl.where(allowed[None, :], (fit * scale).to(tl.float32), NEVER)
    weight = tl.exp(fit - tl.max(fit, 1)[:, None])
    weight = weight / tl.sum(weight, 1)[:, None]
    seen = tl.dot(weight.to(values.dtype), values, input_precision=precision)
    glimpse = tl.where(own, seen, 0.0).to(against.dtype)
    agreement = tl.sum(tl.dot(glimpse, tl.trans(against), input_precision=precision), 0)
    score = clip * (1 - 2 / (tl.exp(2 * agreement) + 1)) + luck  # clip · tanh
    to = tl.argmax(tl.where(allowed, score, float("-inf")), 0)
    tl.store(taken + row, to.to(tl.int64))

    tl.store(next_served + row * nodes + node, (done | (node == to)).to(tl.int8), mask=real)
    over = tl.min(done.to(tl.int32), 0) != 0  # a finished row stays as it is
    steps = one == tl.where(over, vehicles, mover)
    served_load = tl.sum(tl.where(node == to, need, 0.0), 0)
    leg = tl.sum(tl.where(node == to, way, 0.0), 0) / pace
    after = tl.where(to == 0, full, loaded - served_load)
    tl.store(next_time + at, spent + tl.where(steps, leg, 0.0), mask=owned)
    tl.store(next_position + at, tl.where(steps, to.to(tl.int64), stood), mask=owned)
    tl.store(next_remaining + at, tl.where(steps, after, loaded), mask=owned)
    if paper:
        visited = tl.load(embedding + (instance * nodes + to) * dim + column)[None, :]
        routes = one[:, None] * dim + column[None, :]
        memory += row * vehicles * dim
        route = tl.load(memory + routes, mask=owned[:, None], other=0.0)
        route = tl.where(moves[:, None], tl.maximum(route, visited), route)
        tl.store(next_memory + row * vehicles * dim + routes, route, mask=owned[:, None])
