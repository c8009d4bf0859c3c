"""The command line as a user meets it: output, files, exit codes."""

import json
import os
import signal
import subprocess
import sys

import pytest

import hcvrp
from hcvrp.solver import METHODS


def write_solution(path, routes):
    path.write_text(json.dumps({"format": "hcvrp-solution", "version": 1, "routes": routes}))
    return path


def test_version_and_help(run):
    assert run("--version") == (0, f"hcvrp {hcvrp.__version__}\n", "")
    code, out, _ = run("--help")
    assert code == 0
    for command in ("generate", "solve", "check", "bound", "plot", "train", "methods", "policies"):
        assert f"\n  {command}" in out


def test_help_needs_neither_numpy_nor_rich():
    script = (
        "import sys; from hcvrp.cli.app import app; app(['--help'], standalone_mode=False);"
        "print([m for m in ('numpy', 'rich.table', 'torch', 'matplotlib') if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"


def test_solve_tells_cost_and_gap_live(run, instance):
    # There and back 2, 4 and 2, at most 2 · 2 per time on the bike: 8 / 4. It makes two trips of 4
    # and 2 at speed 2.
    _, _, err = run("solve", instance, "--method", "savings", "--objective", "min-sum")
    assert err == "savings: cost 3, gap at most 33.3 % (quick bound)\n"


def test_a_proof_tells_its_bound_live(run, instance):
    _, _, err = run("solve", instance, "--method", "exact", "--objective", "min-sum")
    assert err.endswith("exact: cost 3, gap at most 0.0 % (proven bound)\n")


def test_methods_lists_them_all(run):
    code, out, _ = run("methods", "--json")
    assert code == 0
    assert set(json.loads(out)) == set(METHODS)
    assert "savings" in run("methods")[1]


def test_policies_lists_what_is_shipped(run):
    code, out, _ = run("policies", "--json")
    assert code == 0
    facts = json.loads(out)["paper-v3-c40-min-max"]
    assert facts == {"kind": "paper", "vehicles": 3, "customers": 40, "objective": "min-max"}
    anywhere = {"kind": "fleet", "vehicles": None, "customers": 500, "objective": None}
    assert json.loads(out)["fleet"] == anywhere
    told = run("policies")[1].splitlines()
    assert any(line.startswith("paper-v3-c40-min-max ") for line in told)
    assert any(line.endswith("any fleet, up to 500 customers, both objectives") for line in told)


def test_train_refuses_a_missing_config(run, tmp_path):
    code, out, err = run("train", "--config", tmp_path / "no.toml", "--out", tmp_path / "run")
    assert (code, out) == (2, "")
    assert "no.toml: no such file" in err.lower()
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", ": the file is empty"),
        ("# later\n", ": the file is empty"),
        (
            '[policy]\nkind = "foo"\n[[phases]]\n',
            " [policy] kind must be one of paper, am, fleet, not 'foo'",
        ),
        (
            "[policy]\nkind = 3\n[[phases]]\n",
            " [policy] kind must be one of paper, am, fleet, not 3",
        ),
    ],
)
def test_train_refuses_a_config_that_tells_too_little(run, tmp_path, text, sentence):
    config = tmp_path / "config.toml"
    config.write_text(text)
    told = run("train", "--config", config, "--out", tmp_path / "run")
    assert told == (2, "", f"hcvrp: {config}{sentence}\n")
    assert not (tmp_path / "run").exists()


def test_train_refuses_a_folder_that_is_a_file(run, tmp_path):
    (tmp_path / "config.toml").write_text("[problem]\ncustomers = 5\n")
    (tmp_path / "run").write_text("")
    code, _, err = run(
        "train", "--config", tmp_path / "config.toml", "--out", tmp_path / "run", "--epochs", 0
    )
    assert code == 2
    assert err == f"hcvrp: {tmp_path / 'run'}: the folder cannot be made: file exists\n"


def test_generate_prints_json_or_writes_a_file(run, tmp_path):
    code, out, err = run("generate", "--customers", 5, "--vehicles", 2, "--seed", 3)
    assert (code, err) == (0, "")
    assert [v["capacity"] for v in json.loads(out)["vehicles"]] == [20, 25]
    path = tmp_path / "five.json"
    assert run("generate", "-n", 5, "-m", 2, "--seed", 3, "--out", path)[0] == 0
    assert path.read_text() == out
    assert hcvrp.read(path) == hcvrp.generate(5, 2, seed=3, name="uniform-n5-s3")


