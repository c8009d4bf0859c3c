"""What the command line says to a planner: units, mistakes, progress; what it never destroys."""

import json
import signal
from dataclasses import replace

import pytest

import hcvrp
from hcvrp.cli.report import Live
from hcvrp.formats.files import read_text_bytes
from hcvrp.task import Improvement, Result

COMMANDS = [
    *("solve", "check", "bound", "plot", "generate", "train", "methods", "policies", "serve"),
    *("bench", "bench run", "bench merge", "bench table", "bench figure", "bench page"),
    "bench archive",
]


# Help and mistakes --------------------------------------------------------------------------------


@pytest.mark.parametrize("command", COMMANDS)
def test_help_ends_with_commands_to_copy(run, command):
    code, out, _ = run(*command.split(), "--help")
    assert code == 0
    examples = out.partition("\n  Examples:\n")[2]
    assert f"    hcvrp {command}" in examples or f" hcvrp {command}" in examples
    assert run(*command.split(), "-h") == (0, out, "")


def test_without_a_command_there_is_the_help(run):
    code, out, err = run()
    assert (code, out, err) == run("--help")
    assert code == 0


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("solve x.csv -t 10s", "--time-limit must be a number, not '10s'"),
        ("solve x.csv --iterations 2.5", "--iterations must be a whole number, not '2.5'"),
        ("solve x.csv --threads 0", "--threads must be at least 1, not 0"),
        ("solve x.csv -b minmax", "--objective must be min-max or min-sum, not 'minmax'"),
        ("solve x.csv --foo", "there is no option --foo; hcvrp solve --help lists them"),
        ("solve x.csv --time 3", "there is no option --time; did you mean --time-limit?"),
        ("solve x.csv -z", "there is no option -z; hcvrp solve --help lists them"),
        ("solve x.csv --out", "--out wants a value"),
        ("solve", "FILE… is missing; see hcvrp solve --help"),
        ("plot a b", "--out is missing; see hcvrp plot --help"),
        ("check a b c", "got unexpected extra argument(s) (c); see hcvrp check --help"),
        ("dance", "no such command 'dance'; see hcvrp --help"),
        ("bench dance", "no such command 'dance'; see hcvrp bench --help"),
        ("bench run", "PLAN is missing; see hcvrp bench run --help"),
        ("train --out x", "--config is missing; see hcvrp train --help"),
        ("train --epochs x", "--epochs must be a whole number, not 'x'"),
        ("serve --port web", "--port must be a whole number, not 'web'"),
        ("generate -n 0", "--customers must lie between 1 and 100000, not 0"),
        (
            "solve x.csv --fleet vans",
            (
                "--fleet must be capacities such as 20,25x3 (CAPACITYxCOUNT) or 20@30,25@28.5"
                " (CAPACITY@SPEED), or the path of a CSV or JSON file, not 'vans'"
            ),
        ),
        ("bound x.csv --memory 0", "--memory must be a positive number of gigabytes, not 0"),
    ],
)
def test_a_mistake_is_one_sentence_with_the_option_as_typed(run, command, sentence):
    assert run(*command.split()) == (2, "", f"hcvrp: {sentence}\n")


# Files --------------------------------------------------------------------------------------------


def refused(path):
    return 2, "", f"hcvrp: {path}: the answer would overwrite what it was made from\n"


def test_no_command_overwrites_what_it_reads(run, globe, tmp_path):
    stops, _, vans = globe
    plan = tmp_path / "plan.json"
    assert run("solve", *globe, "-m", "savings", "--out", plan)[0] == 0
    before = {path: path.read_bytes() for path in (stops, vans, plan)}
    assert run("solve", *globe, "--out", vans) == refused(vans)
    assert run("solve", *globe, "--initial", plan, "--out", plan) == refused(plan)
    for path in before:
        assert run("plot", stops, plan, "--fleet", vans, "--out", path) == refused(path)
    assert run("generate", "-n", 3, "--fleet", vans, "--out", vans) == refused(vans)
    results = tmp_path / "v3.csv"
    results.write_text("results")
    assert run("bench", "table", "v3", results, "--out", tmp_path) == refused(results)
    assert {path: path.read_bytes() for path in before} == before


def test_a_link_to_the_fleet_is_the_fleet(run, globe, tmp_path):
    link = tmp_path / "link.csv"
    link.symlink_to(globe[2])
    assert run("solve", *globe, "--out", link) == refused(link)


