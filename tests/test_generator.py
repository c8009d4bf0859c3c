import numpy as np
import pytest

from hcvrp import InputError, Vehicle, generate, paper_set
from hcvrp.generator import PAPER_SETS, PAPER_SIZE, paper_fleet


def test_the_papers_set_bit_for_bit():
    instances = paper_set("v3-c40")
    assert len(instances) == 1280
    first, last = instances[0], instances[-1]
    assert first.coordinates[1].tolist() == [0.795757990675748, 0.5893125789478779]
    assert first.demands[:10].tolist() == [7, 5, 9, 6, 3, 9, 9, 3, 6, 8]
    assert last.coordinates[0].tolist() == [0.5598967839851444, 0.48575716325272555]
    assert last.demands[-5:].tolist() == [9, 9, 8, 9, 8]
    assert instances[5].name == "v3-c40-5"


def test_the_papers_recipe():
    """Blocks of 128 per seed; the depot is drawn last, its demand is thrown away."""
    block = np.random.RandomState(24602)
    points = block.uniform(0, 1, size=(128, 61, 2))
    demands = block.randint(1, 10, [128, 61])
    instance = paper_set("v3-c60")[128 + 5]
    assert instance.coordinates.tolist() == [points[5, -1].tolist(), *points[5, :-1].tolist()]
    assert instance.demands.tolist() == demands[5, :-1].tolist()


def test_paper_sets_differ_only_in_the_fleet():
    v3, v5 = paper_set("V3-C80")[700], paper_set("v5-c80")[700]
    assert (v3.coordinates == v5.coordinates).all()
    assert v3.capacities.tolist() == [20, 25, 30]
    assert v5.capacities.tolist() == [20, 25, 30, 35, 40]
    assert v5.speeds.tolist() == [1] * 5
    assert paper_set("v5-c80", "min-sum")[0].speeds.tolist() == [1 / 4, 1 / 5, 1 / 6, 1 / 7, 1 / 8]


def test_another_size_by_the_papers_recipe():
    assert "v4-c5" not in PAPER_SETS
    instances = paper_set("v4-c5")
    assert len(instances) == PAPER_SIZE == 1280
    assert instances[0].size == 5
    assert instances[0].capacities.tolist() == [20, 25, 30, 35]


def test_ten_paper_sets_are_listed():
    assert len(PAPER_SETS) == 10
    assert PAPER_SETS[0] == "v3-c40"
    assert PAPER_SETS[-1] == "v5-c160"


def test_the_same_seed_gives_the_same_instance():
    assert generate(12, 4, seed=3) == generate(12, 4, seed=3)
    assert generate(12, 4, seed=3) != generate(12, 4, seed=4)


def test_generated_values():
    instance = generate(200, fleet=[Vehicle(30, 0.5), 9], demands=(2, 6), seed=1)
    assert instance.vehicles == (Vehicle(30, 0.5), Vehicle(9))
    assert set(instance.demands) == {2, 3, 4, 5, 6}
    assert 0 <= instance.coordinates.min() < 0.02
    assert 0.98 < instance.coordinates.max() <= 1
    assert generate(5).capacities.tolist() == [20, 25, 30]


def test_clustered_customers_are_closer_to_their_neighbours():
    def mean_nearest(distribution):
        distances = generate(100, seed=8, distribution=distribution).distances[1:, 1:].copy()
        np.fill_diagonal(distances, np.inf)
        return distances.min(axis=1).mean()

    assert mean_nearest("clustered") < 0.7 * mean_nearest("uniform")


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: generate(0), "customers must lie between 1 and 100000, not 0"),
        (lambda: generate(5, 0), "vehicles must lie between 1 and 10000, not 0"),
        (lambda: generate(5, 2, fleet=[3]), "give vehicles or fleet, not both"),
        (lambda: generate(5, seed=-1), "seed must not be negative: -1"),
        (lambda: generate(5, demands=(4, 2)), "demands must be a range .* not 4 to 2"),
        (lambda: generate(5, distribution="ring"), "uniform or clustered, not 'ring'"),
        (lambda: generate(5, fleet=[2], demands=(3, 3)), "no vehicle can carry customer 1"),
        (lambda: paper_set("c40"), "unknown paper set 'c40'; a name looks like v3-c40"),
        (lambda: paper_set("v3-c0"), "customers must lie between 1 and 100000, not 0"),
        (lambda: paper_fleet(0), "vehicles must lie between 1 and 10000, not 0"),
        (lambda: generate(10**14), "customers must lie between 1 and 100000, not 1000000"),
        (lambda: generate(5, 10**9), "vehicles must lie between 1 and 10000, not 1000000000"),
        (lambda: paper_set("v3-c99999999"), "customers must lie .* not 99999999"),
    ],
)
def test_bad_arguments(call, sentence):
    with pytest.raises(InputError, match=sentence):
        call()