def test_generate_many_and_a_paper_set(run, tmp_path):
    assert run("generate", "-n", 4, "--count", 3, "--seed", 8, "-o", tmp_path / "m.json")[0] == 0
    many = hcvrp.read(tmp_path / "m.json")
    assert [i.name for i in many] == ["uniform-n4-s8", "uniform-n4-s9", "uniform-n4-s10"]
    run("generate", "--paper", "v3-c40", "--count", 1, "-o", tmp_path / "one.json")
    assert hcvrp.read(tmp_path / "one.json") == hcvrp.paper_set("v3-c40")[0]
    code, _, err = run("generate", "--paper", "v3-c40", "-b", "min-sum", "-o", tmp_path / "p.npz")
    assert code == 0
    assert "1280 instances" in err
    assert hcvrp.read(tmp_path / "p.npz") == hcvrp.paper_set("v3-c40", "min-sum")


def test_generated_customers_in_a_csv_have_no_vehicles_and_it_says_so(run, tmp_path):
    path = tmp_path / "g.csv"
    told = f"wrote 1 instance to {path}, customers alone: a .csv has no vehicles\n"
    assert run("generate", "-n", 5, "-m", 3, "--out", path) == (0, "", told)
    assert hcvrp.read(path, fleet=[20]).size == 5


def test_solve_prints_a_table(run, instance):
    code, out, _ = run("solve", instance, "--method", "savings")
    assert code == 0
    for word in ("line", "van", "bike", "near", "far", "west", "min-max cost 2", "savings"):
        assert word in out


def test_auto_may_be_asked_to_do_without_the_policy(run, instance):
    answer = json.loads(run("solve", instance, "--samples", 0, "--iterations", 9, "--json")[1])
    assert (answer["method"], answer["cost"]) == ("auto", 2)


def test_solve_json_is_one_object_that_the_referee_confirms(run, instance):
    code, out, err = run("solve", instance, "-m", "savings", "-b", "min-sum", "--json")
    assert (code, err) == (0, "")
    answer = json.loads(out)
    solution = hcvrp.Solution(answer["routes"])
    problem = hcvrp.read(instance)
    assert solution.violations(problem) == []
    assert answer["cost"] == solution.cost(problem, "min-sum") == 3
    assert answer["vehicle_times"] == [0, 3]
    assert (answer["instance"], answer["method"], answer["seed"]) == ("line", "savings", 0)


@pytest.mark.parametrize("suffix", [".json", ".sol", ".csv"])
def test_solve_writes_what_check_accepts(run, instance, tmp_path, suffix):
    out = tmp_path / f"answer{suffix}"
    assert run("solve", instance, "-m", "savings", "--out", out)[0] == 0
    finish = "all done after 2.000 (min-max 2)\n"
    together = "all vehicles together 4.000 (min-sum 4)\n"
    assert run("check", instance, out) == (0, finish + together, "")
    assert run("check", instance, out, "--objective", "min-sum")[1] == together


def test_solve_draws_and_plot_draws_again(run, instance, tmp_path):
    answer = tmp_path / "answer.json"
    run("solve", instance, "-m", "savings", "-o", answer, "--plot", tmp_path / "a.svg")
    assert (tmp_path / "a.svg").read_text().startswith("<?xml")
    assert run("plot", instance, answer, "--out", tmp_path / "b.html")[0] == 0
    assert "near" in (tmp_path / "b.html").read_text()


def test_what_solve_prints_as_json_check_reads(run, instance, tmp_path):
    printed = tmp_path / "printed.json"
    printed.write_text(run("solve", instance, "-m", "savings", "--json")[1])
    told = "all done after 2.000 (min-max 2)\n"
    assert run("check", instance, printed, "-b", "min-max") == (0, told, "")


