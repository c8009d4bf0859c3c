"""Paths that cannot be read or written, and the promise that writing is all or nothing."""

import os
from pathlib import Path

import pytest

from hcvrp import InputError, Instance, Solution, Vehicle
from hcvrp.formats import (
    files,
    parse_fleet,
    read,
    read_dataset,
    read_instance,
    read_solution,
    read_solutions,
    write,
)

LINE = Instance([1, 1], [2, 2], depot=(0, 0), customers=[(1, 0), (2, 0)], name="line")
ANSWER = Solution([[[1, 2]], []])


def refusal(call, *arguments, **options):
    """The sentence with which a call is refused."""
    with pytest.raises(InputError) as caught:
        call(*arguments, **options)
    return str(caught.value)


SUFFIXES = (".json", ".npz", ".csv", ".vrp", ".txt", ".sol")


def test_stops_without_a_fleet_are_no_vehicles(tmp_path):
    path = tmp_path / "stops.vrp"
    path.write_text(
        "TYPE : CVRP\nDIMENSION : 2\nEDGE_WEIGHT_TYPE : EUC_2D\nCAPACITY : 10\n"
        "NODE_COORD_SECTION\n1 0 0\n2 1 1\nDEMAND_SECTION\n1 0\n2 3\nDEPOT_SECTION\n1\n-1\nEOF\n"
    )
    assert refusal(parse_fleet, str(path)) == (
        f"{path}: the file holds stops, not vehicles: give the stops first and the vehicles after"
        " --fleet, such as stops.csv --fleet vans.csv"
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_an_empty_file(tmp_path, suffix):
    path = tmp_path / f"empty{suffix}"
    path.touch()
    assert refusal(read, path) == f"{path}: the file is empty"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_directory(tmp_path, suffix):
    path = tmp_path / f"folder{suffix}"
    path.mkdir()
    assert refusal(read, path) == f"{path}: the file cannot be read: is a directory"
    if suffix in (".json", ".vrp"):
        expected = f"{path}: the file cannot be written: it is not a regular file"
        assert refusal(write, path, LINE) == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_missing_file(tmp_path, suffix):
    path = tmp_path / f"missing{suffix}"
    expected = f"{path}: the file cannot be read: no such file or directory"
    assert refusal(read, path) == expected


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_huge_file_is_refused_by_its_size_alone(tmp_path, suffix):
    path = tmp_path / f"huge{suffix}"
    with path.open("wb") as file:
        file.truncate(2 * 2**30)  # sparse: it takes no room
    limit = 1024 if suffix == ".npz" else 100
    assert refusal(read, path) == (
        f"{path}: the file is larger than the limit of {limit} MiB"
        " (large datasets belong in an .npz file)"
    )


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="named pipes are a Unix thing")
def test_a_pipe_is_read_up_to_the_limit():
    reader, writer = os.pipe()
    os.write(writer, b"x" * 100)
    os.close(writer)
    assert refusal(files.read_bytes, Path(f"/dev/fd/{reader}"), 99).startswith("the file is larger")
    os.close(reader)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_binary_junk(tmp_path, suffix):
    path = tmp_path / f"junk{suffix}"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(range(256)))
    expected = {
        ".json": "the file is not UTF-8 text: byte 0x89 at position 0",
        ".csv": "the file is not UTF-8, UTF-16 or Windows-1252 text: byte 0x81 at position 137",
        ".npz": "the file is not a readable .npz file of plain arrays",
        ".vrp": "the file is not text: a zero byte at position 8",
        ".txt": "the file is not text: a zero byte at position 8",
        ".sol": "the file has no line such as `Route #1: 4 2 7`",
    }
    assert refusal(read, path) == f"{path}: {expected[suffix]}"


WORKBOOK = "a workbook cannot be read: save the sheet as CSV and give that file"
XLSX = b"PK\x03\x04\x14\x00\x06\x00\x08\x00\x00\x00!\x00\x81[Content_Types].xml"
XLS = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16)


@pytest.mark.parametrize("data", [XLSX, XLS, b"PK\x03\x04"])
@pytest.mark.parametrize("suffix", [".csv", ".CSV", ".txt", ".json", ".vrp", ".sol"])
def test_a_workbook_by_another_name(tmp_path, suffix, data):
    path = tmp_path / f"real{suffix}"
    path.write_bytes(data)
    assert refusal(read, path) == f"{path}: {WORKBOOK}"
    assert refusal(read_solution, path, LINE) == f"{path}: {WORKBOOK}"
    assert refusal(parse_fleet, str(path)) == f"{path}: {WORKBOOK}"


def test_what_only_begins_like_a_workbook(tmp_path):
    path = tmp_path / "stops.csv"
    path.write_text("PK,x,y,demand\ndepot,0,0,\na,3,4,1\n")
    assert read(path, fleet=[2]).distances[0, 1] == 5
    write(tmp_path / "line.npz", LINE)
    assert (tmp_path / "line.npz").read_bytes().startswith(b"PK\x03\x04")
    assert read(tmp_path / "line.npz") == [LINE]


