"""The command line, one file a command. Heavy imports wait until a command runs."""

from __future__ import annotations

import sys
from typing import NoReturn

INTERRUPTED = 130
"""The exit code of what Ctrl-C ended before it was done, by the custom of shells."""


def main(arguments: list[str] | None = None) -> NoReturn:
    """Runs the command line.

    Exits with 0 done, 1 the answer is "no", 2 bad usage or input, 130 interrupted.
    """
    try:
        from hcvrp.cli.app import run  # in here, for Ctrl-C may come during the imports

        run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("hcvrp: interrupted\n")
        sys.exit(INTERRUPTED)