@pytest.mark.parametrize("how", [[], ["--json"]])
def test_the_answer_is_shown_even_if_it_cannot_be_written(
    run, instance, tmp_path, monkeypatch, how
):
    def full(*_, **__):
        raise OSError(28, "No space left on device", "plan.csv")

    monkeypatch.setattr("hcvrp.formats.write", full)
    target = tmp_path / "plan.csv"
    code, out, err = run("solve", instance, "-m", "savings", "--out", target, *how)
    assert code == 2
    assert "min-max cost 2" in out or json.loads(out)["cost"] == 2
    assert err.endswith("hcvrp: plan.csv: No space left on device\n")


def test_several_files_go_by_their_names(run, globe, tmp_path):
    other = tmp_path / "tuesday.csv"
    other.write_bytes(globe[0].read_bytes())
    out = run("solve", other, *globe, "-m", "savings")[1]
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["tuesday", "stops"]


def test_files_of_one_name_go_by_their_paths(run, globe, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "stops.csv").write_bytes(globe[0].read_bytes())
    out = run("solve", "b/stops.csv", "stops.csv", *globe[1:], "-m", "savings")[1]
    assert [line.split()[0] for line in out.splitlines()[1:3]] == ["b/stops.csv", "stops.csv"]


def test_unnamed_instances_of_a_dataset_are_counted(run, tmp_path):
    hcvrp.write(tmp_path / "week.json", [hcvrp.generate(4, 2, seed=s) for s in (1, 2)])
    out = run("solve", tmp_path / "week.json", "-m", "savings")[1]
    assert [line.split()[:2] for line in out.splitlines()[1:3]] == [["week", "#0"], ["week", "#1"]]


def test_several_plans_do_not_fit_into_a_csv(run, instance, tmp_path):
    target = tmp_path / "plans.csv"
    code, out, err = run("solve", instance, instance, "--out", target)
    assert (code, out) == (2, "")
    assert err == (
        f"hcvrp: {target}: a .csv file holds one plan, not 2: solve the files one by one,"
        " or write all plans into one .json file\n"
    )


# Units --------------------------------------------------------------------------------------------


def ending(out):
    """The sentences under the table, on one line."""
    text = " ".join(out.split())
    return text[text.index("All done after") : text.index(" min-max cost")]


def test_hours_are_told_as_such(run, globe):
    told = ending(run("solve", *globe, "-m", "sisr", "--iterations", 2000)[1])
    assert told == (
        "All done after 8:00 h, when van is back; all vehicles together 15:25 h."
        " Driving alone, as the crow flies."
    )


def test_without_speeds_figures_are_kilometres(run, globe):
    # Three times there and back, 222.39 km each.
    out = run("solve", globe[0], "--fleet", "5", "-m", "savings")[1]
    assert ending(out) == (
        "All done after 667.2 km, when vehicle 1 is back; all vehicles together 667.2 km."
        " No speeds are given (or all are 1): these are kilometres, as the crow flies."
    )
    assert out.splitlines()[3].split() == ["Vehicle", "Stops", "Load", "km", "Route"]


def test_a_speed_below_a_walk_is_named(run, globe):
    told = ending(run("solve", globe[0], "--fleet", "5@2", "-m", "savings")[1])
    assert told == (
        "All done after 333.6, when vehicle 1 is back; all vehicles together 333.6."
        " Times are kilometres, as the crow flies, divided by speed; not hours, since vehicle 1"
        " has a speed of 2, below the 3 km/h of a walk."
    )


def test_check_speaks_like_solve(run, globe, tmp_path):
    plan = tmp_path / "plan.csv"
    run("solve", *globe, "-m", "sisr", "--iterations", 2000, "--out", plan)
    code, out, _ = run("check", globe[0], plan, *globe[1:])
    assert code == 0
    first, second, third = out.splitlines()
    assert first.startswith("all done after 8:00 h (min-max 8.00000")
    assert second.startswith("all vehicles together 15:25 h (min-sum 15.413")
    assert third == "Driving alone, as the crow flies."


