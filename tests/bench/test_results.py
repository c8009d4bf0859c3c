"""Result files: rows to the last digit, torn lines, a lock, one meaning per label."""

import json
import math

import pytest

from hcvrp.bench.plan import Cell
from hcvrp.bench.results import COLUMNS, ResultFile, load
from hcvrp.errors import InputError
from hcvrp.solution import Objective


def test_rows_come_back_to_the_last_digit_and_in_order(make_row, write_results):
    rows = [
        make_row("b", 3, 0.1 + 0.2, bound=1 / 3, status="optimal"),
        make_row("a", 10, math.pi),
        make_row("a", 9, None, message='he said: "no,\nnever"'),
    ]
    found = load([write_results(rows)])
    assert [(r.label, r.number) for r in found.rows] == [("a", 9), ("a", 10), ("b", 3)]
    assert found.rows[0].message == 'he said: "no, never"'
    assert found.rows[1].cost == math.pi
    assert (found.rows[2].cost, found.rows[2].bound) == (0.1 + 0.2, 1 / 3)
    assert [r.number for r in found.answered()] == [10, 3]


def test_every_row_names_its_session(make_row, write_results, session):
    path = write_results([make_row("a", 1, 1.0)])
    found = load([path])
    assert found.sessions[found.rows[0].session] == session
    assert json.loads(path.with_suffix(".json").read_text())[found.rows[0].session]["commit"] == (
        "abc123"
    )


@pytest.mark.parametrize("cut", [1, 5, 60])
def test_a_torn_last_line_is_cut_off(make_row, write_results, session, cut):
    path = write_results([make_row("a", 1, 1.0), make_row("a", 2, 2.0)])
    path.write_bytes(path.read_bytes()[:-cut])
    assert [r.number for r in load([path]).rows] == [1]
    with ResultFile(path, session) as file:
        file.add([make_row("a", 2, 2.5)])
    assert [(r.number, r.cost) for r in load([path]).rows] == [(1, 1.0), (2, 2.5)]


def test_a_torn_header_is_an_empty_file(tmp_path, session, make_row):
    path = tmp_path / "torn.csv"
    path.write_text("set,num")
    with ResultFile(path, session) as file:
        file.add([make_row("a", 1, 1.0)])
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert [r.cost for r in load([path]).rows] == [1.0]


def test_a_row_is_on_disk_before_the_file_is_closed(tmp_path, session, make_row):
    path = tmp_path / "open.csv"
    with ResultFile(path, session) as file:
        file.add([make_row("a", 1, 1.0)])
        assert [r.cost for r in load([path]).rows] == [1.0]


def test_a_second_answer_to_the_same_is_ignored(tmp_path, session, make_row):
    path = tmp_path / "twice.csv"
    with ResultFile(path, session) as file:
        file.add([make_row("a", 1, 1.0)])
        file.add([make_row("a", 1, 9.0)])
    assert [r.cost for r in load([path]).rows] == [1.0]


def test_of_several_files_a_later_cost_counts_but_a_later_failure_does_not(make_row, write_results):
    first = write_results([make_row("a", 1, 1.0), make_row("a", 2, 2.0)], "1.csv")
    second = write_results([make_row("a", 1, 1.5), make_row("a", 2, None)], "2.csv")
    assert [(r.number, r.cost) for r in load([first, second]).rows] == [(1, 1.5), (2, 2.0)]


def test_with_retry_failures_are_forgotten(make_row, write_results, session):
    path = write_results([make_row("a", 1, 1.0), make_row("a", 2, None)])
    with ResultFile(path, session, retry=True) as file:
        assert [key.number for key in file.rows] == [1]


def test_two_runs_do_not_write_one_file(tmp_path, session):
    path = tmp_path / "shared.csv"
    with (
        ResultFile(path, session),
        pytest.raises(InputError, match="another run is writing to this file"),
    ):
        ResultFile(path, session)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["shared.csv"]


def test_a_label_stands_for_one_thing(make_row, write_results, session):
    path = write_results([make_row("a", 1, 1.0, settings='{"method": "sisr"}')])
    cell = Cell("a", "v3-c40[:9]", Objective.MIN_MAX, "savings")
    sentence = 'label \'a\' on v3-c40 stands for {"method": "sisr"}, the plan says {"method": "sav'
    with ResultFile(path, session) as file:
        with pytest.raises(InputError) as error:
            file.check([cell])
        file.check([Cell("a", "v3-c60", Objective.MIN_MAX, "savings")])
    assert sentence in str(error.value)


def test_damage_within_the_file_gets_a_sentence(make_row, write_results, tmp_path):
    path = write_results([make_row("a", 1, 1.0), make_row("a", 2, 2.0)])
    path.write_text(path.read_text().replace(",2.0,", ",two,"))
    with pytest.raises(InputError, match=r"results\.csv: line 3 is damaged"):
        load([path])
    path.write_text("a,b\n1,2\n")
    with pytest.raises(InputError, match="the columns must be set,number"):
        load([path])
    with pytest.raises(InputError, match="there is no such result file"):
        load([tmp_path / "none.csv"])
