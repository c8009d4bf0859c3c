"""Peers: each judged by the referee; the runner by a tiny fake worker."""

import importlib.util
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hcvrp
from hcvrp import InputError, Instance, Objective, Solution, Vehicle
from hcvrp.search.peers import integers, runner
from hcvrp.search.peers.query import Kind, Query
from hcvrp.task import Stop, Task

PEERS = ["pyvrp", "ortools", "vroom"]
LINE = Instance([1, 1, 1], [2, 1], distances=np.abs(np.subtract.outer(range(4), range(4))))
"""Three customers at 1, 2 and 3 on a line; best sum 8 (1 | 2 3), best longest time 6."""


def installed(peer: str) -> pytest.MarkDecorator:
    missing = importlib.util.find_spec(peer) is None
    return pytest.mark.skipif(missing, reason=f"{peer} is not installed: pip install '.[peers]'")


every_peer = pytest.mark.parametrize("peer", [pytest.param(p, marks=installed(p)) for p in PEERS])
min_max_peer = pytest.mark.parametrize(
    "peer", [pytest.param(p, marks=installed(p)) for p in PEERS if p != "vroom"]
)


def task(instance: Instance = LINE, objective: str = "min-sum", **stop: object) -> Task:
    return Task(instance, Objective(objective), Stop(**{"time_limit": 1.0, **stop}))


# --- What a peer is asked ---------------------------------------------------------------------


def test_a_query_survives_its_line() -> None:
    query = Query.of(task())
    assert Query.parse(query.line()) == query


def test_kinds_gather_vehicles_that_are_alike() -> None:
    fleet = [Vehicle(2, 1), Vehicle(3, 1), Vehicle(2, 1), Vehicle(2, 0.5)]
    kinds = Query.of(task(LINE.with_vehicles(fleet))).kinds()
    assert kinds == [Kind(2, 1, (0, 2)), Kind(3, 1, (1,)), Kind(2, 0.5, (3,))]


def test_enough_trips_are_twice_the_loads_and_never_more_than_customers() -> None:
    demands = [1.0] * 10
    instance = Instance(demands, [5, 2], depot=(0, 0), customers=np.zeros((10, 2)))
    query = Query.of(task(instance))
    large, small = query.kinds()
    assert query.trips_enough(large) == 5  # 2 · 10/5 + 1
    assert query.trips_enough(small) == 10  # not 2 · 10/2 + 1


def test_trips_are_dealt_to_the_vehicles_of_their_kind_in_turn() -> None:
    query = Query.of(task(LINE.with_vehicles([2, 3, 2])))
    small, large = query.kinds()
    assert query.deal([(small, [1]), (small, [2]), (large, [3])]) == [[[1]], [[3]], [[2]]]


def test_whole_loads_stay_as_they_are() -> None:
    assert integers.loads([1, 9], [20, 25]) == ([1, 9], [20, 25])


def test_short_decimals_stay_exact() -> None:
    assert integers.loads([0.1, 0.25], [0.35]) == ([10, 25], [35])


def test_other_loads_round_to_the_safe_side() -> None:
    demands, capacities = integers.loads([1 / 3, 2 / 3], [1.0, 2 / 3])
    assert demands == [33_334, 66_667]
    assert capacities == [100_000, 66_666]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=8),
    st.lists(st.floats(0.01, 1), min_size=1, max_size=3),
)
def test_what_fits_whole_loads_fits_the_real_ones(
    demands: list[float], capacities: list[float]
) -> None:
    capacities = [*capacities, 1.0]
    whole_demands, whole_capacities = integers.loads(demands, capacities)
    for capacity, whole in zip(capacities, whole_capacities, strict=True):
        taken, load = 0, 0.0
        for demand, units in zip(demands, whole_demands, strict=True):
            if taken + units <= whole:
                taken, load = taken + units, load + demand
        assert Vehicle(capacity).can_carry(load)
    assert max(whole_demands) <= max(whole_capacities)


@pytest.mark.parametrize(
    ("speeds", "paces"),
    [
        ([1.0, 1.0], [1, 1]),
        ([1 / 4, 1 / 5, 1 / 6], [4, 5, 6]),
        ([1 / 1.0, 1 / 1.1, 1 / 2.5], [10, 11, 25]),
        ([2.0, 0.5], [1, 4]),
    ],
)
def test_paces_are_the_smallest_whole_numbers_in_proportion(
    speeds: list[float], paces: list[int]
) -> None:
    assert integers.paces(speeds) == paces


def test_uneven_paces_are_close() -> None:
    pace = integers.paces([1.0, 1 / np.pi, 1 / np.e])
    assert pace[1] / pace[0] == pytest.approx(np.pi, rel=2e-3)
    assert pace[2] / pace[0] == pytest.approx(np.e, rel=2e-3)