def test_bound_speaks_like_solve_and_says_what_may_prove_more(run, globe, monkeypatch):
    from hcvrp.exact import Bound

    problem = hcvrp.read(globe[0], fleet=[hcvrp.Vehicle(5, 50)])
    solution = hcvrp.solve(problem, method="savings").solution
    cost = solution.cost(problem, "min-max")  # 667.17 km at 50 km/h
    note = "memory or time did not allow listing all trips within the gap"
    proof = Bound(0.75 * cost, solution, cost, hcvrp.Objective.MIN_MAX, 1.5, (), (note,))
    monkeypatch.setattr("hcvrp.exact.bound", lambda *_, **__: proof)
    code, out, _ = run("bound", globe[0], "--fleet", "5@50")
    assert code == 0
    assert out.splitlines() == [
        f"best found: all done after 13:21 h (min-max {cost:.10g}), gap 25.000 %, 1.50 s",
        f"proven bound: no plan below 10:00 h ({0.75 * cost:.10g})",
        note,
        "a longer --time-limit or more --memory may prove more",
        "Driving alone, as the crow flies.",
    ]


def test_no_longer_time_is_advised_where_it_would_not_help(run, tmp_path, monkeypatch):
    from hcvrp.exact import Bound

    problem = hcvrp.generate(2001, fleet=[9.0], seed=1)
    hcvrp.write(tmp_path / "city.json", problem)
    solution = hcvrp.Solution([[[c] for c in range(1, 2002)]])
    note = "column generation is for up to 2000 customers"
    proof = Bound(750.0, solution, 1000.0, hcvrp.Objective.MIN_MAX, 1.5, (), (note,))
    monkeypatch.setattr("hcvrp.exact.bound", lambda *_, **__: proof)
    assert run("bound", tmp_path / "city.json")[1].splitlines() == [
        "best found: all done after 1000 (min-max 1000), gap 25.000 %, 1.50 s",
        "proven bound: no plan below 750.0 (750)",
        note,
    ]


# Progress and proofs ------------------------------------------------------------------------------


def answer(cost, **facts):
    return Result(hcvrp.Solution([[]]), cost, hcvrp.Objective.MIN_MAX, "auto", 0.1, **facts)


def test_the_last_line_is_the_answer(capsys):
    with Live("auto", 1, quiet=False) as live:
        for cost in (5, 4, 3):
            live.improved(Improvement(cost, 0.0, 0))
        live.ended(answer(3))
    assert capsys.readouterr().err == (
        "auto: cost 5, gap at most 100.0 % (quick bound)\n"
        "auto: cost 3, gap at most 100.0 % (quick bound)\n"
    )


def test_the_same_line_is_not_said_twice(capsys):
    with Live("auto", 1, quiet=False) as live:
        live.improved(Improvement(4, 0.0, 0))
        live.ended(answer(4))
    assert capsys.readouterr().err == "auto: cost 4, gap at most 100.0 % (quick bound)\n"


def test_a_proven_bound_is_called_so(capsys):
    with Live("exact", 1, quiet=False) as live:
        live.improved(Improvement(4, 0.0, 0))
        live.improved(Improvement(4, 0.0, 0, bound=3))
        live.ended(answer(4, bound=3))
    assert capsys.readouterr().err.splitlines()[-1] == (
        "exact: cost 4, gap at most 25.0 % (proven bound)"
    )


def test_the_last_of_a_batch_is_always_told(capsys):
    with Live("auto", 3, quiet=False) as live:
        live.begin_batch()
        for number in range(3):
            live.finished(number, answer(2 + number))
    assert capsys.readouterr().err == "auto: 0/3 solved\nauto: 3/3 solved, last cost 4\n"


def test_a_proof_is_told_with_the_answer(run, instance):
    out = run("solve", instance, "-m", "exact")[1]
    assert "min-max cost 2, proven optimal, exact, " in out
    out = run("solve", instance, instance, "-m", "exact", "--processes", 1)[1]
    assert out.count("proven optimal") == 2


def test_a_stop_that_is_far_out_is_spoken_of(run, tmp_path):
    stops, plan = tmp_path / "stops.csv", tmp_path / "plan.csv"
    town = "".join(f"s{k},48.1{k},11.5,1\n" for k in range(1, 6))
    stops.write_text(f"name,lat,lon,demand\ndepot,48.1,11.5,\n{town}odd,11.5,48.1,1\n")
    arguments = (stops, "--fleet", "9@30")
    doubt = (
        f"{stops}: stop odd lies 5299 km from the middle of all stops, half of them within 2 km:"
    )
    doubt += " its latitude and longitude look swapped\n"
    code, _, err = run("solve", *arguments, "--iterations", 10, "--out", plan)
    assert code == 0
    assert err.startswith(doubt)
    assert run("check", stops, plan, "--fleet", "9@30")[2] == doubt
    assert run("bound", *arguments, "-t", "1", "--json")[2] == doubt
    code, _, err = run("plot", stops, plan, "--fleet", "9@30", "--out", tmp_path / "x.svg")
    assert err == f"{doubt}wrote {tmp_path / 'x.svg'}\n"


