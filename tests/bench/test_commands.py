"""`hcvrp bench` as a user meets it, and the miniature of everything."""

import csv

import pytest

from hcvrp.bench.answers import answer
from hcvrp.bench.figures import FIGURES
from hcvrp.bench.plan import Cell
from hcvrp.bench.quick import quick
from hcvrp.bench.results import load
from hcvrp.cli import main
from hcvrp.solver import METHODS

PLAN = """
[[cells]]
label = "savings"
method = "savings"
sets = ["v3-c40[:3]", "v3-c60[:2]"]
"""


HERE = ("--archive", ".")


@pytest.fixture
def bench(capsys):
    """Runs `hcvrp bench` in this process: exit code, standard output, standard error."""

    def call(*arguments):
        with pytest.raises(SystemExit) as exit_:
            main(["bench", *(str(a) for a in arguments)])
        return exit_.value.code or 0, *capsys.readouterr()

    return call


@pytest.fixture
def plan(tmp_path):
    path = tmp_path / "plan.toml"
    path.write_text(PLAN)
    return path


def test_from_a_plan_to_a_table_a_figure_and_the_archive(bench, plan, tmp_path):
    results, best = tmp_path / "r.csv", tmp_path / "best"
    code, out, _ = bench("run", plan, "--out", results, "--workers", 1)
    assert (code, out) == (0, f"{results} is complete\n")
    assert bench("archive", results, "--archive", best)[1] == (
        "v3-c40 min-max: 3 better\nv3-c40 min-sum: 3 better\n"
        "v3-c60 min-max: 2 better\nv3-c60 min-sum: 2 better\n"
    )
    where = ("--out", tmp_path / "docs", "--archive", best)
    assert bench("table", "v3", results, *where)[0] == 0
    text = (tmp_path / "docs" / "v3.md").read_text()
    assert ", n=3" in text
    assert ", n=2" in text
    with (tmp_path / "docs" / "v3.csv").open() as file:
        costs = {(r["set"], r["objective"]): float(r["cost"]) for r in csv.DictReader(file)}
    rows = [r for r in load([results]).rows if (r.set, r.objective) == ("v3-c40", "min-max")]
    assert costs["v3-c40", "min-max"] == pytest.approx(sum(r.cost for r in rows) / 3)
    assert bench("figure", "frontier", results, *where)[0] == 0
    assert 'id="savings"' in (tmp_path / "docs" / "frontier.svg").read_text()


def test_a_run_may_be_restricted_and_says_when_something_is_missing(bench, plan, tmp_path):
    results = tmp_path / "r.csv"
    part = ("--set", "v3-c60", "--objective", "min-sum", "--label", "savings")
    assert bench("run", plan, "--out", results, *part, "-w", 1)[0] == 0
    assert {(r.set, r.objective) for r in load([results]).rows} == {("v3-c60", "min-sum")}
    code, out, _ = bench("run", plan, "--out", results, "--minutes", 0, "-w", 1)
    assert (code, out) == (1, f"{results} is not complete yet: run this again\n")


def test_results_are_merged_and_packed(bench, plan, tmp_path):
    for name in ("v3-c40", "v3-c60"):
        bench("run", plan, "--out", tmp_path / f"{name}.csv", "--set", name, "-w", 1)
    out = tmp_path / "all.csv.gz"
    code, said, _ = bench("merge", tmp_path / "v3-c40.csv", tmp_path / "v3-c60.csv", "--out", out)
    assert (code, said) == (0, f"{out} has 10 rows\n")
    assert bench("run", plan, "--out", out, "--minutes", 0)[0] == 0  # nothing is left to do


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("run", "PLAN", "--out", "OUT", "--label", "x"),
            "--label x is not in the plan; it has: s",
        ),
        (("run", "none.toml", "--out", "OUT"), "none.toml: the file cannot be read"),
        (("table", "v9", "OUT"), "there is no such result file"),
        (("run", "PLAN", "--out", "FILE/r.csv"), "the folder cannot be made: "),
        (("run", "PLAN", "--out", "."), "the file cannot be written: it is a folder"),
        (("run", "PLAN", "--out", "FILE"), "FILE: the columns must be"),
        (("merge", "BINARY", "--out", "OUT"), "BINARY: this is no result file: it is not text"),
        (("archive", "RESULTS", "--archive", "FILE"), "FILE: the folder cannot be made: file ex"),
        (("table", "v3", "RESULTS", "--out", "FILE", *HERE), "FILE: the folder cannot be made: "),
        (("figure", "frontier", "RESULTS", "-o", "FILE", *HERE), "FILE: the folder cannot be made"),
        (("page", "RESULTS", "--out", "FILE", *HERE), "FILE: the folder cannot be made: file ex"),
        (("table", "v3", "RESULTS"), "--archive: there is no folder bench/best-known of best-kno"),
        (("figure", "frontier", "RESULTS", "--archive", "x"), "--archive: there is no folder x of"),
        (("page", "RESULTS", "--archive", "FILE"), "--archive: there is no folder FILE of best-k"),
        (("figure", "pie", "OUT"), "unknown figure 'pie'; known: convergence-v3"),
    ],
)
def test_bad_input_gets_one_sentence_and_leaves_no_file(
    bench, plan, make_row, write_results, tmp_path, arguments, sentence, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "FILE").write_text("not,results\n")
    (tmp_path / "BINARY").write_bytes(b"\xff\n")
    results = write_results([make_row("auto", 1, 1.0)])
    places = {"PLAN": plan, "OUT": "out.csv", "RESULTS": results}
    before = sorted(tmp_path.iterdir())
    code, _, err = bench(*(places.get(a, a) for a in arguments))
    assert code == 2
    assert sentence in err
    assert err.count("\n") == 1
    assert sorted(tmp_path.iterdir()) == before