def test_a_path_with_a_null_byte():
    assert refusal(read, "a\0.json").endswith("the file cannot be read: embedded null byte")
    assert "the file cannot be written: " in refusal(write, "a\0.json", LINE)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read and write everything")
def test_unreadable_and_unwritable_paths(tmp_path):
    path = tmp_path / "secret.json"
    write(path, LINE)
    path.chmod(0)
    assert refusal(read, path) == f"{path}: the file cannot be read: permission denied"
    tmp_path.chmod(0o500)
    other = tmp_path / "other.json"
    assert refusal(write, other, LINE) == f"{other}: the file cannot be written: permission denied"
    tmp_path.chmod(0o700)


def test_a_missing_folder(tmp_path):
    path = tmp_path / "nowhere" / "line.json"
    expected = f"{path}: the file cannot be written: no such file or directory"
    assert refusal(write, path, LINE) == expected


def test_unknown_suffixes(tmp_path):
    assert refusal(read, "plan.xlsx") == (
        "plan.xlsx: a workbook cannot be read: save the sheet as CSV and give that file"
    )
    assert refusal(read, "plan.doc") == (
        "plan.doc: suffix '.doc' cannot be read; known: .json, .npz, .csv, .vrp, .txt, .sol"
    )
    path = tmp_path / "plan.docx"
    assert refusal(write, path, ANSWER) == (
        f"{path}: suffix '.docx' cannot be written for a solution;"
        " known: .json, .sol, .csv, .geojson"
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("failing", ["open", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, monkeypatch, failing):
    path = tmp_path / "line.json"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, failing, fail)
        sentence = refusal(write, path, LINE)
    assert sentence == f"{path}: the file cannot be written: no space left on device"
    assert [p.name for p in tmp_path.iterdir()] == ["line.json"]
    assert path.read_text() == "old"


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(tmp_path / "line.json", LINE)
    assert list(tmp_path.iterdir()) == []


def test_what_utf8_cannot_spell_is_refused(tmp_path):
    odd = Instance([1], [2], depot=(0, 0), customers=[(1, 0)], name="\ud800")
    path = tmp_path / "odd.json"
    assert refusal(write, path, odd) == rf"{path}: the text '\ud800' cannot be written as UTF-8"
    assert list(tmp_path.iterdir()) == []


def test_a_link_keeps_pointing_at_the_file(tmp_path):
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old")
    link.symlink_to(target)
    write(link, LINE)
    assert link.is_symlink()
    assert read(target) == LINE


def test_new_files_are_as_readable_as_others(tmp_path):
    (tmp_path / "plain").touch()
    write(tmp_path / "line.json", LINE)
    modes = [(tmp_path / name).stat().st_mode for name in ("plain", "line.json")]
    assert modes[0] == modes[1]


def test_things_that_cannot_be_written(tmp_path):
    path = tmp_path / "thing.json"
    expected = (
        "nothing to write: {} is neither an instance, a solution, a result nor a non-empty list of"
        " these or of vehicles"
    )
    for thing in ([], [LINE, ANSWER], "text", None):
        sentence = refusal(write, path, thing)
        assert sentence == f"{path}: {expected.format(type(thing).__name__)}"
    assert refusal(write, path, ANSWER, instance=[LINE]).endswith(
        "instance must be the one instance that the solution answers"
    )
    assert refusal(write, path, [ANSWER], instance=LINE).endswith(
        "instance must be a list, one instance per solution"
    )
    assert refusal(write, path, [ANSWER], instance=[LINE, LINE]).endswith(
        "there are 1 solutions for 2 instances"
    )
    assert refusal(write, tmp_path / "a.csv", ANSWER).endswith(
        "this format tells times and places: give the instance of the solution"
    )
    assert refusal(write, path, ANSWER, instance=LINE, objective="fast").endswith(
        "objective must be min-max or min-sum, not 'fast'"
    )
    assert list(tmp_path.iterdir()) == []


def test_the_wrong_kind_of_file(tmp_path):
    instance, answer, fleet = (tmp_path / f"{name}.json" for name in ("line", "answer", "fleet"))
    dataset, answers = tmp_path / "lines.json", tmp_path / "answers.json"
    write(instance, LINE)
    write(answer, ANSWER)
    write(fleet, LINE.vehicles)
    write(dataset, [LINE, LINE])
    write(answers, [ANSWER, ANSWER])
    for call, path, expected in (
        (read, fleet, "the file holds a fleet, not an instance or a solution"),
        (read_instance, answer, "the file holds a solution, not an instance"),
        (read_instance, dataset, "the file holds 2 instances; this takes one at a time"),
        (read_dataset, fleet, "the file holds a fleet, not an instance"),
        (parse_fleet, instance, "the file holds an instance, not a fleet"),
    ):
        assert refusal(call, str(path)) == f"{path}: {expected}"
    assert refusal(read_solution, dataset, LINE) == (
        f"{dataset}: the file holds a dataset, not a solution"
    )
    assert refusal(read_solution, answers, LINE) == (
        f"{answers}: the file holds a list of solutions, not a solution"
    )
    assert refusal(read_solutions, instance, [LINE]) == (
        f"{instance}: the file holds an instance, not solutions"
    )
    assert refusal(read_solutions, answers, [LINE]) == (
        f"{answers}: the file holds 2 solutions for 1 instance"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "vehicle,trip,customer,demand,load\n1,1,1,5,5\n",
            (
                "column order is missing; the file has: vehicle, trip, customer, demand, load"
                " (call the right one order)"
            ),
        ),
        ("name,lat,lon,demand\ndepot,48,11,\n", "the file holds customers, not a solution"),
        ("name,capacity\nvan,5\n", "the file holds a fleet, not a solution"),
    ],
)
def test_a_csv_named_as_a_solution_is_judged_as_one(tmp_path, text, expected):
    path = tmp_path / "plan.csv"
    path.write_text(text)
    assert refusal(read_solution, path, LINE) == f"{path}: {expected}"
    assert refusal(read_solutions, path, [LINE]) == f"{path}: {expected}"