def test_a_dataset_is_solved_as_a_batch(run, tmp_path):
    run("generate", "-n", 6, "--count", 3, "-o", tmp_path / "many.json")
    code, out, _ = run("solve", tmp_path / "many.json", "-m", "savings")
    assert code == 0
    assert "over 3 instances" in out
    answers = json.loads(run("solve", tmp_path / "many.json", "-m", "savings", "--json")[1])
    instances = hcvrp.read(tmp_path / "many.json")
    for answer, problem in zip(answers["results"], instances, strict=True):
        assert answer["cost"] == hcvrp.solve(problem, "min-max", "savings").cost
    run("solve", tmp_path / "many.json", "-m", "savings", "-o", tmp_path / "answers.json")
    written = json.loads((tmp_path / "answers.json").read_text())
    assert [s["cost"] for s in written["solutions"]] == [a["cost"] for a in answers["results"]]


def test_a_fleet_from_the_command_line(run, data):
    file = data / "cvrplib" / "P-n60-k10.vrp"
    code, out, _ = run("solve", file, "--fleet", "120,150", "-m", "savings", "--json")
    assert code == 0
    assert len(json.loads(out)["routes"]) == 2
    code, _, err = run("solve", file, "-m", "savings")
    assert code == 2
    assert "--fleet" in err


def test_check_lists_violations_and_exits_with_1(run, instance, tmp_path):
    bad = write_solution(tmp_path / "bad.json", [[[1, 2, 3]], [[3]]])
    code, out, _ = run("check", instance, bad)
    assert code == 1
    assert out.splitlines() == [
        "trip 1 of van carries 3, more than its capacity of 2",
        "customer west is visited 2 times instead of once",
    ]
    answer = json.loads(run("check", instance, bad, "--json")[1])
    assert answer == {"feasible": False, "costs": {}, "violations": out.splitlines()}


def test_what_is_wrong_with_a_plan_is_told_in_its_own_numbers(run, instance, tmp_path):
    plan = tmp_path / "plan.csv"
    rows = ["2,9,1,1", "2,4,2,3", "2,4,1,2", "1,6,1,2"]
    plan.write_text("\n".join(["vehicle,trip,order,customer", *rows]))
    assert run("check", instance, plan) == (
        1,
        "customer far is visited 2 times instead of once\n",
        "",
    )
    plan.write_text(plan.read_text().replace("2,9,1,1", "2,4,7,1").replace("1,6,1,2", "1,6,1,0"))
    told = "line 4: trip 4 of bike carries 3, more than its capacity of 2"
    assert run("check", instance, plan) == (1, f"{told}\n", "")
    answer = json.loads(run("check", instance, plan, "--json")[1])
    assert answer == {"feasible": False, "costs": {}, "violations": [told]}
    refused = f"hcvrp: {plan}: not a solution of this instance: {told}\n"
    assert run("plot", instance, plan, "--out", tmp_path / "x.svg") == (2, "", refused)
    assert run("solve", instance, "--initial", plan) == (2, "", refused)
    assert not (tmp_path / "x.svg").exists()


def test_bound_proves_the_line(run, instance, tmp_path):
    code, out, _ = run("bound", instance, "--time-limit", 20)
    assert code == 0
    assert out.startswith("best found: all done after 2.000 (min-max 2), proven optimal, ")
    assert len(out.splitlines()) == 1
    poor = write_solution(tmp_path / "poor.json", [[[1], [2], [3]], []])
    answer = json.loads(run("bound", instance, "--solution", poor, "-b", "min-sum", "--json")[1])
    assert answer["status"] == "optimal"
    assert answer["bound"] == pytest.approx(3)
    assert answer["solution_cost"] == 8
    told = run("bound", instance, "--solution", poor, "-b", "min-sum")[1]
    assert "poor.json: all vehicles together 8.000 (min-sum 8), at most 62.5" in told


def test_an_answer_can_be_certified(run, instance):
    answer = json.loads(run("solve", instance, "-m", "savings", "--certify", 20, "--json")[1])
    assert (answer["status"], answer["bound"]) == ("optimal", pytest.approx(2))


