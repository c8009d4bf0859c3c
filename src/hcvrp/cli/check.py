"""`hcvrp check`: the referee."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hcvrp.cli import options
from hcvrp.cli.terminal import say
from hcvrp.wording import caution, of_one_kind, outcome, tidy

if TYPE_CHECKING:
    from hcvrp.formats.contents import Judged
    from hcvrp.instance import Instance
    from hcvrp.solution import Objective

EXAMPLES = options.examples(
    "hcvrp check stops.csv plan.csv --fleet vans.csv",
    "hcvrp check many.json answers.json   # a dataset and its solutions",
)


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
    """Judge routes: their cost, or every rule they break (then the exit code is 1)."""
    from hcvrp import formats
    from hcvrp.solution import Objective

    problems = formats.read_dataset(instance, fleet=options.fleet(fleet))
    options.doubt(instance, problems)
    answers = formats.judge(solution, problems, options.names_of(instance))
    wanted = list(Objective) if objective is None else [Objective(objective)]
    verdicts = [_verdict(p, a, wanted) for p, a in zip(problems, answers, strict=True)]
    if as_json:
        say(json.dumps(verdicts[0] if len(verdicts) == 1 else {"results": verdicts}))
    elif len(verdicts) == 1:
        _print(problems[0], verdicts[0])
    else:
        _print_all(problems, verdicts)
    if not all(verdict["feasible"] for verdict in verdicts):
        raise typer.Exit(1)


def _verdict(problem: Instance, answer: Judged, wanted: list[Objective]) -> dict[str, Any]:
    solution, violations = answer
    costs = {} if violations else {str(o): solution.cost(problem, o) for o in wanted}
    return {"feasible": not violations, "costs": costs, "violations": violations}


def _print(problem: Instance, verdict: dict[str, Any]) -> None:
    for sentence in verdict["violations"]:
        say(tidy(sentence))
    for name, cost in verdict["costs"].items():
        say(outcome(problem, name, cost))
    if verdict["feasible"] and (note := caution(problem)):
        say(note)


def _print_all(problems: list[Instance], verdicts: list[dict[str, Any]]) -> None:
    """Every violation with the instance it is of; the mean costs of the feasible answers."""
    for number, (problem, verdict) in enumerate(zip(problems, verdicts, strict=True)):
        for sentence in verdict["violations"]:
            say(tidy(f"{problem.name or f'#{number}'}: {sentence}"))
    feasible = [verdict["costs"] for verdict in verdicts if verdict["feasible"]]
    say(f"{len(feasible)} of {len(verdicts)} solutions are feasible")
    for name in feasible[0] if feasible else ():
        mean = sum(costs[name] for costs in feasible) / len(feasible)
        told = outcome(problems[0], name, mean) if of_one_kind(problems) else ""
        say(f"on average {told}" if told else f"mean {name} {mean:.10g}")
