"""Plan files."""

from pathlib import Path

import pytest

from hcvrp.bench.plan import Cell, parse_plan, read_plan
from hcvrp.bench.sets import find_set
from hcvrp.errors import InputError
from hcvrp.solution import Objective
from hcvrp.solver import METHODS

PLANS = sorted((Path(__file__).resolve().parents[2] / "experiments" / "bench").glob("*.toml"))
PENDING = {"auto"}
"""A method that plans name before it is in the table."""


def test_a_cell_stands_for_every_set_objective_and_seed():
    cells = parse_plan("""
        [[cells]]
        label = "search"
        method = "sisr"
        sets = ["v3-c40[:8]", "v3-c60"]
        seeds = [1, 2]
        time_limit = 0.5
        parameters = { polish = "off" }
    """)
    assert [(c.set_name, c.objective, c.seed) for c in cells] == [
        (name, objective, seed)
        for name in ("v3-c40", "v3-c60")
        for objective in ("min-max", "min-sum")
        for seed in (1, 2)
    ]
    assert cells[0].settings == '{"method": "sisr", "polish": "off", "time_limit": 0.5}'


def test_weights_may_depend_on_the_objective():
    cells = parse_plan("""
        [[cells]]
        label = "DRL"
        weights = "paper-v3-c40-{objective}"
        sets = ["v3-c40"]
    """)
    assert [c.weights for c in cells] == ["paper-v3-c40-min-max", "paper-v3-c40-min-sum"]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[[cells", "no TOML"),
        ("", r"no \[\[cells\]\]"),
        ("title = 1", "unknown field 'title'"),
        ("[[cells]]\nmethod = 'sisr'\nsets = ['v3-c40']", "'without label' has no label"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'sisr'", "'a' has no sets"),
        ("[[cells]]\nlabel = 'a'\nsets = ['v3-c40']", "needs either method or weights"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']\nseed = 1", "unknown field 'seed'"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']\nseeds = 1", "seeds of cell 'a'"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = [3]", "sets of cell 'a' .* wrong value: 3"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']\nbatch = 0", "batch of cell 'a'"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']\nobjectives = ['d']", "not 'd'"),
    ],
)
def test_a_wrong_plan_gets_a_sentence(text, sentence):
    with pytest.raises(InputError, match=sentence):
        parse_plan(text)


def test_a_missing_plan_gets_a_sentence(tmp_path):
    with pytest.raises(InputError, match=r"none\.toml: the file cannot be read"):
        read_plan(tmp_path / "none.toml")


def test_threads_count_as_a_setting_where_there_are_several():
    cell = Cell("a", "v3-c40", Objective.MIN_MAX, "sisr", threads=4)
    assert cell.settings == '{"method": "sisr", "threads": 4}'


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_the_plans_of_the_experiments_are_sound(path, data, monkeypatch):
    monkeypatch.setenv("HCVRP_DATA", str(data))
    cells = read_plan(path)
    assert {c.method for c in cells} <= {None, *METHODS, *PENDING}
    settings = {}
    for cell in cells:
        place = (cell.set_name, cell.objective, cell.label)
        assert settings.setdefault(place, cell.settings) == cell.settings
    for place in {(c.set, c.objective) for c in cells if c.set_name in ("cvrplib", "fsmd")}:
        assert len(find_set(*place)) in ((1, 2) if "[" in place[0] else (10, 12))
