"""The command line, one file a command. Heavy imports wait until a command runs."""

from __future__ import annotations

import sys
from typing import NoReturn

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended before it was done, by the custom of shells."""


class Interrupted(BaseException):
    """Ctrl-C, with a word on what it left: typer would make a bare exit code of the usual one."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the command line.

    Exits with 0 done, 1 the answer is "no", 2 bad usage or input, 130 interrupted.
    """
    try:
        from hcvrp.cli.app import run  # in here, for Ctrl-C may come during the imports

        run(arguments)
    except (KeyboardInterrupt, Interrupted) as stop:
        sys.stderr.write(f"hcvrp: interrupted: {stop}\n" if str(stop) else "hcvrp: interrupted\n")
        sys.exit(INTERRUPTED)
