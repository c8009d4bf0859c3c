"""`hcvrp plot`: map and Gantt chart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hcvrp.cli import options
from hcvrp.cli.terminal import mutter

EXAMPLES = options.examples(
    "hcvrp plot stops.csv plan.csv --fleet vans.csv --out plan.html",
)


def command(
    instance: options.Instance,
    solution: options.Solution,
    out: Annotated[Path, typer.Option("--out", "-o", help="File: .png, .svg or .html.")],
    title: Annotated[
        str | None, typer.Option("--title", help="Above the picture; else the name.")
    ] = None,
    fleet: options.Fleet = None,
) -> None:
    """Draw the routes of one instance on a map, beside a chart of each vehicle's time."""
    from hcvrp import formats
    from hcvrp.plotting import check_picture, plot

    options.keep_inputs(out, [instance, solution, fleet])
    check_picture(out)
    problem = formats.read_instance(instance, fleet=options.fleet(fleet))
    options.doubt(instance, [problem])
    answer = options.answer(solution, problem, instance)
    plot(problem, answer, out, title=title or problem.name or instance.stem)
    mutter(f"wrote {out}")
