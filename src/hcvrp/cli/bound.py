"""`hcvrp bound`: how far from the best an answer can be at most."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hcvrp.cli import options
from hcvrp.cli.terminal import mutter, say
from hcvrp.errors import InputError
from hcvrp.wording import caution, outcome, span

if TYPE_CHECKING:
    from hcvrp.exact import Bound, Step
    from hcvrp.instance import Instance

EXAMPLES = options.examples(
    "hcvrp bound town.json --time-limit 60",
    "hcvrp bound stops.csv --fleet vans.csv --solution plan.csv",
)


def command(
    instance: options.Instance,
    objective: options.Objective = options.ObjectiveName.MIN_MAX,
    solution: Annotated[
        Path | None, typer.Option("--solution", help="Routes to judge; else the search finds some.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option("--time-limit", "-t", help="Seconds to spend.")
    ] = 60.0,
    memory: Annotated[float, typer.Option("--memory", help="Gigabytes it may use.")] = 4.0,
    seed: options.Seed = 0,
    fleet: options.Fleet = None,
    as_json: options.Json = False,
) -> None:
    """Prove how good routes can be at best, and how far given ones are from that."""
    from hcvrp import formats
    from hcvrp.exact import bound

    if not memory > 0:
        raise InputError(f"--memory must be a positive number of gigabytes, not {memory:g}")
    problem = formats.read_instance(instance, fleet=options.fleet(fleet))
    options.doubt(instance, [problem])
    known = None if solution is None else options.answer(solution, problem, instance)

    def show(step: Step) -> None:
        if not as_json:
            mutter(f"{step.seconds:8.2f} s  bound {step.bound:.6g}  cost {step.cost:.6g}")

    judged = None if known is None else known.cost(problem, objective.value)
    with options.interruptible() as cancel:
        proof = bound(
            problem,
            objective.value,
            time_limit=time_limit,
            solution=known,
            on_improvement=show,
            memory=memory * 1e9,
            cancel=cancel,
            seed=seed,
        )
    if as_json:
        say(json.dumps(_facts(problem.name, proof, judged)))
    else:
        _print(problem, solution, proof, judged)


def _facts(name: str | None, proof: Bound, judged: float | None) -> dict[str, Any]:
    return {
        "instance": name,
        "objective": proof.objective,
        "bound": proof.value,
        "cost": proof.cost,
        "gap": proof.gap,
        "solution_cost": judged,
        "status": "optimal" if proof.optimal else "feasible",
        "seconds": proof.seconds,
        "notes": proof.notes,
        "routes": proof.solution.routes,
    }


def _print(problem: Instance, solution: Path | None, proof: Bound, judged: float | None) -> None:
    from hcvrp.exact.prover import MOST_PRICED

    if judged is not None:
        excess = 0.0 if judged == 0 else 100 * (1 - proof.value / judged)
        told = outcome(problem, proof.objective, judged)
        say(f"{solution}: {told}, at most {excess:.3f} % of that too much")
    verdict = "proven optimal" if proof.optimal else f"gap {100 * proof.gap:.3f} %"
    best = outcome(problem, proof.objective, proof.cost)
    say(f"best found: {best}, {verdict}, {proof.seconds:.2f} s")
    if not proof.optimal:
        say(f"proven bound: no plan below {span(problem, proof.value)} ({proof.value:.10g})")
        for note in proof.notes:
            say(note)
        if problem.size <= MOST_PRICED:
            say("a longer --time-limit or more --memory may prove more")
    if note := caution(problem):
        say(note)
