"""`hcvrp check`: the referee."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from hcvrp.cli import options


def command(
    instance: options.Instance,
    solution: options.Solution,
    objective: Annotated[
        options.ObjectiveName | None,
        typer.Option("--objective", "-b", help="Print this cost alone; otherwise both."),
    ] = None,
    fleet: options.Fleet = None,
    as_json: options.Json = False,
) -> None:
    """Judge a solution: its cost, or every violation."""
    from hcvrp import formats
    from hcvrp.solution import Objective

    problem = formats.read_instance(instance, fleet=options.fleet(fleet))
    answer = formats.read_solution(solution, problem)
    violations = answer.violations(problem)
    wanted = list(Objective) if objective is None else [Objective(objective)]
    costs = {} if violations else {str(o): answer.cost(problem, o) for o in wanted}
    if as_json:
        typer.echo(
            json.dumps({"feasible": not violations, "costs": costs, "violations": violations})
        )
    elif violations:
        for sentence in violations:
            typer.echo(sentence)
    else:
        for name, cost in costs.items():
            typer.echo(f"{name} {cost:.10g}")
    if violations:
        raise typer.Exit(1)
