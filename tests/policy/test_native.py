"""The fleet network in the compiled core, against torch in double precision and the referee."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file

from hcvrp import InputError, Instance, Objective, Vehicle, generate, solve
from hcvrp.env import Actions, Batch, Decoder, collate, node_mask, replay, rollout, vehicle_mask
from hcvrp.env.tensors import mapped
from hcvrp.policy import NativeFleet, NetworkConfig, Policy, build
from hcvrp.policy.decoding import symmetric
from hcvrp.policy.engine import find_engine
from hcvrp.policy.fleet import FleetDecoder, FleetNetwork
from hcvrp.policy.settings import Decoding
from hcvrp.policy.torch_engine import TorchEngine
from hcvrp.policy.weights import write_weights
from hcvrp.policy.weights_file import SHIPPED, read_arrays
from hcvrp.search.savings import Savings
from hcvrp.task import Result, Stop, Task

BOTH = tuple(Objective)
FULL = NetworkConfig("fleet", layers=6)
SMALL = NetworkConfig("fleet", dim=32, heads=2, layers=2, feed_forward=48)
CONFIGS = {"full": FULL, "small": SMALL, "moves": replace(SMALL, trips=False)}


@dataclass(frozen=True)
class Twins:
    """One network, as a file, in the core and in torch."""

    path: Path
    core: NativeFleet
    torch: FleetNetwork  # in double precision

    def decoder(
        self, instance: Instance, objective: Objective, view: int = 0
    ) -> tuple[Batch, FleetDecoder]:
        batch = double(collate([instance], torch.float64))
        decoder = self.torch.encode(symmetric(batch, view), objective)
        assert isinstance(decoder, FleetDecoder)
        return batch, decoder

    def single(
        self, instance: Instance, objective: Objective, actions: Actions
    ) -> list[torch.Tensor]:
        """Torch's scores in single precision."""
        network = TorchEngine.load(self.path).weights.network
        batch = collate([instance])
        decoder = network.encode(batch, objective)
        assert isinstance(decoder, FleetDecoder)
        with torch.no_grad():
            return reference(batch, decoder, actions)


def double(batch: Batch) -> Batch:
    return mapped(batch, lambda t: t.double() if t.is_floating_point() else t)


def lively(config: NetworkConfig) -> FleetNetwork:
    """Larger than the initial weights, so that choices differ."""
    network = build(config, seed=5).eval().requires_grad_(False)
    assert isinstance(network, FleetNetwork)
    for parameter in network.parameters():
        parameter.mul_(1.5)
    # Vehicles begin nearly alike.
    network.encoder.vehicle.weight.mul_(4)
    network.vehicle_decoder.vehicle.weight.mul_(2)
    network.vehicle_decoder.dynamic.weight.mul_(2)
    return network


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("weights")
    paths = {name: folder / f"{name}.safetensors" for name in CONFIGS}
    for name, path in paths.items():
        write_weights(path, lively(CONFIGS[name]), None, 40)
    shipped = SHIPPED / "fleet.safetensors"
    return paths | ({"shipped": shipped} if shipped.is_file() else {})


def twins_of(path: Path) -> Twins:
    network = TorchEngine.load(path).weights.network.double()
    assert isinstance(network, FleetNetwork)
    return Twins(path, NativeFleet.load(path), network)


@pytest.fixture(scope="module", params=[*CONFIGS, "shipped"])
def twins(request: pytest.FixtureRequest, files: dict[str, Path]) -> Twins:
    if request.param not in files:
        pytest.skip("no fleet weights are shipped")
    return twins_of(files[request.param])


@pytest.fixture(scope="module")
def small(files: dict[str, Path]) -> NativeFleet:
    return NativeFleet.load(files["small"])


def mixed(n: int, vehicles: int, seed: int) -> Instance:
    """Non-integer demands, capacities and speeds."""
    rng = np.random.default_rng(seed)
    fleet = [Vehicle(q, s) for q, s in zip(*rng.uniform((9, 0.3), (40, 2), (vehicles, 2)).T)]  # noqa: B905
    return Instance(
        rng.uniform(0.1, 8.9, n),
        fleet,
        depot=rng.uniform(-5, 9, 2),
        customers=rng.uniform(-5, 9, (n, 2)),
    )


