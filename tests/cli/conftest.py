"""The command line in this process, and small problems for it."""

import pytest

import hcvrp
from hcvrp.cli import main

GLOBE = "name,lat,lon,demand\ndepot,0,0,\neast,0,1,5\nnorth,1,0,5\nwest,0,-1,5\n"
"""A degree of the equator or of a meridian is 111.195 km."""


@pytest.fixture
def run(capsys):
    """Runs the command line in this process: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as exit_:
            main([str(a) for a in arguments])
        return exit_.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def instance(tmp_path):
    """Three customers on a line; two vans, the second twice as fast."""
    path = tmp_path / "line.json"
    line = hcvrp.Instance(
        [1, 1, 1],
        [hcvrp.Vehicle(2, name="van"), hcvrp.Vehicle(2, 2, name="bike")],
        depot=(0, 0),
        customers=[(1, 0), (2, 0), (-1, 0)],
        name="line",
        customer_names=["near", "far", "west"],
    )
    hcvrp.write(path, line)
    return path


@pytest.fixture
def globe(tmp_path):
    (tmp_path / "stops.csv").write_text(GLOBE)
    (tmp_path / "vans.csv").write_text("name;capacity;speed;count\nvan;5;55,5975;1\ntruck;9;30;1\n")
    return tmp_path / "stops.csv", "--fleet", tmp_path / "vans.csv"
