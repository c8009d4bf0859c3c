"""`hcvrp plot`: map and Gantt chart."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from hcvrp.cli import options
from hcvrp.errors import InputError


def command(
    instance: options.Instance,
    solution: options.Solution,
    out: Annotated[Path, typer.Option("--out", "-o", help="File: .png, .svg or .html.")],
    title: Annotated[str | None, typer.Option("--title")] = None,
    fleet: options.Fleet = None,
) -> None:
    """Draw a solution: routes on a map, times in a Gantt chart."""
    from hcvrp import formats
    from hcvrp.plotting import plot

    problem = formats.read_instance(instance, fleet=options.fleet(fleet))
    answer = formats.read_solution(solution, problem)
    if violations := answer.violations(problem):
        raise InputError(f"{solution}: not a solution of {instance}: {violations[0]}")
    plot(problem, answer, out, title=title)
    typer.echo(f"wrote {out}", err=True)
