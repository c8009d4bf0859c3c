"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

if TYPE_CHECKING:
    from hcvrp.instance import Vehicle


class ObjectiveName(StrEnum):
    """The objectives by name; a twin of hcvrp.Objective that needs no NumPy to print help."""

    MIN_MAX = "min-max"
    MIN_SUM = "min-sum"


Instance: TypeAlias = Annotated[
    Path, typer.Argument(metavar="INSTANCE", help="JSON, VRPLIB, CSV or VROOM file.")
]
Solution: TypeAlias = Annotated[Path, typer.Argument(metavar="SOLUTION", help="JSON, .sol or CSV.")]
Objective: TypeAlias = Annotated[
    ObjectiveName,
    typer.Option("--objective", "-b", help="min-max: finish early; min-sum: least total time."),
]
Fleet: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--fleet", help="Vehicles for files that have none: 20,25,30 (capacities) or a CSV file."
    ),
]
Json: TypeAlias = Annotated[
    bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")
]
Seed: TypeAlias = Annotated[int, typer.Option("--seed", min=0, help="Of the random numbers.")]


def fleet(text: str | None) -> list[Vehicle] | None:
    """The value of --fleet."""
    from hcvrp import formats

    return None if text is None else formats.parse_fleet(text)


@contextmanager
def interruptible() -> Iterator[threading.Event]:
    """An event that Ctrl-C or a terminating signal sets; the second one ends the hard way."""
    cancel = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        sys.stderr.write("\nstopping; the best so far is kept (Ctrl-C again to abort)\n")
        cancel.set()
        for number, handler in before.items():
            signal.signal(number, handler)

    if threading.current_thread() is not threading.main_thread():
        yield cancel
        return
    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
