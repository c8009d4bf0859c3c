import pytest

import hcvrp

TEN = "v3-c40, v3-c60, v3-c80, v3-c100, v3-c120, v5-c80, v5-c100, v5-c120, v5-c140, v5-c160"


@pytest.mark.parametrize(
    "name", ["v9-c40", "v3-c39", "v4-c60", "v3-c1000", "v1-c1", "v0-c40", "v3c40", "v3-c0", ""]
)
def test_a_set_that_the_paper_does_not_have_is_refused(run, tmp_path, name):
    code, out, err = run("generate", "--paper", name, "--out", tmp_path / "set.npz")
    assert (code, out) == (2, "")
    assert err == f"hcvrp: unknown paper set {name!r}; the paper has: {TEN}\n"
    assert list(tmp_path.iterdir()) == []


def test_a_set_in_capitals_and_a_part_of_it(run, tmp_path):
    path = tmp_path / "two.json"
    told = f"wrote 2 instances to {path}\n"
    assert run("generate", "--paper", "V3-C40", "--count", 2, "-o", path) == (0, "", told)
    assert hcvrp.read(path) == hcvrp.paper_set("v3-c40")[:2]


def test_no_more_instances_than_the_set_has(run):
    told = "hcvrp: --count must be at most 1280 with --paper, not 1281\n"
    assert run("generate", "--paper", "v5-c80", "--count", 1281) == (2, "", told)


@pytest.mark.parametrize("what", [("-n", 5), ("--paper", "v3-c40"), ("-n", 5, "-m", 0)])
def test_a_folder_that_is_not_there_is_named_before_the_work(run, tmp_path, what):
    path = tmp_path / "no" / "x.json"
    told = f"hcvrp: {path}: the file cannot be written: there is no folder {path.parent}\n"
    assert run("generate", *what, "-o", path) == (2, "", told)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_place_of_the_file(run, tmp_path):
    told = f"hcvrp: {tmp_path}: the file cannot be written: it is a folder\n"
    assert run("generate", "-n", 5, "-o", tmp_path) == (2, "", told)