def walk(batch: Batch, decoder: Decoder, seed: int | None = 1) -> Actions:
    """The moves of one sampled rollout, or of the greedy one, up to the last customer."""
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    actions = rollout(batch, decoder, 1, generator).actions
    steps = int(replay(batch, actions).active.sum())
    return mapped(actions, lambda t: t[..., :steps])


def reference(batch: Batch, decoder: FleetDecoder, actions: Actions) -> list[torch.Tensor]:
    """Torch's scores of vehicles and nodes before each move, (T, M) and (T, N)."""
    state, flat = replay(batch, actions).state, actions.flat()
    mask = vehicle_mask(batch, state, trips=decoder.trips)
    vehicles = decoder.vehicle_scores(batch, state, decoder.recall(actions), mask)
    nodes = decoder.node_scores(batch, state, flat.vehicle, node_mask(batch, state, flat.vehicle))
    return [vehicles[0], nodes[0]]


def moves(actions: Actions) -> list[tuple[int, int]]:
    return list(
        zip(actions.vehicle.flatten().tolist(), actions.node.flatten().tolist(), strict=True)
    )


def assert_same_scores(twins: Twins, instance: Instance, objective: Objective) -> None:
    """Within 1e-4, or four times what torch itself loses in single precision.

    A trained network's terms are in the hundreds before they are bounded below the best.
    """
    batch, decoder = twins.decoder(instance, objective)
    actions = walk(batch, decoder)
    exact = reference(batch, decoder, actions)
    found = zip(*twins.core.scores(instance, objective, moves(actions)), strict=True)
    for ours, single, theirs in zip(found, twins.single(instance, objective, actions), exact):  # noqa: B905
        loss = (single.double() - theirs).nan_to_num().abs().max()
        torch.testing.assert_close(
            torch.tensor(ours, dtype=torch.float64),
            theirs,
            rtol=1e-5,
            atol=max(1e-4, 4 * float(loss)),
        )


def test_scores_are_those_of_torch_on_nasty_instances(twins: Twins, nasty: Instance) -> None:
    for objective in BOTH:
        assert_same_scores(twins, nasty, objective)


@pytest.mark.parametrize(("n", "vehicles"), [(20, 3), (31, 1), (150, 8)])
def test_scores_are_those_of_torch_on_random_instances(twins: Twins, n: int, vehicles: int) -> None:
    assert_same_scores(twins, mixed(n, vehicles, seed=n), BOTH[n % 2])


def test_the_scores_compared_are_not_all_alike(files: dict[str, Path]) -> None:
    twins, instance = twins_of(files["full"]), mixed(20, 3, seed=1)
    vehicles, nodes = zip(*twins.core.scores(instance, BOTH[0], [(0, 1)]), strict=True)
    assert np.ptp(vehicles[0]) > 0.1
    assert np.ptp([s for s in nodes[0] if s > -math.inf]) > 2


@pytest.mark.parametrize("view", range(8))
def test_embeddings_are_those_of_torch_under_every_symmetry(
    files: dict[str, Path], view: int
) -> None:
    twins, instance = twins_of(files["full"]), mixed(12, 3, seed=2)
    _, decoder = twins.decoder(instance, BOTH[1], view)
    place = twins.torch.node_decoder.place
    ours = torch.from_numpy(twins.core.embeddings(instance, BOTH[1], view)).double()
    torch.testing.assert_close(place(ours[:13]), decoder.nodes.place[0], rtol=0, atol=1e-4)
    fleet = twins.torch.node_decoder.vehicle(ours[13:])
    torch.testing.assert_close(fleet, decoder.nodes.vehicle[0], rtol=0, atol=1e-4)


