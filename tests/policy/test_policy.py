"""Weights files, and trained policies as methods."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

import hcvrp
from hcvrp import InputError, Instance, Objective, Vehicle, generate, solve
from hcvrp.policy import NetworkConfig, Policy, build, describe, read_weights, weights_file
from hcvrp.policy.weights import write_weights

CONFIG = NetworkConfig("paper", 3, dim=16, heads=4, layers=1, feed_forward=16)


def write(path: Path, config: NetworkConfig = CONFIG, seed: int = 1) -> Path:
    write_weights(path, build(config, seed), Objective.MIN_MAX, 40)
    return path


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write(tmp_path / "tiny.safetensors")


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "shipped"
    folder.mkdir()
    monkeypatch.setattr(weights_file, "SHIPPED", folder)
    return folder


def test_weights_come_back_as_they_were(file: Path) -> None:
    expected = build(CONFIG, seed=1).state_dict()
    loaded = read_weights(file)
    assert loaded.description == describe(file)
    assert loaded.description.network == CONFIG
    assert (loaded.description.objective, loaded.description.customers) == ("min-max", 40)
    for name, tensor in loaded.network.state_dict().items():
        assert torch.equal(tensor, expected[name]), name
    assert list(file.parent.iterdir()) == [file]


def test_a_damaged_file_gets_one_sentence(file: Path) -> None:
    data = file.read_bytes()
    for broken in (data[:1000], data[:-100], b"", b"not weights at all" * 9):
        file.write_bytes(broken)
        with pytest.raises(InputError, match="is damaged, or no safetensors file"):
            Policy.load(file)


def test_a_foreign_file_gets_one_sentence(tmp_path: Path) -> None:
    path = tmp_path / "other.safetensors"
    save_file({"x": torch.zeros(1)}, path)
    with pytest.raises(InputError, match="is no hcvrp policy: its format is None"):
        Policy.load(path)
    metadata = {"format": weights_file.FORMAT, "network": "{}", "objective": "min-max"}
    save_file({"x": torch.zeros(1)}, path, metadata)
    with pytest.raises(InputError, match="metadata that cannot be read: 'customers'"):
        Policy.load(path)
    save_file({"x": torch.zeros(1)}, path, metadata | {"customers": "40"})
    with pytest.raises(InputError, match="does not fit its own description"):
        Policy.load(path)


def test_a_missing_file_gets_one_sentence(shipped: Path) -> None:
    write(shipped / "one.safetensors")
    with pytest.raises(InputError, match=r"no policy 'two': .* \(shipped: one\)"):
        Policy.load("two")
    assert Policy.load("one").name == "paper"


@pytest.mark.parametrize("objective", list(Objective))
@pytest.mark.parametrize("samples", [0, 16])
def test_a_policy_is_a_method(file: Path, objective: Objective, samples: int) -> None:
    instance = generate(12, 3, seed=5)
    result = solve(instance, objective, Policy.load(file), samples=samples, seed=3)
    assert result.solution.violations(instance) == []
    assert result.cost == result.solution.cost(instance, objective)
    assert result.method == "paper"
    again = solve(instance, objective, Policy.load(file, samples=samples), seed=3)
    assert again.solution == result.solution


def test_the_answer_does_not_depend_on_units_or_the_order_of_vehicles(file: Path) -> None:
    instance = generate(15, 3, seed=6)
    assert instance.coordinates is not None
    points = instance.coordinates
    policy = Policy.load(file)
    plain = solve(instance, method=policy).solution
    order = (2, 0, 1)
    scaled = Instance(
        instance.demands * 7,
        [Vehicle(instance.vehicles[v].capacity * 7, 50.0) for v in order],
        depot=points[0],
        customers=points[1:],
        distances=instance.distances * 110,
    )
    other = solve(scaled, method=policy).solution
    assert [other.routes[order.index(v)] for v in range(3)] == list(plain.routes)


def test_a_giant_among_vehicles_leaves_the_others_something(file: Path) -> None:
    instance = generate(6, fleet=[1e13, 30, 20], seed=1)  # by 30 / 1e13 nothing is left of 20
    result = solve(instance, method=Policy.load(file))
    assert result.solution.violations(instance) == []


def test_distances_alone_are_enough(file: Path) -> None:
    rng = np.random.default_rng(1)
    roads = rng.uniform(5, 60, size=(9, 9))
    np.fill_diagonal(roads, 0)
    instance = Instance(rng.integers(1, 9, 8), [20, 25, 30], distances=roads)
    result = solve(instance, method=Policy.load(file), samples=8)
    assert result.solution.violations(instance) == []


def test_many_instances_are_solved_together(file: Path) -> None:
    instances = [generate(n, 3, seed=n) for n in (4, 9, 6)]
    policy = Policy.load(file)
    together = policy.solve_many(instances, "min-max")
    assert together == [solve(i, method=policy).solution for i in instances]


def test_a_better_initial_solution_is_kept(file: Path) -> None:
    instance = generate(10, 3, seed=2)
    best = solve(instance, method=Policy.load(file), samples=64, augment=True)
    result = solve(instance, method=Policy.load(file), initial=best.solution)
    assert result.cost <= best.cost


def test_a_limit_ends_sampling_early_but_not_before_an_answer(file: Path) -> None:
    instance = generate(10, 3, seed=2)
    policy = Policy.load(file, samples=64)
    result = solve(instance, method=policy, rows=8, time_limit=0.0)
    assert result.iterations == 8
    assert result.solution.violations(instance) == []
    assert solve(instance, method=policy, rows=8, iterations=20).iterations == 24
    assert solve(instance, method=policy, rows=8).iterations == 64


def test_shipped_weights_are_chosen_by_objective_and_fleet(shipped: Path) -> None:
    instance = generate(6, 3, seed=1)
    with pytest.raises(InputError, match=r"no paper weights for 3 vehicles and min-max; .*nothing"):
        solve(instance, method="paper")
    write(shipped / "v3.safetensors")
    assert solve(instance, method="paper").solution.violations(instance) == []
    with pytest.raises(InputError, match=r"for 3 vehicles and min-sum; .* 3 vehicles min-max"):
        solve(instance, "min-sum", "paper")
    with pytest.raises(InputError, match="no paper weights for 4 vehicles"):
        solve(generate(6, 4, seed=1), method="paper")
    with pytest.raises(InputError, match="no am weights"):
        solve(instance, method="am")


def test_the_attention_model_takes_other_fleets(shipped: Path) -> None:
    config = NetworkConfig("am", 3, dim=16, heads=4, layers=1, feed_forward=16)
    write(shipped / "am.safetensors", config)
    instance = generate(9, 5, seed=1)
    assert solve(instance, method="am", samples=4).solution.violations(instance) == []


def test_one_fleet_network_takes_any_fleet_and_both_objectives(shipped: Path) -> None:
    with pytest.raises(InputError, match="no fleet weights for 3 vehicles and min-max"):
        solve(generate(6, 3, seed=1), method="fleet")
    config = NetworkConfig("fleet", dim=16, heads=4, layers=1, feed_forward=16)
    write_weights(shipped / "fleet.safetensors", build(config, 1), None, 40)
    assert describe(shipped / "fleet.safetensors").objectives == tuple(Objective)
    instances = [generate(9, vehicles, seed=1) for vehicles in (1, 2, 5)]
    for objective in Objective:
        for instance in instances:
            result = solve(instance, objective, "fleet", samples=4)
            assert result.method == "fleet"
            assert result.solution.violations(instance) == []
        policy = Policy.load("fleet")
        together = policy.solve_many(instances, objective)
        assert together == [solve(i, objective, policy).solution for i in instances]


def test_a_network_of_another_fleet_size_is_refused(file: Path) -> None:
    with pytest.raises(InputError, match="policy tiny is for 3 vehicles, the instance has 5"):
        solve(generate(6, 5, seed=1), method=Policy.load(file))


def test_without_torch_one_sentence_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "import hcvrp\n"
        "try: hcvrp.solve(hcvrp.generate(5), method='paper')\n"
        "except hcvrp.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "learned policies need torch: pip install '.[learn]' in the clone\n"


def test_the_package_offers_policy() -> None:
    assert hcvrp.Policy is Policy


@pytest.mark.parametrize("capacity", [3.0, 700.0])
def test_a_customer_a_hair_too_large_leaves_no_room(capacity: float, shipped: Path) -> None:
    # Within the referee's tolerance it fits, alone: not even a crumb beside it.
    write(shipped / "tiny.safetensors")
    instance = Instance(
        [capacity * (1 + 0.999999e-9), capacity * 3e-10, capacity / 3],
        [Vehicle(capacity)] * 3,
        depot=(4, 4),
        customers=[(0, 2), (3, 0), (1, 2)],
    )
    for seed in range(20):
        answer = solve(instance, "min-max", "paper", samples=16, seed=seed).solution
        assert answer.violations(instance) == []
