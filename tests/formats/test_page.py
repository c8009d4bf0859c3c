"""Every example of docs/formats.md is read from the page itself, and so are the example files."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from hcvrp import Instance, Solution, Vehicle, solve
from hcvrp.formats import parse_fleet, read, read_dataset, read_instance, read_solution, write

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")
SAMPLES = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
EXAMPLES = dict(re.findall(r"^```\w+ file=(\S+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
PLAN = Solution([[[1, 2]], [[3]]])


@pytest.fixture
def page(tmp_path):
    """A folder with the page's examples as files."""
    for name, text in EXAMPLES.items():
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_the_samples_run_with_the_files_of_the_page(page, monkeypatch):
    monkeypatch.chdir(page)
    [sample] = SAMPLES
    names: dict[str, object] = {}
    exec(compile(sample, "formats.md", "exec"), names)
    assert names["town"].name == "town"
    assert [instance.size for instance in names["instances"]] == [1, 1]
    assert names["stops"].customer_names == ("Bakery", "School")
    assert names["stops"].capacities.tolist() == [30, 30, 80]
    assert names["solution"] == PLAN
    features = json.loads((page / "plan.geojson").read_text("utf-8"))["features"]
    kinds = Counter(feature["properties"]["kind"] for feature in features)
    assert kinds == {"trip": 2, "stop": 3, "depot": 1}


def test_the_instance(page):
    town = read(page / "town.json")
    assert town == Instance(
        [2, 3, 4],
        [Vehicle(5, 2, "small"), Vehicle(9, 0.5, "large")],
        depot=(0, 0),
        customers=[(3, 0), (0, 4), (-6, 0)],
        name="town",
        customer_names=["east", "north", "west"],
    )


def test_the_matrix(page):
    instance = read(page / "matrix.json")
    assert instance.distances.tolist() == [[0, 5, 6], [4, 0, 2], [7, 2, 0]]
    assert instance.vehicles == (Vehicle(3), Vehicle(3))


def test_the_dataset(page):
    planar, globe = read(page / "dataset.json")
    assert planar.distances[0, 1] == 5
    assert globe.metric == "great-circle"


def test_the_fleet(page):
    assert parse_fleet(str(page / "fleet.json")) == [
        Vehicle(20, 1, "van 1"),
        Vehicle(20, 1, "van 2"),
        Vehicle(60, 0.8, "truck"),
    ]


@pytest.mark.parametrize("suffix", ["json", "csv", "sol"])
def test_the_plans_are_one_plan(page, suffix):
    town = read_instance(page / "town.json")
    assert read_solution(page / f"plan.{suffix}", town) == PLAN
    assert PLAN.violations(town) == []
    assert PLAN.cost(town, "min-max") == 24


def test_the_plans_are_what_is_written(page):
    town = read_instance(page / "town.json")
    for suffix in ("csv", "sol"):
        write(page / f"written.{suffix}", PLAN, instance=town, objective="min-max")
        assert (page / f"written.{suffix}").read_text() == EXAMPLES[f"plan.{suffix}"]


def test_the_arrays(page):
    command = [sys.executable, "make_npz.py"]
    environment = {**os.environ, "PYTHONPATH": ""}
    subprocess.run(command, cwd=page, env=environment, check=True)
    dataset = read_dataset(page / "made.npz")
    assert len(dataset) == 100
    assert {instance.size for instance in dataset} == {40}
    assert dataset[0].capacities.tolist() == [20, 25, 30]


def test_the_spreadsheets(page):
    vans = parse_fleet(str(page / "vans.csv"))
    assert vans == [
        Vehicle(30, 12.5, "bike 1"),
        Vehicle(30, 12.5, "bike 2"),
        Vehicle(80, 30, "van"),
    ]
    stops = read(page / "stops.csv", fleet=vans)
    assert stops.customer_names == ("Bakery", "School")
    assert stops.coordinates[0].tolist() == [48.14, 11.56]


def test_the_vrplib_files(page):
    assert read(page / "plain.vrp").vehicles == (Vehicle(10), Vehicle(10))
    assert read(page / "mixed.vrp").vehicles == (Vehicle(10), Vehicle(20, 0.5))
    assert read(page / "taillard.txt").vehicles == (Vehicle(20), Vehicle(30, 0.8))


def test_the_vroom_problem(page):
    instance = read(page / "vroom.json")
    assert instance.vehicles == (Vehicle(10, 1, "1"), Vehicle(20, 0.8, "2"))
    assert instance.customer_names == ("7", "8")


def test_no_example_of_the_page_goes_unread():
    source = Path(__file__).read_text("utf-8")
    plans = {"plan.json", "plan.csv", "plan.sol"}
    assert plans < EXAMPLES.keys()
    assert [name for name in EXAMPLES if name not in source and name not in plans] == []


def test_the_city():
    city = read_instance(ROOT / "examples" / "city.json")
    assert (city.name, city.size, len(city.vehicles)) == ("city", 40, 5)
    assert len(set(city.capacities)) == len(set(city.speeds)) == 5
    assert solve(city).solution.violations(city) == []


def test_the_stops_and_vans():
    vans = parse_fleet(str(ROOT / "examples" / "vans.csv"))
    stops = read_instance(ROOT / "examples" / "stops.csv", fleet=vans)
    assert (stops.size, len(vans), stops.metric) == (30, 5, "great-circle")
    assert np.ptp(stops.coordinates, axis=0).max() < 0.2  # one city
    assert solve(stops).solution.violations(stops) == []