# What became of a spreadsheet ---------------------------------------------------------------------


def test_the_row_of_the_depot_is_told_with_the_answer(run, globe):
    _, out, err = run("solve", *globe, "-m", "savings")
    assert out.splitlines()[:3] == ["3 stops, 2 vehicles, 3 trips", "Depot: depot (line 2)", ""]
    assert "Depot" not in err


@pytest.mark.parametrize(
    ("stops", "told"),
    [
        (
            "name,x,y,demand\nReturns,0,0,0\nB,1,1,2\nDepot Munich,2,2,0\n",
            "Returns (line 2, the first row)",
        ),
        ("x,y,demand\n0,0,0\n1,1,2\n", "line 2, the first row"),
        ("x,y,demand,type\n1,1,2,\n0,0,0,depot\n", "line 3"),
        ("type,name,x,y,demand\n,B,1,1,2\ndepot,[b]home,0,0,\n", "[b]home (line 3)"),
    ],
)
def test_a_depot_that_was_guessed_is_called_so(run, tmp_path, stops, told):
    (tmp_path / "stops.csv").write_text(stops)
    code, out, _ = run("solve", tmp_path / "stops.csv", "--fleet", "9", "-m", "savings")
    assert (code, out.splitlines()[1]) == (0, f"Depot: {told}")


def test_the_depots_of_several_files_are_told_beside_them(run, globe, instance, tmp_path):
    other = tmp_path / "tuesday.csv"
    other.write_text("name,lat,lon,demand\neast,0,1,5\nLager,0,0,\n")
    out = run("solve", other, instance, *globe, "-m", "savings")[1]
    header, tuesday, line, stops = out.splitlines()[:4]
    assert header.split()[-1] == "Depot"
    assert tuesday.endswith(" Lager (line 3)")
    assert "(line" not in line
    assert stops.endswith(" depot (line 2)")


def test_other_files_have_no_row_of_the_depot(run, instance):
    assert "Depot" not in run("solve", instance, "-m", "savings")[1]


def test_columns_of_amounts_that_are_not_used_are_told_in_one_line(run, globe, tmp_path):
    stops, _, vans = globe
    stops.write_text(
        "id,name,lat,lon,demand,phone,service time,note\n"
        "7,depot,0,0,,,,\n8,east,0,1,5,555,10,5 steps\n9,north,1,0,5,556,5,\n"
    )
    vans.write_text("name;capacity;speed;count;cost per km;Baujahr\nvan;5;60;1;0,35 €;2019\n")
    told = (
        f"{vans}: column 'cost per km' is not used; a fleet has: name, capacity, speed, count\n"
        f"{stops}: column 'service time' is not planned with: hcvrp knows no time windows, shifts,"
        " service times, pickups or priorities\n"
    )
    plan = tmp_path / "plan.csv"
    code, out, err = run("solve", *globe, "-m", "savings", "--json", "--out", plan)
    assert (code, err) == (0, f"{told}wrote {plan}\n")
    assert json.loads(out)["method"] == "savings"
    assert run("check", stops, plan, *globe[1:])[2] == told


@pytest.mark.parametrize("command", ["solve STOPS", "check STOPS PLAN"])
def test_the_stops_are_read_once(run, globe, tmp_path, monkeypatch, command):
    plan = tmp_path / "plan.csv"
    assert run("solve", *globe, "-m", "savings", "--out", plan)[0] == 0
    opened = []

    def counted(path):
        opened.append(path)
        return read_text_bytes(path)

    monkeypatch.setattr("hcvrp.formats.spreadsheet.read_text_bytes", counted)
    files = {"STOPS": globe[0], "PLAN": plan}
    words = [files.get(word, word) for word in command.split()]
    assert run(*words, "--fleet", globe[2])[0] == 0
    assert [opened.count(path) for path in files.values()] == [1, command.count("PLAN")]


