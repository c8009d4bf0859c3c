"""The public benchmark files, with the numbers that are known of them."""

import os
from pathlib import Path

import numpy as np
import pytest

from hcvrp import Instance
from hcvrp.formats import read_instance, read_solution

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("HCVRP_DATA", ROOT / "../shared/data"))

pytestmark = pytest.mark.skipif(
    not DATA.is_dir(), reason=f"no benchmark files in {DATA}: set HCVRP_DATA to their folder"
)

CVRPLIB = {  # nodes, capacity, total and largest demand, depot
    "A-n61-k9": (61, 100, 885, 72, (61, 37)),
    "A-n80-k10": (80, 100, 942, 26, (92, 92)),
    "B-n41-k6": (41, 100, 567, 25, (37, 35)),
    "B-n51-k7": (51, 100, 684, 42, (53, 55)),
    "B-n63-k10": (63, 100, 922, 48, (73, 89)),
    "CMT11": (121, 200, 1375, 35, (10, 45)),
    "E-n76-k7": (76, 220, 1364, 37, (40, 40)),
    "E-n101-k8": (101, 200, 1458, 41, (35, 35)),
    "M-n101-k10": (101, 200, 1810, 50, (40, 50)),
    "P-n60-k10": (60, 120, 1134, 37, (40, 40)),
}
TAILLARD = {  # customers, total demand, capacities, cost coefficients
    "03": (20, 354, (20, 30, 40, 70, 120), (1.0, 1.1, 1.2, 1.7, 2.5)),
    "04": (20, 354, (60, 80, 150), (1.0, 1.1, 1.4)),
    "05": (20, 354, (20, 30, 40, 70, 120), (1.0, 1.1, 1.2, 1.7, 2.5)),
    "06": (20, 354, (60, 80, 150), (1.0, 1.1, 1.4)),
    "13": (50, 973, (20, 30, 40, 70, 120, 200), (1.0, 1.1, 1.2, 1.7, 2.5, 3.2)),
    "14": (50, 973, (120, 160, 300), (1.0, 1.1, 1.4)),
    "15": (50, 777, (50, 100, 160), (1.0, 1.6, 2.0)),
    "16": (50, 777, (40, 80, 140), (1.0, 1.6, 2.1)),
    "17": (75, 1364, (50, 120, 200, 350), (1.0, 1.2, 1.5, 1.8)),
    "18": (75, 1364, (20, 50, 100, 150, 250, 400), (1.0, 1.3, 1.9, 2.4, 2.9, 3.2)),
    "19": (100, 1458, (100, 200, 300), (1.0, 1.4, 1.7)),
    "20": (100, 1458, (60, 140, 200), (1.0, 1.7, 2.0)),
}
PUBLISHED = {  # routes, the published cost, and the decimals to which each leg is rounded in it
    "CMT11": (7, 1042.12, 12),
    "E-n76-k7": (7, 682, 0),
    "E-n101-k8": (8, 815, 0),
    "M-n101-k10": (10, 820, 0),
}


@pytest.mark.parametrize("name", CVRPLIB)
def test_cvrplib(name):
    nodes, capacity, total, largest, depot = CVRPLIB[name]
    instance = read_instance(DATA / "cvrplib" / f"{name}.vrp", fleet=[capacity])
    assert instance.name == name
    assert instance.size == nodes - 1
    assert instance.demands.sum() == total
    assert instance.demands.max() == largest
    assert tuple(instance.coordinates[0]) == depot


@pytest.mark.parametrize("number", TAILLARD)
def test_taillard(number):
    customers, total, capacities, coefficients = TAILLARD[number]
    instance = read_instance(DATA / "hvrp" / f"Taillard_{number}.txt")
    assert instance.name.startswith(number)
    assert instance.size == customers
    assert instance.demands.sum() == total
    assert tuple(instance.capacities) == capacities
    assert np.array_equal(instance.speeds, 1 / np.array(coefficients))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_solutions_are_feasible_and_cost_what_was_published(name):
    routes, cost, decimals = PUBLISHED[name]
    fleet = [CVRPLIB[name][1]] * routes
    instance = read_instance(DATA / "cvrplib" / f"{name}.vrp", fleet=fleet)
    solution = read_solution(DATA / "cvrplib" / f"{name}.sol", instance)
    assert solution.violations(instance) == []
    assert [len(trips) for trips in solution.routes] == [1] * routes
    rounded = Instance(instance.demands, fleet, distances=instance.distances.round(decimals))
    assert solution.cost(rounded, "min-sum") == pytest.approx(cost, abs=0.005)
