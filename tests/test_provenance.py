"""Where numbers come from."""

import hashlib
import subprocess

from hcvrp.provenance import commit, this_session, write_rows
from hcvrp.starts import WEIGHTS


def test_the_commit_is_told_by_git_unless_the_environment_names_one(monkeypatch):
    def git(command, **_):
        assert command[0] == "git"
        return subprocess.CompletedProcess(command, 0, stdout="1a2b3c4-dirty\n")

    monkeypatch.delenv("HCVRP_COMMIT", raising=False)
    monkeypatch.setattr(subprocess, "run", git)
    assert commit() == "1a2b3c4-dirty"
    monkeypatch.setenv("HCVRP_COMMIT", "abc1234")
    assert commit() == "abc1234"


def test_the_commit_is_empty_where_nothing_tells_it(monkeypatch):
    def no_git(command, **_):
        raise FileNotFoundError(command[0])

    monkeypatch.delenv("HCVRP_COMMIT", raising=False)
    monkeypatch.setattr(subprocess, "run", no_git)
    assert commit() == ""


def test_rows_are_written_below_how_they_came_about(tmp_path, monkeypatch):
    monkeypatch.setenv("HCVRP_COMMIT", "abc1234")
    monkeypatch.setattr("sys.argv", ["x.py", "--first", "8"])
    write_rows(
        tmp_path / "x.csv", [{"set": "a", "cost": 1.5}, {"set": "b", "cost": 2}], "python x.py"
    )
    command, commit, hardware, *rows = (tmp_path / "x.csv").read_text().splitlines()
    assert (command, commit) == ("# command: python x.py --first 8", "# commit: abc1234")
    assert hardware.startswith("# hardware: ")
    assert rows == ["set,cost", "a,1.5", "b,2"]


def test_a_session_knows_the_weights_it_ran_with():
    weights = this_session().weights
    assert weights["fleet"] == hashlib.sha256(WEIGHTS.read_bytes()).hexdigest()[:12]
    assert set(weights) == {file.stem for file in WEIGHTS.parent.glob("*.safetensors")}