def test_the_other_columns_of_the_stops_are_in_the_plan(run, globe, tmp_path):
    stops, _, vans = globe
    rows = stops.read_text().splitlines()
    notes = ["phone", "", "+49 1", "ask Zoë", "3"]
    stops.write_text("\n".join(f"{row},{note}" for row, note in zip(rows, notes, strict=True)))
    plan = tmp_path / "plan.csv"
    assert run("solve", *globe, "-m", "savings", "--out", plan)[0] == 0
    cells = [row.split(",") for row in plan.read_text("utf-8-sig").splitlines()]
    told = {row[5]: row[-1] for row in cells}
    names = ("customer name", "depot", "east", "north", "west")
    assert [told[name] for name in names] == ["phone", "", "+49 1", "ask Zoë", "3"]
    assert run("check", stops, plan, "--fleet", vans)[0] == 0


def test_ordinary_sheets_are_not_spoken_of(run, globe):
    err = run("solve", *globe, "-m", "savings", "--json")[2]
    assert err == ""


# Several days -------------------------------------------------------------------------------------


@pytest.fixture
def days(tmp_path, globe):
    """Two days of the same stops but for the demands; the fleet."""
    for day, demand in (("monday", "5"), ("tuesday", "4")):
        (tmp_path / f"{day}.csv").write_text(globe[0].read_text().replace(",5", f",{demand}"))
    return tmp_path / "monday.csv", tmp_path / "tuesday.csv", globe[1:]


def test_times_of_several_days_are_told_as_hours(run, days):
    # The van needs 4 hours there and back, the truck 7:25 h: 8 hours with two trips of the van.
    monday, tuesday, fleet = days
    out = run("solve", monday, tuesday, *fleet, "-m", "sisr", "--iterations", 2000)[1]
    header, first, second, mean = filter(str.strip, out.splitlines())
    assert header.split() == ["Instance", "All", "done", "after", "Trips", "Seconds", "Depot"]
    assert first.split()[:4] == ["monday", "8:00", "h", "3"]
    assert second.split()[:3] == ["tuesday", "8:00", "h"]
    assert mean.startswith("mean min-max cost 8:00 h (8")
    out = run("solve", monday, tuesday, "--fleet", "5", "-m", "savings", "-b", "min-sum")[1]
    header, first, *_ = filter(str.strip, out.splitlines())
    assert header.startswith("Instance  All vehicles together  Trips")
    assert first.split()[:3] == ["monday", "667.2", "km"]


def test_the_plan_of_a_day_is_chosen_by_its_name(run, days, tmp_path):
    monday, tuesday, fleet = days
    plans, picture = tmp_path / "plans.json", tmp_path / "plan.svg"
    assert run("solve", monday, tuesday, *fleet, "-m", "savings", "--out", plans)[0] == 0
    first, second = json.loads(plans.read_text())["solutions"]
    assert (first["instance"], second["instance"]) == ("monday", "tuesday")
    for day, plan in ((monday, first), (tuesday, second)):
        code, out, _ = run("check", day, plans, *fleet, "--json")
        assert (code, json.loads(out)["costs"]["min-max"]) == (0, plan["cost"])
        assert run("plot", day, plans, *fleet, "--out", picture)[0] == 0
        assert run("solve", day, *fleet, "-m", "savings", "--initial", plans)[0] == 0
    other = tmp_path / "friday.csv"
    other.write_bytes(monday.read_bytes())
    refused = (
        f"hcvrp: {plans}: the file holds 2 solutions for 1 instance: of monday, tuesday;"
        " one of them must be of friday\n"
    )
    assert run("check", other, plans, *fleet) == (2, "", refused)


def test_the_mean_of_several_days_is_told_as_hours(run, days, tmp_path):
    vans = [hcvrp.Vehicle(5, 55.5975), hcvrp.Vehicle(9, 30)]
    week, plans = tmp_path / "week.json", tmp_path / "plans.json"
    hcvrp.write(week, [hcvrp.read(day, fleet=vans) for day in days[:2]])
    assert run("solve", week, "-m", "sisr", "--iterations", 2000, "-o", plans)[0] == 0
    code, out, _ = run("check", week, plans, "-b", "min-max")
    assert (code, out.splitlines()[0]) == (0, "2 of 2 solutions are feasible")
    assert out.splitlines()[1].startswith("on average all done after 8:00 h (min-max 8.0000")


# Ctrl-C -------------------------------------------------------------------------------------------