def test_an_initial_solution_is_read(run, instance, tmp_path):
    start = write_solution(tmp_path / "start.json", [[], [[1, 2], [3]]])
    code, out, _ = run("solve", instance, "-m", "savings", "--initial", start, "--json")
    assert code == 0
    assert json.loads(out)["cost"] == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["solve", "no-such-file.json"], "no-such-file.json: "),
        (["solve", "LINE", "-m", "magic"], "unknown method 'magic'"),
        (["solve", "LINE", "--set", "depth"], "--set wants NAME=VALUE, not 'depth'"),
        (["solve", "LINE", "-m", "savings", "--set", "depth=3"], "has no parameter 'depth'"),
        (["solve", "LINE", "-m", "savings", "--samples", "9"], "has no parameter 'samples'"),
        (
            ["solve", "LINE", "--time-limit", "-1"],
            "--time-limit must be a number of at least 0, not -1",
        ),
        (["solve", "LINE", "--out", "no/such/folder/x.json"], "no/such/folder/x.json: "),
        (["solve", "LINE", "--out", "x.xyz"], "x.xyz: "),
        (["solve", "LINE", "--plot", "x.xyz"], "x.xyz: "),
        (["solve", "LINE", "LINE", "--plot", "x.png"], "--plot x.png goes with one instance"),
        (["solve", "LINE", "LINE", "--initial", "LINE"], "goes with one instance, not 2"),
        (
            ["solve", "LINE", "-m", "sisr", "--set", "power=8.5"],
            "power must be a whole number, not 8.5",
        ),
        (["solve", "LINE", "-t", "nan"], "--time-limit must be a number of at least 0, not nan"),
        (["solve", "LINE", "--certify", "-1"], "--certify must be a number of at least 0, not -1"),
        (
            ["solve", "LINE", "LINE", "--certify", "nan"],
            "--certify must be a number of at least 0, not nan",
        ),
        (
            ["solve", "LINE", "--fleet", "300@0"],
            "--fleet item '300@0': vehicle speed must be positive, not 0",
        ),
        (
            ["solve", "LINE", "--fleet", "500@30,900"],
            "--fleet item '900' has no speed: give every vehicle a speed or none",
        ),
        (["serve", "--max-seconds", "-1"], "--max-seconds must be a positive number, not -1"),
        (["solve", "LINE", "--initial", "BAD"], "bad.json: not a solution of this instance: "),
        (["bound", "LINE", "--solution", "BAD"], "bad.json: not a solution of this instance: "),
        (["plot", "LINE", "BAD", "-o", "x.png"], "bad.json: not a solution of this instance: "),
        (["generate"], "--customers is missing"),
        (["generate", "-n", "99999999999999"], "--customers must lie between 1 and 100000"),
        (["generate", "--paper", "v3-c40", "-n", "3"], "--paper fixes customers"),
        (["generate", "--paper", "v9"], "unknown paper set 'v9'"),
        (
            ["generate", "--paper", "v3-c5", "--count", "1281"],
            "--count must be at most 1280 with --paper, not 1281",
        ),
        (["generate", "--paper", "v3-c5", "--distribution", "uniform"], "--paper fixes customers"),
        (["generate", "-n", "5", "-b", "min-sum"], "--objective min-sum goes with --paper only"),
        (["bench", "run", "x.toml", "--out", "x.txt"], "--out must end in .csv or .csv.gz, not x."),
        (["bench", "merge", "x.csv", "--out", "x.txt"], "--out must end in .csv or .csv.gz, not x"),
        (["check", "LINE", "LINE"], "line.json: "),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    run, instance, arguments, sentence, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    files = {"LINE": instance, "BAD": write_solution(tmp_path / "bad.json", [[[1]], []])}
    before = sorted(tmp_path.iterdir())
    code, out, err = run(*[files.get(a, a) for a in arguments])
    assert code == 2
    assert out == ""
    assert err.startswith("hcvrp: ")
    assert sentence in err
    assert len(err.splitlines()) == 1
    assert sorted(tmp_path.iterdir()) == before


