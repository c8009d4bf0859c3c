"""`python -m hcvrp.training`: trains a policy from a config."""

from __future__ import annotations

import logging
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hcvrp.errors import InputError
from hcvrp.policy.extra import require_torch

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended before it began to train, by the custom of shells."""


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

        with (
            _interruptible(out) as cancel,
            distributed.group(find_device(device)) as place,
            ExitStack() as stack,
        ):
            limits = Limits(epochs, minutes, cancel)
            leads = distributed.rank() == 0
            train(
                read_config(config),
                out,
                place,
                limits,
                resume=resume,
                start=start,
                show=stack.enter_context(closing(display())) if leads else None,
                tell=_say if leads else _keep_quiet,
            )
    except InputError as error:
        _say(f"hcvrp: {error}")
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        _say(f"hcvrp: interrupted before the first step: {out} is as it was")
        raise typer.Exit(INTERRUPTED) from None


@contextmanager
def _interruptible(out: Path) -> Iterator[threading.Event]:
    """An event that Ctrl-C or a terminating signal sets, which is said at once."""
    from hcvrp.training import distributed

    cancel = threading.Event()

    def stop(*_: object) -> None:
        if distributed.rank() == 0 and not cancel.is_set():
            _say(f"\nstopping after the step under way, to be saved in {out}")
        cancel.set()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield cancel
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _say(text: str) -> None:
    """Prints a line on standard error."""
    print(text, file=sys.stderr, flush=True)


def _keep_quiet(_: str) -> None:
    """Leaves it to the first process to say."""


if __name__ == "__main__":
    typer.run(main)