def test_greedy_choices_are_those_of_torch_up_to_ties(twins: Twins, nasty: Instance) -> None:
    for instance in (nasty, mixed(25, 3, seed=7)):
        batch, decoder = twins.decoder(instance, BOTH[0])
        path = moves(walk(batch, decoder, None))
        for (vehicle, node), (vehicles, nodes) in zip(
            path, twins.core.scores(instance, BOTH[0], path), strict=True
        ):
            assert vehicles[vehicle] >= max(vehicles) - 2e-4
            assert nodes[node] >= max(nodes) - 2e-4


@pytest.mark.parametrize("objective", BOTH)
def test_greedy_answers_are_those_of_torch(twins: Twins, objective: Objective) -> None:
    instances = [mixed(25, 3, seed=7), generate(40, 5, seed=3)]
    theirs = TorchEngine.load(twins.path).on("cpu").answer_many(instances, objective, Decoding())
    assert twins.core.answer_many(instances, objective, Decoding()) == theirs


@pytest.mark.parametrize("samples", [0, 20])
@pytest.mark.parametrize("augment", [False, True])
def test_answers_are_feasible_distinct_and_sorted(
    small: NativeFleet, nasty: Instance, samples: int, augment: bool
) -> None:
    for objective in BOTH:
        found = small.solve(nasty, objective, samples=samples, augment=augment, keep=7)
        assert 1 <= len(found) <= 7
        assert len({solution for _, solution in found}) == len(found)
        assert [cost for cost, _ in found] == sorted(cost for cost, _ in found)
        for cost, solution in found:
            assert solution.violations(nasty) == []
            assert cost == solution.cost(nasty, objective)


LINE = {"depot": (0, 0), "customers": [(1, 0), (2, 0), (4, 0)]}
ONE_WAY = {"distances": [[0, 1, 2, 4], [3, 0, 5, 6], [1, 7, 0, 8], [2, 4, 9, 0]]}


@pytest.mark.parametrize(
    ("vehicles", "places", "plans"),
    [
        ([3], LINE, 3 + 3 + 1),  # one trip, in either direction the same; 2 + 1; 1 + 1 + 1
        ([3], ONE_WAY, 6 + 6 + 1),
        ([1, 1], LINE, 4),  # all by one vehicle, or one customer by the other
        ([1, Vehicle(1, 2)], LINE, 8),  # each customer by either
    ],
)
def test_answers_that_differ_in_order_alone_are_one(
    small: NativeFleet, vehicles: list[Vehicle], places: dict[str, object], plans: int
) -> None:
    instance = Instance([1, 1, 1], vehicles, **places)
    for objective in BOTH:
        found = small.solve(instance, objective, samples=3000, temperature=100.0, keep=50)
        assert len(found) == plans


@settings(max_examples=25)
@given(
    n=st.integers(1, 9),
    fleet=st.lists(st.tuples(st.integers(9, 60), st.floats(0.1, 3)), min_size=1, max_size=6),
    seed=st.integers(0, 1000),
    trips=st.booleans(),
)
def test_any_instance_gets_feasible_answers(
    files: dict[str, Path], n: int, fleet: list[tuple[int, float]], seed: int, trips: bool
) -> None:
    core = NativeFleet.load(files["small" if trips else "moves"])
    instance = generate(n, fleet=[Vehicle(q, s) for q, s in fleet], seed=seed)
    for cost, solution in core.solve(instance, "min-sum", samples=5, seed=seed, keep=5):
        assert solution.violations(instance) == []
        assert cost == solution.cost(instance, "min-sum")


def test_the_same_seed_gives_the_same_answers(small: NativeFleet) -> None:
    instance = generate(15, 3, seed=1)
    first, same, other = (
        small.solve(instance, "min-max", samples=24, seed=seed, keep=5) for seed in (1, 1, 2)
    )
    assert first == same
    assert first != other


def test_a_batch_gets_the_same_answers_on_any_number_of_threads(small: NativeFleet) -> None:
    instances = [mixed(12, 3, seed) for seed in range(5)]
    alone = [small.answer(Task(i, BOTH[0], seed=4), Decoding(9)).solution for i in instances]
    for threads in (1, 3, None):
        found = small.answer_many(instances, BOTH[0], Decoding(9), seed=4, threads=threads)
        assert found == alone


