"""`hcvrp solve`: routes for one instance or a batch of them."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hcvrp.cli import INTERRUPTED, options
from hcvrp.cli.terminal import mutter, say
from hcvrp.errors import InputError

if TYPE_CHECKING:
    from hcvrp.instance import Instance
    from hcvrp.solution import Solution
    from hcvrp.task import Result

EXAMPLES = options.examples(
    "hcvrp solve stops.csv --fleet vans.csv --time-limit 10 --out plan.csv --plot plan.html",
    "hcvrp solve stops.csv --fleet 500@30x3,900@25   # three of capacity 500, speed 30; one of 900",
    "hcvrp solve stops.csv --fleet vans.csv --objective min-sum   # least driving time in all",
)
COOLING = ("auto", "sisr", "sisr-paper")
"""Methods that spread their cooling over the whole limit, and are hot until late."""


def command(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE…",
            help="Customers: a spreadsheet saved as CSV, or a JSON, VRPLIB, VROOM or npz file.",
        ),
    ],
    objective: options.Objective = options.ObjectiveName.MIN_MAX,
    method: Annotated[
        str | None,
        typer.Option(
            "--method", "-m", help="How to search: auto unless told; `hcvrp methods` lists all."
        ),
    ] = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            "--time-limit",
            "-t",
            help="Seconds to search; more is better. Without it: 1,000 steps a stop, at least"
            " 20,000, a fraction of a second for 150 stops; up to 12 stops are proven.",
        ),
    ] = None,
    iterations: Annotated[
        int | None, typer.Option("--iterations", help="Steps to search, instead of seconds.")
    ] = None,
    target: Annotated[float | None, typer.Option("--target", help="Stop at this cost.")] = None,
    seed: options.Seed = 0,
    threads: Annotated[
        int, typer.Option("--threads", min=1, help="Cores to use for one search.")
    ] = 1,
    processes: Annotated[
        int | None,
        typer.Option(
            "--processes", min=1, help="Cores to use for many instances; all unless told."
        ),
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=0, help="Random tries of a learned method.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME=VALUE", help="A setting of the method."),
    ] = None,
    certify: Annotated[
        float | None,
        typer.Option("--certify", help="Seconds to spend afterwards on proving how good it is."),
    ] = None,
    fleet: options.Fleet = None,
    initial: Annotated[
        Path | None, typer.Option("--initial", help="An earlier solution to improve.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the routes: .csv, .json, .geojson or .sol."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw them: .html (interactive), .png or .svg.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Find routes for customers and vehicles; Ctrl-C stops early and keeps the best so far."""
    from hcvrp.batch import solve_many
    from hcvrp.cli.report import Live, print_batch, print_result, record
    from hcvrp.solver import DEFAULT_METHOD, check_certify, find_method, solve
    from hcvrp.workers import cores

    name = method or DEFAULT_METHOD
    chosen = find_method(name, **_parameters(settings or [], samples))
    check_certify(certify or 0.0)
    instances, depots = _read(files, fleet)
    start = _read_initial(initial, instances, files[0])
    for output in (out, plot):
        options.keep_inputs(output, [*files, fleet, initial])
    _check_outputs(out, plot, instances)
    limits: dict[str, Any] = {
        "time_limit": time_limit,
        "iterations": iterations,
        "target": target,
        "seed": seed,
    }
    with (
        options.interruptible("the best so far is lost, and no file is written") as cancel,
        Live(name, len(instances), quiet=as_json) as live,
    ):
        if len(instances) == 1:
            live.begin(instances[0], objective.value)
            results = [
                solve(
                    instances[0],
                    objective.value,
                    chosen,
                    **limits,
                    threads=threads,
                    initial=start,
                    on_improvement=live.improved,
                    cancel=cancel,
                    certify=False if certify is None else certify,
                )
            ]
            live.ended(results[0])
        else:
            live.begin_batch()
            results = solve_many(
                instances,
                objective.value,
                chosen,
                **limits,
                threads=threads,
                processes=processes or max(1, cores() // threads),
                on_result=live.finished,
                cancel=cancel,
            )
            if certify is not None:
                results = _certified(instances, results, certify, cancel)
    if as_json:
        records = [record(i, r, seed) for i, r in zip(instances, results, strict=False)]
        batch = {"results": records, "instances": len(instances)}
        say(json.dumps(records[0] if len(instances) == 1 else batch))
    elif len(instances) == 1:
        print_result(instances[0], results[0], depots[0])
    else:
        print_batch(instances, results, depots)
    _write(out, plot, instances, results, title=instances[0].name or files[0].stem)
    if len(results) < len(instances):
        mutter(f"interrupted: {len(results)} of {len(instances)} instances solved")
        raise typer.Exit(INTERRUPTED)
    if cancel.is_set() and len(instances) == 1 and (note := _cut_short(results[0], time_limit)):
        mutter(note)


def _cut_short(result: Result, time_limit: float | None) -> str:
    """What to do where the search was interrupted long before it was to end, if it was."""
    enough = math.ceil(result.seconds)
    if time_limit is None or result.method not in COOLING or result.status == "optimal":
        return ""
    if 2 * enough > time_limit:
        return ""
    return (
        f"interrupted after {result.seconds:.2f} of {time_limit:g} s: this is the best so far,"
        f" but a run with --time-limit {enough} finds better plans"
    )


def _certified(
    instances: list[Instance], results: list[Result], seconds: float, cancel: threading.Event
) -> list[Result]:
    from hcvrp.exact import certify

    return [
        certify(instance, result, time_limit=seconds, cancel=cancel)
        for instance, result in zip(instances, results, strict=False)
    ]


def _read(files: list[Path], fleet: str | None) -> tuple[list[Instance], list[str | None]]:
    """The instances, and of spreadsheets the row that is the depot.

    Several are called by their own names or those of the files, in what is written, too.
    """
    from hcvrp import formats

    vehicles = options.fleet(fleet)
    datasets = [formats.read_dataset(path, fleet=vehicles) for path in files]
    for path, dataset in zip(files, datasets, strict=True):
        options.doubt(path, dataset)
    distinct = len({path.stem for path in files}) == len(files)
    titles = [path.stem if distinct else str(path) for path in files]
    if sum(map(len, datasets)) > 1:
        datasets = [_named(d, title) for d, title in zip(datasets, titles, strict=True)]
    instances = [instance for dataset in datasets for instance in dataset]
    return instances, list(map(formats.depot_row, instances))


def _named(dataset: list[Instance], title: str) -> list[Instance]:
    """Those without a name called by the file, several of one file by their number as well."""
    names = [title] if len(dataset) == 1 else [f"{title} #{k}" for k in range(len(dataset))]
    return [i if i.name else i.with_name(n) for i, n in zip(dataset, names, strict=True)]


def _read_initial(
    path: Path | None, instances: list[Instance], source: Path
) -> tuple[Solution, ...]:
    if path is None:
        return ()
    if len(instances) != 1:
        raise InputError(f"--initial {path} goes with one instance, not {len(instances)}")
    return (options.answer(path, instances[0], source),)


def _check_outputs(out: Path | None, plot: Path | None, instances: list[Instance]) -> None:
    """Refuses before the search what would fail after it."""
    from hcvrp import formats

    if plot is not None and len(instances) != 1:
        raise InputError(f"--plot {plot} goes with one instance, not {len(instances)}")
    if out is not None:
        if len(instances) > 1 and out.suffix.lower() in (".csv", ".geojson", ".sol"):
            raise InputError(
                f"{out}: a {out.suffix} file holds one plan, not {len(instances)}:"
                " solve the files one by one, or write all plans into one .json file"
            )
        formats.check_target(out, instances)
    if plot is not None:
        from hcvrp.plotting import check_picture

        check_picture(plot)


def _write(
    out: Path | None,
    plot: Path | None,
    instances: list[Instance],
    results: list[Result],
    title: str,
) -> None:
    from hcvrp import formats

    if out is not None:
        with options.costing(f"{out} is not written"):
            if len(instances) == 1:
                formats.write(out, results[0], instance=instances[0])
            else:
                formats.write(out, results, instance=instances[: len(results)])
        mutter(f"wrote {out}")
    if plot is not None:
        with options.costing(f"{plot} is not written"):
            from hcvrp.plotting import plot as draw

            draw(instances[0], results[0].solution, plot, title=title)
        mutter(f"wrote {plot}")


def _parameters(settings: list[str], samples: int | None) -> dict[str, Any]:
    """--set NAME=VALUE pairs, values read as JSON where they are and as text otherwise."""
    parameters: dict[str, Any] = {} if samples is None else {"samples": samples}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--set wants NAME=VALUE, not {setting!r}")
        try:
            parameters[name] = json.loads(text)
        except (ValueError, RecursionError):  # also numbers of thousands of digits
            parameters[name] = text
    return parameters