@pytest.mark.parametrize("command", ["hcvrp train", "hcvrp.training"])
def test_training_without_torch_says_what_to_install(tmp_path, command):
    """In a process of its own: here torch may have been imported long ago."""
    module, *words = command.split()
    script = (
        "import runpy, sys\n"
        "sys.modules['torch'] = None\n"
        "runpy.run_module(sys.argv.pop(1), run_name='__main__', alter_sys=True)\n"
    )

    def call(*options):
        line = [sys.executable, "-c", script, module, *words, *options]
        done = subprocess.run(line, capture_output=True, text=True, check=False, cwd=tmp_path)
        return done.returncode, done.stdout, done.stderr

    sentence = "hcvrp: learned policies need torch: pip install '.[learn]' in the clone\n"
    assert call("--config", "no.toml", "--out", "run") == (2, "", sentence)
    assert list(tmp_path.iterdir()) == []
    code, out, err = call("--help")
    assert (code, err) == (0, "")
    assert "--resume" in out


def test_too_little_memory_is_one_sentence(run, instance, monkeypatch):
    def full(*_, **__):
        raise MemoryError("unable to allocate 7 GiB")

    monkeypatch.setattr("hcvrp.solver.solve", full)
    code, out, err = run("solve", instance)
    assert (code, out) == (2, "")
    assert err == "hcvrp: there is not enough memory: unable to allocate 7 GiB\n"


def test_a_terminal_without_unicode_shows_what_it_can():
    done = subprocess.run(
        [sys.executable, "-m", "hcvrp", "methods"],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": "ascii"},
        check=True,
    )
    assert b"Clarke?Wright savings" in done.stdout


def test_a_folder_is_refused_before_the_search(run, instance, tmp_path):
    (tmp_path / "folder.json").mkdir()
    code, out, err = run("solve", instance, "--out", tmp_path / "folder.json")
    assert (code, out) == (2, "")
    assert "it is a folder" in err


def test_the_input_is_not_overwritten(run, instance):
    before = instance.read_text()
    code, out, err = run("solve", instance, "-m", "savings", "--out", instance)
    assert (code, out) == (2, "")
    assert "would overwrite what it was made from" in err
    assert instance.read_text() == before