def test_limits_are_those_of_each_instance_of_a_batch(small: NativeFleet) -> None:
    instances = [mixed(12, 3, seed) for seed in range(3)]
    few = Stop(iterations=16)
    found = small.answer_many(instances, BOTH[0], Decoding(64), seed=4, stop=few)
    alone = [small.answer(Task(i, BOTH[0], few, seed=4), Decoding(64)) for i in instances]
    assert [result.iterations for result in alone] == [16] * 3
    assert found == [result.solution for result in alone]


def test_degrees_need_no_matrix_of_distances(small: NativeFleet) -> None:
    places = np.random.default_rng(3).uniform((47, 10), (49, 12), (9, 2))
    town = Instance([1] * 8, [5], depot=places[0], customers=places[1:], metric="great-circle")
    small.solve(town, "min-max")
    assert "distances" not in vars(town)  # it would take longer than all the rest


def test_moves_that_there_are_not_are_refused(small: NativeFleet) -> None:
    for move in [(-1, 1), (2, 1), (0, -1), (0, 6)]:
        with pytest.raises(ValueError, match="a move must be a vehicle and a node"):
            small.scores(mixed(5, 2, 1), BOTH[0], [move])


def test_the_scale_of_degrees_and_of_roads_is_that_of_torch(files: dict[str, Path]) -> None:
    twins, rng = twins_of(files["small"]), np.random.default_rng(2)
    degrees = rng.uniform((47, 10), (49, 12), (13, 2))
    places = {"depot": degrees[0], "customers": degrees[1:]}
    roads = rng.uniform(3, 60, (13, 13)) * (1 - np.eye(13))
    for known in (
        {**places, "metric": "great-circle"},
        {"distances": roads},
        {**places, "distances": roads},
    ):
        instance = Instance(rng.integers(1, 9, 12), [20, 30], **known)
        _, decoder = twins.decoder(instance, BOTH[1])
        ours = torch.from_numpy(twins.core.embeddings(instance, BOTH[1])[:13]).double()
        seen = twins.torch.node_decoder.place(ours)
        torch.testing.assert_close(seen, decoder.nodes.place[0], rtol=0, atol=1e-4)


@pytest.mark.parametrize("augment", [False, True])
def test_fewer_samples_are_the_first_of_more(small: NativeFleet, augment: bool) -> None:
    instance = generate(15, 3, seed=1)
    few, many = (
        small.solve(
            instance, "min-max", samples=samples, augment=augment, temperature=1.5, keep=1000
        )
        for samples in (24, 144)
    )
    assert set(few) < set(many)
    assert len(many) > 100
    assert many[:9] == small.solve(
        instance, "min-max", samples=144, augment=augment, temperature=1.5, keep=9
    )


def test_eight_views_are_never_worse_than_one(small: NativeFleet) -> None:
    for seed in range(6):
        instance = generate(20, 3, seed=seed)
        (one, _), (eight, _) = (
            small.solve(instance, "min-max", augment=augment)[0] for augment in (False, True)
        )
        assert eight <= one


@pytest.mark.parametrize("temperature", [1.0, 0.25, 4.0])
def test_sampling_follows_the_probabilities(small: NativeFleet, temperature: float) -> None:
    """Two customers and room for one: which comes first is the only choice."""
    instance = Instance([2, 2], [3], depot=[0, 0], customers=[[3, 1], [-1, 4]])
    ((_, scores),) = small.scores(instance, BOTH[0], [(0, 1)])
    expected = 1 / (1 + math.exp((scores[2] - scores[1]) / temperature))
    assert 0.001 < expected < 0.999
    answers = [
        small.solve(instance, BOTH[0], samples=1, temperature=temperature, seed=seed)
        for seed in range(1000)
    ]
    first = [solution.routes[0][0] == (1,) for ((_, solution),) in answers]
    assert np.mean(first) == pytest.approx(expected, abs=0.05)


