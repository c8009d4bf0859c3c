"""`hcvrp solve`: routes for one instance or a batch of them."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hcvrp.cli import options
from hcvrp.errors import InputError

if TYPE_CHECKING:
    from hcvrp.instance import Instance
    from hcvrp.solution import Solution
    from hcvrp.task import Result


def command(
    files: Annotated[
        list[Path],
        typer.Argument(metavar="FILE…", help="Instances or datasets: JSON, VRPLIB, CSV, npz."),
    ],
    objective: options.Objective = options.ObjectiveName.MIN_MAX,
    method: Annotated[
        str | None, typer.Option("--method", "-m", help="`hcvrp methods` lists them.")
    ] = None,
    time_limit: Annotated[
        float | None, typer.Option("--time-limit", "-t", help="Seconds per instance.")
    ] = None,
    iterations: Annotated[int | None, typer.Option("--iterations", help="Of the method.")] = None,
    target: Annotated[float | None, typer.Option("--target", help="A cost to stop at.")] = None,
    seed: options.Seed = 0,
    threads: Annotated[int, typer.Option("--threads", min=1, help="For each instance.")] = 1,
    processes: Annotated[
        int | None,
        typer.Option("--processes", min=1, help="For a batch; as many as there are cores."),
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=1, help="Of a learned method.")
    ] = None,
    settings: Annotated[
        list[str] | None, typer.Option("--set", metavar="NAME=VALUE", help="A method's parameter.")
    ] = None,
    certify: Annotated[
        float | None, typer.Option("--certify", help="Seconds to spend on a proven bound.")
    ] = None,
    fleet: options.Fleet = None,
    initial: Annotated[
        Path | None, typer.Option("--initial", help="A solution to start from.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the solution: .json, .sol, .csv or .geojson."),
    ] = None,
    plot: Annotated[
        Path | None, typer.Option("--plot", help="Draw it: .png, .svg or .html.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Find routes; Ctrl-C ends the search and keeps the best so far."""
    from hcvrp.batch import solve_many
    from hcvrp.cli.report import Live, print_batch, print_result, record
    from hcvrp.solver import DEFAULT_METHOD, find_method, solve

    name = method or DEFAULT_METHOD
    chosen = find_method(name, **_parameters(settings or [], samples))
    instances = _read(files, fleet)
    start = _read_initial(initial, instances)
    _check_outputs(out, plot, instances, inputs=[*files, *([initial] if initial else [])])
    limits: dict[str, Any] = {
        "time_limit": time_limit,
        "iterations": iterations,
        "target": target,
        "seed": seed,
    }
    with options.interruptible() as cancel, Live(name, len(instances), quiet=as_json) as live:
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
                    on_bound=live.bounded,
                    cancel=cancel,
                    certify=False if certify is None else certify,
                )
            ]
        else:
            live.begin_batch()
            results = solve_many(
                instances,
                objective.value,
                chosen,
                **limits,
                threads=threads,
                processes=processes or max(1, _cores() // threads),
                on_result=live.finished,
                cancel=cancel,
            )
            if certify is not None:
                results = _certified(instances, results, certify, cancel)
    _write(out, plot, instances, results)
    if as_json:
        records = [record(i, r, seed) for i, r in zip(instances, results, strict=False)]
        batch = {"results": records, "instances": len(instances)}
        typer.echo(json.dumps(records[0] if len(instances) == 1 else batch))
    elif len(instances) == 1:
        print_result(instances[0], results[0])
    else:
        print_batch(instances, results)


def _cores() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _certified(
    instances: list[Instance], results: list[Result], seconds: float, cancel: threading.Event
) -> list[Result]:
    from hcvrp.exact import certify

    return [
        certify(instance, result, time_limit=seconds, cancel=cancel)
        for instance, result in zip(instances, results, strict=False)
    ]


def _read(files: list[Path], fleet: str | None) -> list[Instance]:
    from hcvrp import formats

    vehicles = options.fleet(fleet)
    return [instance for path in files for instance in formats.read_dataset(path, fleet=vehicles)]


def _read_initial(path: Path | None, instances: list[Instance]) -> tuple[Solution, ...]:
    if path is None:
        return ()
    if len(instances) != 1:
        raise InputError(f"--initial {path} goes with one instance, not {len(instances)}")
    from hcvrp import formats

    return (formats.read_solution(path, instances[0]),)


def _check_outputs(
    out: Path | None, plot: Path | None, instances: list[Instance], inputs: list[Path]
) -> None:
    """Refuses before the search what would fail, or do harm, after it."""
    from hcvrp import formats

    for target in (out, plot):
        if target is not None and target.exists() and any(map(target.samefile, inputs)):
            raise InputError(f"{target}: the answer would overwrite what it was made from")
    if plot is not None and len(instances) != 1:
        raise InputError(f"--plot {plot} goes with one instance, not {len(instances)}")
    if out is not None:
        formats.check_target(out, instances)
    if plot is not None:
        from hcvrp.plotting import check_picture

        check_picture(plot)


def _write(
    out: Path | None, plot: Path | None, instances: list[Instance], results: list[Result]
) -> None:
    from hcvrp import formats

    if out is not None:
        if len(instances) == 1:
            formats.write(out, results[0], instance=instances[0])
        else:
            formats.write(out, results, instance=instances[: len(results)])
    if plot is not None:
        from hcvrp.plotting import plot as draw

        draw(instances[0], results[0].solution, plot)
    for path in filter(None, (out, plot)):
        typer.echo(f"wrote {path}", err=True)


def _parameters(settings: list[str], samples: int | None) -> dict[str, Any]:
    """--set NAME=VALUE pairs, values read as JSON where they are and as text otherwise."""
    parameters: dict[str, Any] = {} if samples is None else {"samples": samples}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier():
            raise InputError(f"--set wants NAME=VALUE, not {setting!r}")
        try:
            parameters[name] = json.loads(text)
        except json.JSONDecodeError:
            parameters[name] = text
    return parameters
