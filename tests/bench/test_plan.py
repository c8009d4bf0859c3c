"""Plan files."""

from pathlib import Path

import pytest

from hcvrp.bench.plan import Cell, parse_plan, read_plan
from hcvrp.bench.sets import find_set
from hcvrp.errors import InputError
from hcvrp.solution import Objective
from hcvrp.solver import METHODS

SOUND = "[[cells]]\nlabel = 'a'\nmethod = 'sisr'\nsets = ['c']\n"
PLANS = sorted((Path(__file__).resolve().parents[2] / "experiments" / "bench").glob("*.toml"))


def test_a_cell_stands_for_every_set_objective_and_seed():
    cells = parse_plan("""
        [[cells]]
        label = "search"
        method = "sisr"
        sets = ["v3-c40[:8]", "v3-c60"]
        seeds = [1, 2]
        time_limit = 0.5
        parameters = { remember = false }
    """)
    assert [(c.set_name, c.objective, c.seed) for c in cells] == [
        (name, objective, seed)
        for name in ("v3-c40", "v3-c60")
        for objective in ("min-max", "min-sum")
        for seed in (1, 2)
    ]
    assert cells[0].settings == '{"method": "sisr", "remember": false, "time_limit": 0.5}'


def test_each_makes_a_row_of_every_value_and_defaults_fill_in():
    cells = parse_plan("""
        [defaults]
        sets = ["v3-c40[:8]"]
        objectives = ["min-max"]
        seeds = [7]

        [[cells]]
        label = "search {time_limit} s"
        method = "sisr"
        each = { time_limit = [0.1, 1] }

        [[cells]]
        label = "policy {samples}"
        method = "fleet"
        seeds = [8]
        parameters = { augment = true }
        each = { samples = [8, 64] }
    """)
    assert [(c.label, c.seed, c.settings) for c in cells] == [
        ("search 0.1 s", 7, '{"method": "sisr", "time_limit": 0.1}'),
        ("search 1 s", 7, '{"method": "sisr", "time_limit": 1.0}'),
        ("policy 8", 8, '{"augment": true, "method": "fleet", "samples": 8}'),
        ("policy 64", 8, '{"augment": true, "method": "fleet", "samples": 64}'),
    ]


def test_a_label_must_tell_the_rows_of_each_apart():
    with pytest.raises(InputError, match=r"each of cell 'search' must name one field .*\{iterat"):
        parse_plan(
            '[[cells]]\nlabel = "search"\nmethod = "sisr"\nsets = ["v3-c40"]\n'
            "each = { iterations = [1, 2] }"
        )


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
        ("cells = [1]", r"no \[\[cells\]\]"),
        ("", r"no \[\[cells\]\]"),
        ("title = 1", "unknown field 'title'"),
        ("[[cells]]\nmethod = 'sisr'\nsets = ['v3-c40']", "'without label' has no label"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'sisr'", "'a' has no sets"),
        ("[[cells]]\nlabel = 'a'\nsets = ['v3-c40']", "needs either method or weights"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']\nseed = 1", "unknown field 'seed'"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']\nseeds = 1", "seeds of cell 'a'"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = [3]", "sets of cell 'a' .* wrong value: 3"),
        ("[[cells]]\nlabel = 'a'\nmethod = 'b'\nsets = ['c']", "cell 'a': unknown method 'b'"),
        (SOUND + "batch = 0", "batch of cell 'a' must be at least 1, not 0"),
        (SOUND + "seeds = [-1]", "seed of cell 'a' must be at least 0, not -1"),
        (
            SOUND + "time_limit = nan",
            "cell 'a': time_limit must be a number of at least 0, not nan",
        ),
        (SOUND + "iterations = -1", "cell 'a': iterations must lie between"),
        (SOUND + "each = {}", "each of cell 'a' must name one field"),
        (SOUND.replace("'a'", "'{batch}'") + "each = { batch = ['x'] }", "batch of cell 'x' has a"),
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
    assert {c.method for c in cells} <= {None, *METHODS}
    settings = {}
    for cell in cells:
        place = (cell.set_name, cell.objective, cell.label)
        assert settings.setdefault(place, cell.settings) == cell.settings
    for place in {(c.set, c.objective) for c in cells if c.set_name in ("cvrplib", "fsmd")}:
        assert len(find_set(*place)) in ((1, 2) if "[" in place[0] else (10, 12))