def test_the_longest_leg_sets_the_scale() -> None:
    assert integers.legs([[0, 1], [4, 0]], 100) == [[0, 25], [100, 0]]
    assert integers.legs([[0, 0], [0, 0]], 100) == [[0, 0], [0, 0]]


# --- The runner, with a fake worker -----------------------------------------------------------


def fake(tmp_path: Path, script: str) -> tuple[str, ...]:
    """A worker that reads the query and runs `script`; `say(...)` writes a message."""
    path = tmp_path / "fake_worker.py"
    head = """
        import json, os, sys, time
        query = json.loads(sys.stdin.readline())
        def say(**message):
            print(json.dumps(message), flush=True)
        """
    lines = [line.removeprefix(" " * 8) for line in (head + script).splitlines()]
    path.write_text("\n".join(lines))
    return (sys.executable, str(path))


def test_the_best_feasible_answer_counts(tmp_path: Path) -> None:
    command = fake(
        tmp_path,
        """
        say(ready=True)
        say(routes=[[[1], [2], [3]], []])
        say(routes=[[[2, 3]], [[1]]])
        say(routes=[[[1, 3]], [[2]]])
        say(routes=[[[1, 2, 3]], []])
        """,
    )
    heard: list[float] = []
    asked = Task(
        LINE, Objective.MIN_SUM, Stop(1.0), on_improvement=lambda best: heard.append(best.cost)
    )
    result = runner.ask("fake", asked, command)
    assert result.solution == Solution([[[2, 3]], [[1]]])
    assert (result.cost, result.method) == (8.0, "fake")
    assert heard == [12.0, 8.0]


def test_an_initial_solution_stands_until_bettered(tmp_path: Path) -> None:
    start = Solution([[[2, 3]], [[1]]])
    asked = Task(LINE, Objective.MIN_SUM, Stop(1.0), initial=(start,))
    command = fake(tmp_path, "say(ready=True); say(routes=[[[1], [2], [3]], []])")
    assert runner.ask("fake", asked, command).solution == start


def test_an_infeasible_answer_is_refused_with_its_reason(tmp_path: Path) -> None:
    command = fake(tmp_path, "say(routes=[[[1, 2]], []])")
    with pytest.raises(InputError, match=r"^method fake ended without .*: customer 3 is never"):
        runner.ask("fake", task(), command)


@pytest.mark.parametrize(
    ("script", "sentence"),
    [
        ("raise RuntimeError('no more luck')", "method fake crashed: RuntimeError: no more luck"),
        ("os._exit(3)", "method fake crashed: exit status 3"),
    ],
)
def test_a_crash_is_one_sentence(tmp_path: Path, script: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        runner.ask("fake", task(), fake(tmp_path, script))
    assert str(caught.value) == sentence


def test_a_crash_before_the_query_is_read_is_one_sentence(tmp_path: Path) -> None:
    instance = hcvrp.generate(200, seed=1)  # a query that no pipe holds
    path = tmp_path / "stillborn.py"
    path.write_text("import sys; sys.exit('nobody home')")
    with pytest.raises(InputError, match=r"^method fake crashed: nobody home$"):
        runner.ask("fake", task(instance), (sys.executable, str(path)))


PATIENT = """
        say(pid=os.getpid(), ready=True)
        open(sys.argv[0] + ".pid", "w").write(str(os.getpid()))
        say(routes=[[[2, 3]], [[1]]])
        time.sleep(600)
"""


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def pid_of(command: tuple[str, ...]) -> int:
    return int(Path(command[1] + ".pid").read_text())


def test_cancellation_keeps_the_best_and_leaves_no_process(tmp_path: Path) -> None:
    cancel = threading.Event()
    command = fake(tmp_path, PATIENT)
    asked = Task(
        LINE, Objective.MIN_SUM, Stop(cancel=cancel), on_improvement=lambda _: cancel.set()
    )
    assert runner.ask("fake", asked, command).cost == 8.0
    assert not is_running(pid_of(command))


def test_a_target_ends_the_run(tmp_path: Path) -> None:
    command = fake(tmp_path, PATIENT)
    asked = Task(LINE, Objective.MIN_SUM, Stop(target=8.0))
    assert runner.ask("fake", asked, command).cost == 8.0
    assert not is_running(pid_of(command))


def test_an_overdue_peer_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "GRACE", 1.0)
    command = fake(tmp_path, PATIENT)
    assert runner.ask("fake", task(time_limit=0.0), command).cost == 8.0
    assert not is_running(pid_of(command))


def test_cancelling_before_any_answer_is_one_sentence(tmp_path: Path) -> None:
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(InputError, match=r"^method fake ended without a feasible answer$"):
        runner.ask("fake", task(cancel=cancel), fake(tmp_path, PATIENT))


# --- The methods ------------------------------------------------------------------------------


