"""`python -m hcvrp.training.evaluate`: weights on test sets, one CSV line each."""

from __future__ import annotations

import csv
import logging
import platform
import re
import shlex
import sys
import time
from dataclasses import asdict, dataclass, fields
from functools import lru_cache
from itertools import product
from pathlib import Path
from typing import Annotated

import numpy as np
import torch
import typer

from hcvrp.errors import InputError
from hcvrp.formats.files import make_folder
from hcvrp.generator import generate, paper_set
from hcvrp.instance import Instance, Vehicle
from hcvrp.policy.device import find_device
from hcvrp.policy.settings import Decoding
from hcvrp.policy.torch_engine import TorchEngine
from hcvrp.policy.weights import read_weights
from hcvrp.policy.weights_file import locate
from hcvrp.provenance import commit
from hcvrp.solution import Objective
from hcvrp.training.config import check_least

SEED = 20_251
"""Of the sets of random fleets."""


@dataclass(frozen=True)
class Line:
    """One measurement with all that is needed to repeat it; costs are the referee's."""

    weights: str
    set: str
    objective: str
    decoding: str
    mean_cost: float
    instances: int
    seconds: float
    seed: int
    device: str
    commit: str
    command: str

    def text(self) -> str:
        """For people."""
        return (
            f"{self.weights} {self.set} {self.objective} {self.decoding}: {self.mean_cost:.4f}"
            f" ({self.instances} instances, {self.seconds:.2f} s)"
        )


def evaluate(
    engine: TorchEngine,
    instances: list[Instance],
    objective: Objective,
    decoding: Decoding,
    *,
    seed: int = 0,
    mixed: bool = False,
) -> tuple[float, float]:
    """Mean cost by the referee and the engine's seconds.

    A greedy pass goes before it untimed: the first one on a device loads and captures.
    """
    engine.answer_many(instances, objective, Decoding())
    start = time.perf_counter()
    found = engine.answer_many(instances, objective, decoding, seed=seed, mixed=mixed)
    seconds = time.perf_counter() - start
    costs = []
    for instance, answer in zip(instances, found, strict=True):
        if violations := answer.violations(instance):
            raise AssertionError(f"{instance.name}: {violations[0]}")
        costs.append(answer.cost(instance, objective))
    return sum(costs) / len(costs), seconds


def parse_decoding(text: str) -> Decoding:
    """From "greedy", "x8", "1280" samples, or "1280x8": so many over the eight symmetries."""
    head = text.removesuffix("x8")
    if text in ("greedy", "x8"):
        return Decoding(0, augment=text == "x8")
    if not head.isdigit() or int(head) == 0:
        raise InputError(f"decoding must be greedy, x8, a number, or a number and x8, not {text!r}")
    return Decoding(int(head), augment=head != text)


@lru_cache(maxsize=4)
def named_set(name: str, objective: Objective, count: int) -> list[Instance]:
    """The first instances of a set: a paper set by its name, or seeded ones of random fleets.

    "random-v4-c50" has 4 vehicles of capacities 20–40 and speeds ½–1, drawn anew for each of its
    instances, and 50 uniform customers; "clustered-v7-c150" has clustered ones.
    """
    match = re.fullmatch(r"(random|clustered)-v(\d+)-c(\d+)", name)
    if match is None:
        return paper_set(name, objective)[:count]
    kind, fleet, customers = match[1], int(match[2]), int(match[3])
    rng = np.random.default_rng((SEED, fleet, customers, kind == "clustered"))
    return [
        generate(
            customers,
            fleet=[Vehicle(q, s) for q, s in zip(*_random_fleet(fleet, rng), strict=True)],
            seed=int(rng.integers(2**31)),
            distribution="clustered" if kind == "clustered" else "uniform",
            name=f"{name}-{number}",
        )
        for number in range(count)
    ]


def _random_fleet(vehicles: int, rng: np.random.Generator) -> tuple[list[float], list[float]]:
    return rng.integers(20, 41, vehicles).tolist(), rng.uniform(0.5, 1, vehicles).tolist()


def main(
    weights: Annotated[list[str], typer.Option(help="Names or files of weights.")],
    out: Annotated[Path, typer.Option(help="CSV file that gains a line per measurement.")],
    sets: Annotated[
        list[str],
        typer.Option("--set", help="Paper sets, such as v3-c40; random-v4-c50, clustered-v7-c150."),
    ],
    decoding: Annotated[list[str], typer.Option(help="greedy, x8, 1280, 1280x8, …")],
    objective: Annotated[
        list[str] | None, typer.Option(help="By default all that the weights are for.")
    ] = None,
    seed: Annotated[int, typer.Option(help="Of the samples.")] = 0,
    first: Annotated[int, typer.Option(help="Only so many instances of each set.")] = 1280,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:0.")] = "auto",
    *,
    mixed: Annotated[bool, typer.Option("--mixed", help="Large products in bfloat16.")] = False,
) -> None:
    """Decodes the paper's test sets, or seeded sets of random fleets."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        check_least(1, first, "--first")
        place = find_device(device)
        plans = {text: parse_decoding(text) for text in decoding}
        loaded = [read_weights(locate(name)) for name in weights]
        asked = [Objective.parse(o) for o in objective or []]
        for item, name in product(loaded, sets):
            engine = TorchEngine(item, str(place))
            for goal, (text, plan) in product(asked or item.description.objectives, plans.items()):
                instances = named_set(name, goal, first)
                mean, seconds = evaluate(engine, instances, goal, plan, seed=seed, mixed=mixed)
                line = Line(
                    weights=str(item.path),
                    set=name,
                    objective=str(goal),
                    decoding=text,
                    mean_cost=round(mean, 5),
                    instances=len(instances),
                    seconds=round(seconds, 3),
                    seed=seed,
                    device=_device_name(place),
                    commit=commit(),
                    command=shlex.join(["python", "-m", "hcvrp.training.evaluate", *sys.argv[1:]]),
                )
                _append(out, line)
                typer.echo(line.text())
    except InputError as error:
        typer.echo(f"hcvrp: {error}", err=True)
        raise typer.Exit(2) from None


def _append(path: Path, line: Line) -> None:
    new = not path.exists()
    make_folder(path.parent)
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Line)])
        if new:
            writer.writeheader()
        writer.writerow(asdict(line))


def _device_name(device: torch.device) -> str:
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    return f"{platform.machine()} CPU, {torch.get_num_threads()} threads"


if __name__ == "__main__":
    typer.run(main)
