"""`hcvrp train`: a policy from a config."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    config: Annotated[Path, typer.Option(help="TOML file: what to train and how.")],
    out: Annotated[Path, typer.Option(help="Folder of the checkpoint and the logs.")],
    minutes: Annotated[float | None, typer.Option(help="Stop after so many minutes.")] = None,
    start: Annotated[str | None, typer.Option(help="Weights to begin from.")] = None,
    epochs: Annotated[int | None, typer.Option(help="Stop after so many epochs in all.")] = None,
    device: Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:0.")] = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on from the checkpoint.")] = False,
) -> None:
    """Train a policy; it can be stopped and resumed."""
    from hcvrp.training.__main__ import main

    main(config, out, minutes, start, epochs, device, resume=resume)