@pytest.mark.parametrize("peer", PEERS)
def test_a_missing_package_is_one_sentence(peer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, peer, None)
    with pytest.raises(InputError) as caught:
        hcvrp.solve(LINE, "min-sum", peer, time_limit=1.0)
    assert (
        str(caught.value) == f"method {peer} needs the extra: pip install '.[peers]' in the clone"
    )


@min_max_peer
def test_a_time_limit_is_needed(peer: str) -> None:
    with pytest.raises(InputError, match=f"^method {peer} stops on time only: time_limit"):
        hcvrp.solve(LINE, "min-sum", peer)


@installed("vroom")
def test_vroom_refuses_min_max() -> None:
    with pytest.raises(InputError, match=r"^method vroom cannot express the objective min-max"):
        hcvrp.solve(LINE, "min-max", "vroom", time_limit=1.0)


@every_peer
def test_min_sum_on_a_line(peer: str) -> None:
    result = hcvrp.solve(LINE, "min-sum", peer, time_limit=0.3)
    assert result.solution.violations(LINE) == []
    assert result.cost == 8.0


@min_max_peer
def test_min_max_on_a_line(peer: str) -> None:
    result = hcvrp.solve(LINE, "min-max", peer, time_limit=0.3)
    assert result.solution.violations(LINE) == []
    assert result.cost == 6.0


@every_peer
def test_the_faster_vehicle_is_preferred(peer: str) -> None:
    instance = LINE.with_vehicles([Vehicle(3, 1), Vehicle(3, 2)])
    result = hcvrp.solve(instance, "min-sum", peer, time_limit=0.3)
    assert result.cost == 3.0
    assert result.solution.routes[0] == ()


@every_peer
def test_asymmetric_distances_are_kept(peer: str) -> None:
    one_way = [[0, 1, 9, 9], [9, 0, 1, 9], [9, 9, 0, 1], [1, 9, 9, 0]]
    instance = Instance([1, 1, 1], [3], distances=one_way)
    result = hcvrp.solve(instance, "min-sum", peer, time_limit=0.3)
    assert result.solution == Solution([[[1, 2, 3]]])


@min_max_peer
def test_one_vehicle_makes_many_trips(peer: str) -> None:
    instance = LINE.with_vehicles([1])
    result = hcvrp.solve(instance, "min-max", peer, time_limit=0.3)
    assert sorted(result.solution.routes[0]) == [(1,), (2,), (3,)]
    assert result.cost == 12.0


@every_peer
def test_real_valued_demands_fill_a_vehicle_exactly(peer: str) -> None:
    instance = Instance([0.1, 0.2, 0.3], [0.3], distances=LINE.distances)
    result = hcvrp.solve(instance, "min-sum", peer, time_limit=0.3)
    assert result.solution.violations(instance) == []
    assert result.cost == 10.0


@every_peer
@pytest.mark.parametrize("objective", list(Objective))
def test_a_random_instance_comes_out_near_savings(peer: str, objective: Objective) -> None:
    if peer == "vroom" and objective is Objective.MIN_MAX:
        pytest.skip("VROOM cannot express min-max")
    rng = np.random.default_rng(5)
    fleet = [Vehicle(np.pi, 1.0), Vehicle(np.e, 1.3), Vehicle(np.e, 1.3)]
    instance = Instance(
        rng.uniform(0, 1, 20), fleet, depot=rng.uniform(size=2), customers=rng.uniform(size=(20, 2))
    )
    result = hcvrp.solve(instance, objective, peer, time_limit=1.0)
    assert result.solution.violations(instance) == []
    assert result.cost == result.solution.cost(instance, objective)
    assert result.cost < 1.1 * hcvrp.solve(instance, objective, "savings").cost


@installed("pyvrp")
def test_a_cancelled_peer_gives_its_best_so_far() -> None:
    cancel = threading.Event()
    instance = hcvrp.generate(30, seed=2)
    result = hcvrp.solve(
        instance,
        "min-sum",
        "pyvrp",
        time_limit=600,
        cancel=cancel,
        on_improvement=lambda _: cancel.set(),
    )
    assert result.solution.violations(instance) == []


def test_a_worker_dies_with_its_asker(tmp_path: Path) -> None:
    """Without the asker standard input closes, and the worker does not outlive it."""
    package = tmp_path / "sleeper.py"
    package.write_text("import time\ndef solve(query, report):\n    time.sleep(600)\n")
    script = (
        "import sys, sleeper; sys.modules['hcvrp.search.peers.with_sleeper'] = sleeper;"
        " from hcvrp.search.peers.worker import main; main('sleeper')"
    )
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(Query.of(task()).line().encode())
        process.stdin.flush()
        assert process.stdout.readline() == b'{"ready": true}\n'
        process.stdin.close()
        assert process.wait(60) == 1