def test_a_file_written_anew_keeps_its_mode(tmp_path):
    path = tmp_path / "line.json"
    write(path, LINE)
    for mode in (0o600, 0o664):
        path.chmod(mode)
        write(path, [LINE, LINE])
        assert path.stat().st_mode & 0o777 == mode
        assert read(path) == [LINE, LINE]


def test_a_solution_of_another_instance(tmp_path):
    path = tmp_path / "answer.json"
    write(path, ANSWER, instance=LINE)
    three = LINE.with_vehicles([2, 2, 2])
    short = Instance([1], [2, 2], depot=(0, 0), customers=[(1, 0)])
    other = Instance([1, 1], [2, 2], depot=(0, 0), customers=[(1, 0), (2, 0)], name="other")
    assert refusal(read_solution, path, three) == (
        f"{path}: the solution has routes for 2 vehicles, the instance has 3"
    )
    assert refusal(read_solution, path, short) == (
        f"{path}: the solution visits customer 2, the instance has customers 1 to 1"
    )
    assert refusal(read_solution, path, other) == (
        f"{path}: instance is 'line', but the solution is held against 'other'"
    )
    for suffix in (".json", ".sol", ".csv", ".geojson"):
        out = tmp_path / f"refused{suffix}"
        sentence = refusal(write, out, ANSWER, instance=short, objective="min-max")
        assert sentence.startswith(f"{out}: the solution visits customer 2")
        assert not out.exists()


def test_an_infeasible_solution_is_read_and_left_to_the_referee(tmp_path):
    path = tmp_path / "answer.json"
    write(path, Solution([[[1], [1]], []]))
    assert read_solution(path, LINE).violations(LINE) == [
        "customer 1 is visited 2 times instead of once",
        "customer 2 is never visited",
    ]


LOOKS = "it must look like 20, 20x3 (CAPACITYxCOUNT), 20@0.5 (CAPACITY@SPEED) or 20@0.5x3"
BARE = "has no speed: give every vehicle a speed or none (a decimal is written with a point, 28.5)"


def test_fleets_in_a_few_words():
    assert parse_fleet("20,25,30") == [Vehicle(20), Vehicle(25), Vehicle(30)]
    assert parse_fleet("20x2, 30") == [Vehicle(20), Vehicle(20), Vehicle(30)]
    assert parse_fleet(" 20@1x2, 25@0.5 ,1.5@2x1") == [
        Vehicle(20),
        Vehicle(20),
        Vehicle(25, 0.5),
        Vehicle(1.5, 2),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("20,,30", f"fleet item '': {LOOKS}"),
        ("20x", f"fleet item '20x': {LOOKS}"),
        ("20,3O", "fleet item '3O': capacity is not a number: '3O'"),
        ("20@fast", "fleet item '20@fast': speed is not a number: 'fast'"),
        ("20x1.5", "fleet item '20x1.5': count must be a whole number of at least 1, not 1.5"),
        ("20x0", "fleet item '20x0': count must be a whole number of at least 1, not 0"),
        ("-5", "fleet item '-5': vehicle capacity must be positive, not -5"),
        ("300@0", "fleet item '300@0': vehicle speed must be positive, not 0"),
        ("1_0", "fleet item '1_0': capacity is not a number: '1_0'"),
        ("1e999", "fleet item '1e999': capacity must be finite, not inf"),
        ("500@30,900", f"fleet item '900' {BARE}"),
        ("500@30,1500@28,5", f"fleet item '5' {BARE}"),
        ("20x3, 25@0.5", f"fleet item '20x3' {BARE}"),
        ("20x99999", "a fleet has at most 10000 vehicles, not 99999"),
        ("vans.csv", "vans.csv: the file cannot be read: no such file or directory"),
        (
            "vans",
            (
                "fleet must be capacities such as 20,25x3 (CAPACITYxCOUNT) or 20@30,25@28.5"
                " (CAPACITY@SPEED), or the path of a CSV or JSON file, not 'vans'"
            ),
        ),
    ],
)
def test_fleets_that_are_none(text, expected):
    assert refusal(parse_fleet, text) == expected
