"""The best-known archive only ever gets better."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hcvrp.bench.archive import read_best, update
from hcvrp.bench.results import Measurements, Row, load
from hcvrp.errors import InputError


def test_better_costs_are_taken_over_with_their_source(make_row, write_results, tmp_path):
    first = load([write_results([make_row("a", 0, 5.0), make_row("a", 7, 6.0)], "1.csv")])
    assert update(tmp_path / "best", first) == {("v3-c40", "min-max"): 2}
    later = [make_row("b", 0, 5.5, seed=3), make_row("b", 7, 5.9, seed=3), make_row("b", 8, None)]
    assert update(tmp_path / "best", load([write_results(later, "2.csv")])) == {
        ("v3-c40", "min-max"): 1
    }
    found = read_best(tmp_path / "best", "v3-c40", "min-max")
    assert found == {
        0: (5.0, "a, seed 0, commit abc123", None),
        7: (5.9, "b, seed 3, commit abc123", None),
    }


def test_bounds_only_rise_and_never_above_a_cost(make_row, write_results, tmp_path):
    def tell(name, *rows):
        return update(tmp_path / "best", load([write_results(rows, name)]))["v3-c40", "min-max"]

    assert tell("1.csv", make_row("exact", 0, 5.0, bound=4.0), make_row("exact", 1, 6.0)) == 2
    assert tell("2.csv", make_row("exact", 0, 5.5, bound=4.5)) == 1
    assert tell("3.csv", make_row("exact", 0, 5.5, bound=4.2)) == 0
    found = read_best(tmp_path / "best", "v3-c40", "min-max")
    assert found[0] == (5.0, "exact, seed 0, commit abc123", 4.5)
    assert found[1].bound is None
    with pytest.raises(
        InputError, match=r"#0: a bound of 5\.1 is said to be proven, but exact, se"
    ):
        tell("4.csv", make_row("other", 0, 5.2, bound=5.1))
    assert read_best(tmp_path / "best", "v3-c40", "min-max") == found


def test_objectives_and_sets_are_kept_apart(make_row, write_results, tmp_path):
    rows = [
        make_row("a", 0, 5.0),
        make_row("a", 0, 50.0, "min-sum"),
        make_row("a", 0, 7.0, set_="x"),
    ]
    update(tmp_path, load([write_results(rows)]))
    assert read_best(tmp_path, "v3-c40", "min-max")[0].cost == 5.0
    assert read_best(tmp_path, "v3-c40", "min-sum")[0].cost == 50.0
    assert read_best(tmp_path, "x", "min-max")[0].cost == 7.0
    assert read_best(tmp_path, "x", "min-sum") == {}


def test_rounding_is_no_improvement_and_leaves_the_file_alone(make_row, write_results, tmp_path):
    update(tmp_path, load([write_results([make_row("a", 0, 5.0)], "1.csv")]))
    before = (tmp_path / "v3-c40-min-max.csv.gz").read_bytes()
    nearly = load([write_results([make_row("b", 0, 5.0 - 1e-12)], "2.csv")])
    assert update(tmp_path, nearly) == {("v3-c40", "min-max"): 0}
    assert (tmp_path / "v3-c40-min-max.csv.gz").read_bytes() == before


@given(st.lists(st.tuples(st.integers(0, 4), st.floats(1, 100)), min_size=1, max_size=30))
def test_it_never_gets_worse(tmp_path_factory, answers):
    folder = tmp_path_factory.mktemp("best")
    lowest = {}
    for number, cost in answers:
        lowest[number] = min(cost, lowest.get(number, cost))
        row = Row("s", number, "", "min-max", "a", 0, "feasible", cost, None, 0, 0, "", "", "", "")
        update(folder, Measurements((row,), {}))
        found = read_best(folder, "s", "min-max")
        assert {k: b.cost for k, b in found.items()} == pytest.approx(lowest, rel=1e-8)


def test_a_damaged_archive_gets_a_sentence(tmp_path):
    (tmp_path / "v3-c40-min-max.csv.gz").write_bytes(b"nothing")
    with pytest.raises(InputError, match=r"v3-c40-min-max\.csv\.gz: the archive file is damaged"):
        read_best(tmp_path, "v3-c40", "min-max")
