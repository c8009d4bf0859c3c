"""Fabricated results."""

from pathlib import Path

import pytest

from hcvrp.bench.results import ResultFile, Row
from hcvrp.provenance import Session

SESSION = Session("2026-01-02T03:04:05Z", "hcvrp bench run", "abc123", "a processor", 2, "", {})


@pytest.fixture
def session():
    return SESSION


@pytest.fixture
def make_row():
    """A row of the given place and cost; what is not said does not matter."""

    def make(label, number, cost, objective="min-max", *, set_="v3-c40", **more):
        told = {
            "seed": 0,
            "status": "failed" if cost is None else "feasible",
            "bound": None,
            "seconds": 0.5,
            "iterations": 0,
            "device": "cpu",
            "message": "no luck" if cost is None else "",
            "settings": f'{{"method": "{label.split()[0]}"}}',
            "session": "s",
            "instance": f"{set_}-{number}",
        } | more
        return Row(set=set_, number=number, objective=objective, label=label, cost=cost, **told)

    return make


@pytest.fixture
def write_results(tmp_path):
    """Writes rows as a result file of one session."""

    def write(rows, name="results.csv") -> Path:
        path = tmp_path / name
        with ResultFile(path, SESSION) as file:
            file.add(Row(**(vars(row) | {"session": file.session})) for row in rows)
        return path

    return write