def test_ctrl_c_during_the_imports_ends_in_a_word():
    script = (
        "import sys\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *_):\n"
        "        if name == 'typer':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from hcvrp.cli import main\n"
        "main(['methods'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "hcvrp: interrupted\n")


@pytest.mark.parametrize("signal_", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_search_and_keeps_the_best(tmp_path, signal_):
    hcvrp.write(tmp_path / "town.json", hcvrp.generate(30, 3, seed=1))
    answer = tmp_path / "answer.json"
    run = subprocess.Popen(
        [sys.executable, "-m", "hcvrp", "solve", tmp_path / "town.json", "-t", "60", "-o", answer],
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "cost" in run.stderr.readline()  # the search is under way
    run.send_signal(signal_)
    run.communicate(timeout=60)
    assert run.returncode == 0
    assert hcvrp.read(answer).violations(hcvrp.read(tmp_path / "town.json")) == []


def test_the_answer_in_the_terminal_tells_trips_stops_load_time_and_the_end(run, globe):
    code, out, _ = run("solve", *globe, "-m", "sisr", "--iterations", 2000)
    assert code == 0
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert "3 stops, 2 vehicles, 3 trips" in lines
    assert "van 2 10 8:00 2 trips:" in lines  # twice 222.39 km at 55.5975 km/h
    assert any(line.startswith("trip 1 1 5/5 4:00 ") for line in lines)
    assert any(line.startswith("truck 1 5/9 7:25 ") for line in lines)
    assert "All done after 8:00 h, when van is back; all vehicles together 15:25 h." in " ".join(
        lines
    )


def test_the_written_plan_has_times_of_day_beside_hours(run, globe, tmp_path):
    plan = tmp_path / "plan.csv"
    run("solve", *globe, "--iterations", 2000, "--out", plan)
    rows = plan.read_text().splitlines()
    assert rows[0].endswith("arrival,h:mm")
    assert rows[2].endswith(",4:00")
    assert run("check", globe[0], plan, "--fleet", globe[2], "-b", "min-max")[0] == 0


def test_an_idle_vehicle_stays_at_the_depot(run, tmp_path):
    (tmp_path / "one.csv").write_text("x,y,demand\n0,0,0\n3,4,1\n")
    out = run("solve", tmp_path / "one.csv", "--fleet", "5@1,5@2", "-m", "savings")[1]
    assert "stays at the depot" in out
    assert "All done after 5.000, when vehicle 2 is back; all vehicles together 5.000." in out


def test_names_cannot_steer_the_terminal(run, tmp_path):
    evil = "\x1b[2J\x1b]0;owned\x07evil"
    path = tmp_path / "evil.json"
    town = hcvrp.Instance(
        [1, 9],
        [hcvrp.Vehicle(9, name=f"van {evil}")],
        depot=(0, 0),
        customers=[(1, 0), (2, 0)],
        name=evil,
        customer_names=[f"a {evil}", f"b {evil}"],
    )
    hcvrp.write(path, town)
    bad = write_solution(tmp_path / "bad.json", [[[1, 2]]])
    for arguments in (
        ["solve", path, "-m", "savings"],
        ["solve", path, path, "-m", "savings"],
        ["check", path, bad],
        ["plot", path, bad, "--out", tmp_path / "x.png"],
    ):
        _, out, err = run(*arguments)
        assert "evil" in out + err
        assert "\x1b" not in out + err
        assert "\x07" not in out + err


def test_a_dataset_is_checked_as_a_whole(run, instance, tmp_path):
    many = tmp_path / "many.json"
    problem = hcvrp.read(instance)
    hcvrp.write(many, [problem, problem])
    run("solve", many, "-m", "savings", "--out", tmp_path / "answers.json")
    code, out, _ = run("check", many, tmp_path / "answers.json")
    assert (code, out) == (
        0,
        "2 of 2 solutions are feasible\nmean min-max 2\nmean min-sum 4\n",
    )
    bad = [hcvrp.Solution([[[1, 2]], [[3]]]), hcvrp.Solution([[[1, 2, 3]], []])]
    hcvrp.write(tmp_path / "bad.json", bad)
    code, out, _ = run("check", many, tmp_path / "bad.json")
    assert code == 1
    assert out.splitlines() == [
        "line: trip 1 of van carries 3, more than its capacity of 2",
        "1 of 2 solutions are feasible",
        "mean min-max 4",
        "mean min-sum 5",
    ]
    verdicts = json.loads(run("check", many, tmp_path / "bad.json", "--json")[1])["results"]
    assert [v["feasible"] for v in verdicts] == [True, False]


def test_a_picture_shows_one_instance(run, instance, tmp_path):
    hcvrp.write(tmp_path / "many.json", [hcvrp.read(instance)] * 2)
    code, _, err = run("plot", tmp_path / "many.json", instance, "--out", tmp_path / "x.png")
    assert code == 2
    assert "many.json: the file holds 2 instances; this takes one at a time" in err


def test_an_interrupted_batch_says_how_far_it_came(tmp_path):
    hcvrp.write(tmp_path / "many.json", [hcvrp.generate(30, 3, seed=k) for k in range(99)])
    answers = tmp_path / "answers.json"
    batch = ["solve", tmp_path / "many.json", "-t", "0.5", "--processes", "1", "-o", answers]
    run = subprocess.Popen(
        [sys.executable, "-m", "hcvrp", *batch],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert "0/99 solved" in run.stderr.readline()
    assert "/99 solved, last cost" in run.stderr.readline()
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    solved = len(json.loads(answers.read_text())["solutions"])
    assert 1 <= solved < 99
    assert f"interrupted: {solved} of 99 instances solved" in err
    assert f"over {solved} instance" in out


@pytest.mark.parametrize("command", ["solve LINE -m savings", "generate -n 9000", "methods"])
def test_a_reader_that_goes_away_is_no_mishap(instance, command):
    arguments = command.replace("LINE", str(instance)).split()
    run = subprocess.Popen(
        [sys.executable, "-m", "hcvrp", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    run.stdout.close()
    err = run.stderr.read()
    run.stderr.close()
    assert run.wait(timeout=60) == 0
    assert "Broken" not in err
    assert "Traceback" not in err


def test_train_passes_its_options_on(run):
    code, out, _ = run("train", "--help")
    assert code == 0
    assert "--config" in out
    assert "--resume" in out


def test_a_plain_benchmark_file_says_what_to_type(run, data):
    code, _, err = run("solve", data / "cvrplib" / "P-n60-k10.vrp")
    assert code == 2
    assert "add --fleet 120x10 on the command line" in err
