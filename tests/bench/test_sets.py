"""Sets by name, and the inferred adaptation rule."""

import csv

import pytest

import hcvrp
from hcvrp.bench.sets import adapt, find_set
from hcvrp.errors import InputError
from hcvrp.solution import Objective

MIN_MAX, MIN_SUM = Objective.MIN_MAX, Objective.MIN_SUM


def test_a_slice_of_a_paper_set_keeps_its_numbers():
    found = find_set("V3-C40[126:130]", MIN_SUM)
    assert (found.name, found.numbers) == ("v3-c40", (126, 127, 128, 129))
    assert list(found.instances) == hcvrp.paper_set("v3-c40", "min-sum")[126:130]
    assert [v.speed for v in found.instances[0].vehicles] == pytest.approx([1 / 4, 1 / 5, 1 / 6])


def test_a_whole_paper_set_has_1280_instances():
    assert find_set("v3-c40", MIN_MAX).numbers == tuple(range(1280))


def test_the_number_of_a_random_instance_is_its_seed():
    found = find_set("random-n12-m2[5:7]", MIN_MAX)
    assert found.numbers == (5, 6)
    assert found.instances[1] == hcvrp.generate(12, 2, seed=6, name="random-n12-m2-6")


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("v3-c40[a:b]", "a name or a slice such as"),
        ("v3-c40[9:9]", "is empty"),
        ("v3-c40[2000:]", "is empty"),
        ("random-n12-m2", "needs its seeds"),
        ("town", "unknown paper set 'town'"),
    ],
)
def test_a_wrong_name_gets_a_sentence(name, sentence):
    with pytest.raises(InputError, match=sentence):
        find_set(name, MIN_MAX)


def test_demands_are_scaled_until_the_largest_is_at_most_twelve():
    found = hcvrp.Instance(
        [1, 4, 5, 41], [100], depot=(0, 0), customers=[(k, 0) for k in range(1, 5)], name="four"
    )
    adapted = adapt(found, MIN_SUM)  # k = ceil(41 / 12) = 4
    assert adapted.demands.tolist() == [1, 1, 2, 11]
    assert [v.capacity for v in adapted.vehicles] == [20, 25, 30]
    assert [v.speed for v in adapted.vehicles] == pytest.approx([1 / 4, 1 / 5, 1 / 6])
    assert adapted.coordinates.tolist() == found.coordinates.tolist()
    assert [v.speed for v in adapt(found, MIN_MAX).vehicles] == [1, 1, 1]


def test_the_rule_agrees_with_the_recorded_adaptation(data, monkeypatch):
    monkeypatch.setenv("HCVRP_DATA", str(data))
    with (data / "cvrplib" / "adaptation.csv").open() as file:
        recorded = {row["instance"]: row for row in csv.DictReader(file)}
    found = find_set("cvrplib", MIN_SUM)
    assert {i.name for i in found.instances} == set(recorded)
    for instance in found.instances:
        row = recorded[instance.name]
        assert instance.size == int(row["dimension"]) - 1
        assert instance.demands.sum() == int(row["scaled_sum"])
        assert instance.demands.max() == int(row["scaled_max"])


def test_taillard_instances_have_speeds_of_one_over_the_coefficient(data, monkeypatch):
    monkeypatch.setenv("HCVRP_DATA", str(data))
    found = find_set("fsmd[1:2]", MIN_SUM)
    assert (found.numbers, found.instances[0].name) == ((1,), "Taillard_04")
    assert [1 / v.speed for v in found.instances[0].vehicles] == pytest.approx([1.0, 1.1, 1.4])


def test_sets_from_files_say_where_they_are_looked_for(monkeypatch, tmp_path):
    monkeypatch.delenv("HCVRP_DATA", raising=False)
    told = r"^the set cvrplib is read from files: set HCVRP_DATA to their folder \(experiments/ben"
    with pytest.raises(InputError, match=told):
        find_set("cvrplib", MIN_MAX)
    monkeypatch.setenv("HCVRP_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"has no folder hvrp of the set fsmd$"):
        find_set("fsmd", MIN_MAX)