@pytest.mark.parametrize("unit", ["distance", "demand", "speed"])
@pytest.mark.parametrize("factor", [64.0, 3.6, 0.0453])  # powers of two alone are exact
def test_units_do_not_matter(small: NativeFleet, unit: str, factor: float) -> None:
    instance = mixed(12, 3, seed=4)
    assert instance.coordinates is not None
    distance, demand, speed = (
        factor if unit == u else 1.0 for u in ("distance", "demand", "speed")
    )
    other = Instance(
        instance.demands * demand,
        [Vehicle(v.capacity * demand, v.speed * speed) for v in instance.vehicles],
        depot=instance.coordinates[0] * distance,
        customers=instance.coordinates[1:] * distance,
    )
    ours, theirs = (small.solve(i, "min-max", samples=9, keep=9) for i in (instance, other))
    assert [solution for _, solution in ours] == [solution for _, solution in theirs]
    assert [cost for cost, _ in ours] == pytest.approx(
        [cost * speed / distance for cost, _ in theirs]
    )


def test_the_order_of_vehicles_and_customers_does_not_matter(small: NativeFleet) -> None:
    instance = mixed(9, 3, seed=5)
    assert instance.coordinates is not None
    fleet, order = [2, 0, 1], [4, 0, 8, 2, 7, 1, 3, 6, 5]
    other = Instance(
        instance.demands[order],
        [instance.vehicles[v] for v in fleet],
        depot=instance.coordinates[0],
        customers=instance.coordinates[1:][order],
    )
    ours = small.embeddings(instance, BOTH[0])
    theirs = small.embeddings(other, BOTH[0])
    permuted = [0, *(c + 1 for c in order), *(10 + v for v in fleet)]
    np.testing.assert_allclose(theirs, ours[permuted], atol=1e-5)
    ((_, plain),), ((_, mapped_back),) = (small.solve(i, "min-max") for i in (instance, other))
    routes = [
        tuple(tuple(order[c - 1] + 1 for c in trip) for trip in mapped_back.routes[fleet.index(v)])
        for v in range(3)
    ]
    assert routes == list(plain.routes)


