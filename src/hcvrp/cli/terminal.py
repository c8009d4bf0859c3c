"""Words for the terminal, which may be a pipe whose reader goes away."""

from __future__ import annotations

import os
import sys


def say(text: str) -> None:
    """Prints a line on standard output.

    Once the reader (`head`, say) has gone, the rest goes nowhere and the command ends as it would
    have: quietly, with its own exit code.
    """
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def mutter(text: str) -> None:
    """Prints a line on standard error, where it cannot spoil what a program reads."""
    sys.stderr.write(f"{text}\n")
