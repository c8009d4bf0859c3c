"""Result files: rows to the last digit, torn lines, a lock, one meaning per label."""

import gzip
import json
import math

import pytest

from hcvrp.bench.plan import Cell
from hcvrp.bench.results import COLUMNS, ResultFile, load, merge, stem
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


def test_a_packed_file_is_small_and_the_same_twice(make_row, write_results):
    rows = [make_row("a", k, math.sqrt(k)) for k in range(1, 500)]
    plain, packed = write_results(rows, "r.csv"), write_results(rows, "p.csv.gz")
    assert load([packed]).rows == load([plain]).rows
    assert gzip.decompress(packed.read_bytes()) == plain.read_bytes()
    assert packed.stat().st_size < plain.stat().st_size / 4
    assert packed.read_bytes() == write_results(rows, "q.csv.gz").read_bytes()
    assert packed.with_name("p.json").exists()
    assert (stem(plain), stem(packed)) == ("r", "p")


def test_a_packed_file_torn_anywhere_keeps_the_rows_before(tmp_path, session, make_row):
    path = tmp_path / "whole.csv.gz"
    with ResultFile(path, session) as file:
        file.add([make_row("a", 1, 1.0)])
        kept = path.stat().st_size
        file.add([make_row("a", 2, 2.0)])
        written = path.read_bytes()
    for end in range(kept, len(written)):
        torn = tmp_path / f"{end}.csv.gz"
        torn.write_bytes(written[:end])
        assert 1 in {r.number for r in load([torn]).rows}
    with ResultFile(torn, session) as again:
        again.add([make_row("a", 3, 3.0)])
    assert [r.number for r in load([torn]).rows] == [1, 2, 3]  # only its checksum was torn


def test_what_is_no_gzip_gets_a_sentence(tmp_path):
    (tmp_path / "r.csv.gz").write_text("set,number\n")
    with pytest.raises(InputError, match=r"r\.csv\.gz: the file is damaged: its name ends in \.gz"):
        load([tmp_path / "r.csv.gz"])


def test_files_of_several_machines_become_one(make_row, write_results, tmp_path):
    first = write_results([make_row("a", 2, 2.0), make_row("a", 1, None)], "1.csv")
    second = write_results([make_row("b", 1, 4.0), make_row("a", 1, 1.0)], "2.csv.gz")
    out = write_results([make_row("c", 9, 9.0)], "out.csv.gz")
    assert merge([first, second], out) == 4
    found = [(r.label, r.number, r.cost) for r in load([out]).rows]
    assert found == [("a", 1, 1.0), ("a", 2, 2.0), ("b", 1, 4.0), ("c", 9, 9.0)]
    assert set(load([out]).sessions) >= set(load([first, second]).sessions)
    odd = write_results([make_row("a", 5, 5.0, settings='{"method": "b"}')], "3.csv")
    before = out.read_bytes()
    with pytest.raises(
        InputError, match=r"out\.csv\.gz: label 'a' on v3-c40 stands for .*, and now"
    ):
        merge([odd], out)
    assert out.read_bytes() == before
    assert not list(tmp_path.glob("*.lock"))


def test_sessions_without_a_row_are_forgotten(make_row, write_results, tmp_path):
    out = write_results([make_row("a", 1, 1.0)], "out.csv.gz")
    sidecar = tmp_path / "out.json"
    told = json.loads(sidecar.read_text())
    sidecar.write_text(json.dumps(told | {"gone": next(iter(told.values()))}))
    merge([out], out)
    assert json.loads(sidecar.read_text()) == told


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
    sentence = 'label \'a\' on v3-c40 stands for {"method": "sisr"}, and now for {"method": "sav'
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