def interrupt(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("command", "where"),
    [
        ("solve LINE", "hcvrp.formats.read_dataset"),
        ("solve LINE -m savings", "hcvrp.cli.report.print_result"),
        ("check LINE PLAN", "hcvrp.formats.judge"),
        ("plot LINE PLAN --out x.svg", "hcvrp.formats.read_instance"),
        ("bound LINE", "hcvrp.formats.read_instance"),
        ("generate --paper v3-c40", "hcvrp.generator.paper_set"),
        ("bench table v3 x.csv", "hcvrp.bench.results.load"),
        ("train --config x.toml --out run", "hcvrp.cli.train.typer.Typer"),
        ("methods", "hcvrp.cli.usage.TyperGroup.make_context"),
    ],
)
def test_ctrl_c_ends_every_command_in_a_word(run, instance, monkeypatch, tmp_path, command, where):
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.iterdir())
    monkeypatch.setattr(where, interrupt)
    code, out, err = run(*(instance if word == "LINE" else word for word in command.split()))
    assert (code, out) == (130, "")
    assert err.splitlines()[-1] == "hcvrp: interrupted"
    assert sorted(tmp_path.iterdir()) == before


@pytest.fixture
def keyboard():
    """The usual Ctrl-C, even where the tests run in the background and would not hear it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_a_second_ctrl_c_says_what_is_lost(run, instance, monkeypatch, tmp_path):
    def twice(*_, **__):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr("hcvrp.solver.solve", twice)
    monkeypatch.setattr("hcvrp.exact.bound", twice)
    stopping = "\nstopping; the best so far is kept (Ctrl-C again to abort)\n"
    lost = "hcvrp: interrupted: the best so far is lost"
    plan = tmp_path / "plan.csv"
    told = run("solve", instance, "--out", plan, "--json")
    assert told == (130, "", f"{stopping}{lost}, and no file is written\n")
    assert not plan.exists()
    assert run("bound", instance) == (130, "", f"{stopping}{lost}\n")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_while_files_are_written_names_the_one_that_is_not(
    run, instance, monkeypatch, tmp_path
):
    monkeypatch.setattr("hcvrp.plotting.plot", interrupt)
    plan, picture = tmp_path / "plan.json", tmp_path / "plan.svg"
    code, _, err = run("solve", instance, "-m", "savings", "--out", plan, "--plot", picture)
    assert code == 130
    assert err.splitlines()[-2:] == [
        f"wrote {plan}",
        f"hcvrp: interrupted: {picture} is not written",
    ]
    monkeypatch.setattr("hcvrp.formats.write", interrupt)
    told = run("solve", instance, "-m", "savings", "--out", picture.with_suffix(".sol"), "--json")
    assert (told[0], told[2]) == (
        130,
        f"hcvrp: interrupted: {picture.with_suffix('.sol')} is not written\n",
    )


@pytest.mark.parametrize(
    ("method", "seconds", "limit", "status", "note"),
    [
        (
            "auto",
            4.66,
            60,
            "feasible",
            (
                "interrupted after 4.66 of 60 s: this is the best so far,"
                " but a run with --time-limit 5 finds better plans\n"
            ),
        ),
        ("sisr", 29.5, 60, "feasible", "of 60 s: this is the best so far, but a run with --time-l"),
        ("sisr", 30.5, 60, "feasible", ""),
        ("auto", 0.2, 1, "feasible", ""),
        ("auto", 4.66, None, "feasible", ""),
        ("auto", 4.66, 60, "optimal", ""),
        ("exact", 4.66, 60, "feasible", ""),
    ],
)
def test_who_interrupts_early_learns_that_a_shorter_run_is_better(
    run, instance, monkeypatch, method, seconds, limit, status, note
):
    found = hcvrp.solve(hcvrp.read(instance), "min-max", "savings")

    def interrupted(*_, **__):
        signal.raise_signal(signal.SIGINT)
        return replace(found, method=method, seconds=seconds, status=status)

    monkeypatch.setattr("hcvrp.solver.solve", interrupted)
    limits = [] if limit is None else ["--time-limit", limit]
    code, out, err = run("solve", instance, *limits, "--json")
    assert (code, json.loads(out)["cost"]) == (0, 2)
    told = err.removeprefix("\nstopping; the best so far is kept (Ctrl-C again to abort)\n")
    assert note in told
    assert bool(told) is bool(note)


def test_a_search_that_ended_by_itself_is_not_called_interrupted(run, instance, monkeypatch):
    found = hcvrp.solve(hcvrp.read(instance), "min-max", "savings")
    early = replace(found, method="sisr", seconds=1.0)  # as with --target
    monkeypatch.setattr("hcvrp.solver.solve", lambda *_, **__: early)
    assert run("solve", instance, "--time-limit", 60, "--json")[2] == ""