def test_a_figure_without_gaps_needs_no_archive(bench, make_row, write_results, tmp_path):
    results, none = write_results([make_row("auto", 1, 1.0)]), tmp_path / "none"
    where = ("--out", tmp_path / "docs", "--archive", none)
    assert bench("figure", "convergence-v3", results, *where)[0] == 0
    assert not none.exists()


def test_options_that_leave_nothing_to_run_are_refused(bench, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN + 'objectives = ["min-max"]\n')
    code, _, err = bench("run", plan, "--out", tmp_path / "r.csv", "--objective", "min-sum")
    assert code == 2
    assert "no cell of the plan is left by --label, --set and --objective together" in err


def test_without_a_command_there_is_help(bench):
    code, out, _ = bench()
    assert code == 0
    assert "archive" in out


def test_the_miniature_of_everything(bench, tmp_path, data, monkeypatch):
    monkeypatch.setenv("HCVRP_DATA", str(data))
    code, out, _ = bench("--quick", "--out", tmp_path, "--workers", 2)
    assert code == 0
    made = {line.rsplit("/", 1)[1] for line in out.splitlines()}
    tables = {
        f"{name}.{kind}" for name in ("v3", "v5", "cvrplib", "fsmd") for kind in ("md", "csv")
    }
    drawn = {name.partition(".")[0] for name in made} & set(FIGURES)
    assert drawn >= {"convergence-v3", "convergence-v5", "frontier", "generalisation-v3-min-max"}
    assert made == {"results.csv"} | tables | {f"{n}.{k}" for n in drawn for k in ("svg", "png")}
    rows = load([tmp_path / "results.csv"]).rows
    assert {r.label for r in rows} >= set(METHODS)
    for row in rows:
        assert (row.cost is None) == (row.status == "failed") == bool(row.message)
    costs = {(r.label, r.number): r.cost for r in rows if r.set == "v3-c40" and r.cost}
    assert all(costs["sisr", k] < costs["savings", k] for k in (0, 1))
    (proven,) = {r.cost for r in rows if (r.instance, r.objective) == ("Taillard_03", "min-sum")}
    assert proven == pytest.approx(623.22, rel=0.01)


def test_a_figure_that_lacks_answers_is_left_out_with_a_word(tmp_path, monkeypatch):
    cells = [Cell("savings", "v3-c40[:2]", "min-max", "savings")]
    cells += [Cell("model", "v3-c40[:2]", "min-max", "savings", parameters={"depth": 3})]
    monkeypatch.setattr("hcvrp.bench.quick._cells", lambda: cells)
    cells.append(Cell("savings", "v5-c80[:2]", "min-max", "savings"))
    monkeypatch.setattr("hcvrp.bench.quick.FIGURES", ("generalisation-v3-min-max", "frontier"))
    told = []
    written = quick(tmp_path, tell=told.append)
    assert [path.name for path in written[-2:]] == ["frontier.svg", "frontier.png"]
    assert told == [
        (
            "generalisation-v3-min-max is left out: the results have no models on v3 for min-max"
            " (method savings has no parameter 'depth'; it has: none)"
        )
    ]


@pytest.fixture
def in_process(monkeypatch):
    """Answers without worker processes."""
    monkeypatch.setattr(
        "hcvrp.bench.runner.answered",
        lambda jobs, _, more: ((j, answer(j)) for j in jobs if more()),
    )


@pytest.mark.usefixtures("in_process")
def test_a_run_says_how_many_answers_failed(bench, tmp_path):
    plan, results = tmp_path / "plan.toml", tmp_path / "r.csv"
    failing = '[[cells]]\nlabel = "none"\nweights = "nowhere"\nsets = ["v3-c40[:2]"]\n'
    plan.write_text(PLAN + failing)
    complete, missing = f"{results} is complete", f"{results} is not complete yet: run this again"
    for more, code, told in (
        ("--label none -b min-max", 0, f"{complete}; 2 answers failed, --retry asks again"),
        ("--label savings", 0, complete),
        ("--minutes 0", 1, f"{missing}; 2 answers failed, --retry asks again"),
        ("", 0, f"{complete}; 4 answers failed, --retry asks again"),
        ("--retry --minutes 0", 1, missing),
    ):
        assert bench("run", plan, "--out", results, *more.split())[:2] == (code, f"{told}\n")


@pytest.mark.usefixtures("in_process")
def test_an_interrupted_run_says_what_it_has(bench, plan, tmp_path, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    def interrupted(jobs, *_):
        for job in jobs[:2]:
            yield job, answer(job)
        raise KeyboardInterrupt

    results = tmp_path / "r.csv"
    for name, stand_in, count in (
        ("find_set", interrupt, 0),
        ("answered", interrupted, 2),
        ("answered", interrupted, 4),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(f"hcvrp.bench.runner.{name}", stand_in)
            code, out, err = bench("run", plan, "--out", results)
        told = f"hcvrp: interrupted: {results} has {count} answers, and the same command goes on"
        assert (code, out, err.splitlines()[-1]) == (130, "", told)
    assert bench("run", plan, "--out", results)[:2] == (0, f"{results} is complete\n")
    assert len(load([results]).rows) == 10


def test_labels_with_commas_are_told_apart(bench, plan, tmp_path):
    plan.write_text(PLAN + PLAN.replace('label = "savings"', 'label = "auto 3 ms, batch"'))
    told = bench("run", plan, "--out", tmp_path / "r.csv", "--label", "foo")
    listed = "auto 3 ms, batch; savings"
    assert told == (2, "", f"hcvrp: --label foo is not in the plan; it has: {listed}\n")