def test_every_processor_makes_the_same_bits(files: dict[str, Path]) -> None:
    code = (
        "import hashlib, sys, hcvrp, hcvrp._core\n"
        "from hcvrp.policy import NativeFleet\n"
        "print(hcvrp._core.processor())\n"
        "core = NativeFleet.load(sys.argv[1])\n"
        "instance = hcvrp.generate(21, 3, seed=1)\n"
        "bits = core.embeddings(instance, hcvrp.Objective.MIN_MAX).tobytes()\n"
        "print(hashlib.sha256(bits).hexdigest())\n"
        "print(core.scores(instance, hcvrp.Objective.MIN_MAX, [(0, 1), (0, 2)]))\n"
        "print(core.solve(instance, 'min-max', samples=40, keep=9))"
    )
    told = dict(
        subprocess.run(
            [sys.executable, "-c", code, str(files["small"])],
            env=os.environ | {"HCVRP_PROCESSOR": processor},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split("\n", 1)
        for processor in ("any", "avx2", "")
    )
    if len(told) == 1:
        pytest.skip(f"this machine has kernels of one kind alone: {list(told)}")
    assert "any" in told
    assert len(set(told.values())) == 1


def test_a_stop_is_obeyed_but_not_before_an_answer(small: NativeFleet) -> None:
    instance = generate(12, 3, seed=2)
    policy = Policy(small.path, samples=64, device="cpu")
    assert solve(instance, method=policy).iterations == 64
    assert solve(instance, method=policy, iterations=5).iterations == 5
    assert solve(instance, method=policy, iterations=0).iterations == 1
    assert 1 <= solve(instance, method=policy, time_limit=0.0).iterations <= 16
    (cost, _), *_ = small.solve(
        instance, "min-max", samples=None, temperature=2.0, stop=Stop(iterations=300)
    )
    assert cost == small.solve(instance, "min-max", samples=300, temperature=2.0)[0][0]
    limited = small.solve(instance, "min-max", samples=None, stop=Stop(0.01), keep=3)
    assert all(solution.violations(instance) == [] for _, solution in limited)


@pytest.mark.parametrize("augment", [False, True])
@pytest.mark.parametrize("threads", [2, 3, 20])
def test_threads_share_the_same_samples(small: NativeFleet, threads: int, augment: bool) -> None:
    instance, heard = generate(12, 3, seed=2), []
    policy = Policy(small.path, samples=72, augment=augment, device="cpu")
    alone = solve(instance, method=policy)
    found = solve(instance, method=policy, threads=threads, on_improvement=heard.append)
    assert found.iterations == alone.iterations == 72
    assert found.cost == pytest.approx(alone.cost, rel=1e-12)
    costs = [improvement.cost for improvement in heard]
    assert costs == sorted(costs, reverse=True)
    assert costs[-1] == pytest.approx(found.cost)
    for limit in (0, 1, 5, 40):
        made = solve(instance, method=policy, threads=threads, iterations=limit).iterations
        assert made == max(1, limit)
    target = alone.cost * 1.5  # the first samples are that good
    few = solve(instance, method=policy, threads=threads, target=target)
    assert few.cost <= target


def test_a_greedy_rollout_needs_one_thread(small: NativeFleet) -> None:
    instance = generate(12, 3, seed=2)
    policy = Policy(small.path, device="cpu")
    alone, found = (solve(instance, method=policy, threads=threads) for threads in (1, 4))
    assert (found.solution, found.iterations) == (alone.solution, 1)


def test_a_layout_hears_that_the_run_is_called_off(
    small: NativeFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    points = generate(30, 3, seed=2)
    instance = Instance(points.demands, points.vehicles, distances=points.distances)
    cancel = threading.Event()

    def slow(_: Instance, check: Callable[[], None]) -> None:
        check()
        cancel.set()
        check()
        raise AssertionError

    monkeypatch.setattr("hcvrp.policy.native.layout", slow)
    assert small.solve(instance, "min-max", stop=Stop(cancel=cancel)) == []


def test_a_cancelled_run_still_has_an_answer(small: NativeFleet) -> None:
    cancel = threading.Event()
    cancel.set()
    instance = generate(1500, 3, seed=2)
    stop = Stop(cancel=cancel)
    assert small.solve(instance, "min-max", stop=stop) == []
    task = Task(instance, BOTH[0], stop)
    assert small.answer(task, Decoding()).solution == Savings().solve(task).solution


def test_improvements_are_reported_as_they_are_found(small: NativeFleet) -> None:
    instance, heard = generate(15, 3, seed=3), []
    result = solve(
        instance,
        method=Policy(small.path, samples=80, device="cpu"),
        on_improvement=heard.append,
    )
    costs = [improvement.cost for improvement in heard]
    assert costs == sorted(costs, reverse=True)
    assert len(costs) > 1
    assert costs[-1] == pytest.approx(result.cost)
    better = solve(instance, time_limit=0.05)
    kept = solve(instance, method=Policy(small.path, device="cpu"), initial=better.solution)
    assert kept.solution == better.solution
    assert kept.history[-1].cost == kept.cost


def test_what_interrupts_a_batch_is_heard_by_those_at_work(
    small: NativeFleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, heard = threading.Barrier(2), []

    def answer(_: NativeFleet, task: Task, __: Decoding) -> Result:
        begun.wait(10)
        if task.instance is instances[0]:
            raise KeyboardInterrupt
        heard.append(task.stop.cancel.wait(10))
        return Savings().solve(task)

    instances = [generate(5, 3, seed=seed) for seed in range(2)]
    monkeypatch.setattr(NativeFleet, "answer", answer)
    with pytest.raises(KeyboardInterrupt):
        small.answer_many(instances, BOTH[0], Decoding(), threads=2)
    assert heard == [True]


def test_bad_parameters_are_named(small: NativeFleet) -> None:
    instance = generate(4, 1, seed=1)
    with pytest.raises(InputError, match="keep must be a whole number of at least 1, not 0"):
        small.solve(instance, "min-max", keep=0)
    with pytest.raises(InputError, match="samples without a number need a time_limit"):
        small.solve(instance, "min-max", samples=None)
    with pytest.raises(InputError, match="samples must be a whole number of at least 0, not -1"):
        small.solve(instance, "min-max", samples=-1)
    with pytest.raises(InputError, match="objective must be min-max or min-sum, not 'fast'"):
        small.solve(instance, "fast")


def test_the_core_runs_what_it_can_and_torch_the_rest(
    files: dict[str, Path], tmp_path: Path
) -> None:
    assert isinstance(find_engine(files["small"], "auto"), NativeFleet)
    assert isinstance(find_engine(files["small"], "cpu", many=True), NativeFleet)
    narrow = tmp_path / "narrow.safetensors"
    write_weights(narrow, build(replace(SMALL, heads=4)), None, 40)
    assert isinstance(find_engine(narrow, "cpu"), TorchEngine)
    with pytest.raises(InputError, match=r"narrow.safetensors is for torch: the core runs fleet"):
        NativeFleet.load(narrow)
    if not torch.cuda.is_available():
        with pytest.raises(InputError, match="device 'cuda' is not there"):
            solve(generate(4, 1), method=Policy(files["small"], device="cuda"))


def test_tensors_of_another_network_get_one_sentence(
    files: dict[str, Path], tmp_path: Path
) -> None:
    arrays, metadata = read_arrays(files["small"])
    tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    path = tmp_path / "odd.safetensors"
    first = next(iter(tensors))
    for wrong in (
        {name: tensor for name, tensor in tensors.items() if name != first},
        tensors | {first: tensors[first][..., :-1].contiguous()},
        tensors | {first: tensors[first].double()},
    ):
        save_file(wrong, path, metadata)
        with pytest.raises(InputError, match="does not fit its own description"):
            NativeFleet.load(path)


@pytest.mark.parametrize("offsets", ['[0,"x"]', "[0]", "[0,null]", "7"])
def test_odd_offsets_get_one_sentence(tmp_path: Path, offsets: str) -> None:
    header = f'{{"a":{{"dtype":"F32","shape":[1],"data_offsets":{offsets}}}}}'.encode()
    path = tmp_path / "odd.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(InputError, match=r"odd\.safetensors"):
        NativeFleet.load(path)


@settings(max_examples=60)
@given(st.data())
def test_a_damaged_file_gets_one_sentence(
    files: dict[str, Path], tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    whole = files["small"].read_bytes()
    header = 8 + int.from_bytes(whole[:8], "little")
    damaged = bytearray(whole[: data.draw(st.integers(0, len(whole)) | st.just(len(whole)))])
    for _ in range(data.draw(st.integers(0, 3))):
        if damaged:
            place = data.draw(st.integers(0, min(header, len(damaged)) - 1))
            damaged[place] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.safetensors"
    path.write_bytes(damaged)
    with suppress(InputError):  # a byte may also change without harm
        NativeFleet.load(path)


WITHOUT_TORCH = """
import sys
sys.modules['torch'] = sys.modules['safetensors'] = None
import pathlib
import hcvrp
from hcvrp.policy import weights_file
weights_file.SHIPPED = pathlib.Path(sys.argv[1])
instance = hcvrp.generate(8, 3, seed=1)
for method in ('fleet', hcvrp.Policy.load('small')):
    result = hcvrp.solve(instance, method=method, samples=16)
    assert result.solution.violations(instance) == [] and result.method == 'fleet'
from hcvrp.cli import main
main(['policies'])
"""


def test_all_works_without_torch(files: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "small.safetensors").write_bytes(files["small"].read_bytes())
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    assert "small" in done.stdout
    assert "fleet" in done.stdout


def test_torch_is_not_imported_where_the_core_suffices(files: dict[str, Path]) -> None:
    code = (
        "import pathlib, sys, hcvrp\n"
        "policy = hcvrp.Policy(pathlib.Path(sys.argv[1]))\n"
        "hcvrp.solve(hcvrp.generate(8), method=policy)\n"
        "assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(files["small"])], check=True)
