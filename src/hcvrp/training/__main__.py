"""`python -m hcvrp.training`: trains a policy from a config."""

from __future__ import annotations

import logging
import signal
import threading
from pathlib import Path
from typing import Annotated

import typer

from hcvrp.errors import InputError
from hcvrp.policy.extra import require_torch


def main(
    config: Annotated[Path, typer.Option(help="TOML file: what to train and how.")],
    out: Annotated[Path, typer.Option(help="Folder of the checkpoint and the logs.")],
    minutes: Annotated[float | None, typer.Option(help="Stop after so many minutes.")] = None,
    start: Annotated[str | None, typer.Option(help="Weights to begin from.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Stop after so many epochs in all.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:0.")] = "auto",
    *,
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
) -> None:
    """Trains a policy; interrupted once, it finishes the step, saves and ends."""
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    try:
        require_torch()
        from hcvrp.policy.device import find_device
        from hcvrp.training import distributed
        from hcvrp.training.log import display
        from hcvrp.training.loop import Limits, train
        from hcvrp.training.runs import read_config

        cancel = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: cancel.set())
        with distributed.group(find_device(device)) as place:
            limits = Limits(epochs, minutes, cancel)
            show = display() if distributed.rank() == 0 else None
            train(read_config(config), out, place, limits, resume=resume, start=start, show=show)
    except InputError as error:
        typer.echo(f"hcvrp: {error}", err=True)
        raise typer.Exit(2) from None


if __name__ == "__main__":
    typer.run(main)
