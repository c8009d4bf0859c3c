"""A peer's own process: `python -m hcvrp.search.peers.worker NAME`.

It reads a query as one line on standard input and answers in lines of JSON on standard output:
`{"ready": true}` once the peer is loaded, when its time begins, then `{"routes": …}` for every
better answer. Standard input stays open for as long as the asker lives; when it closes, so does
this process.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from collections.abc import Callable
from typing import TextIO

from hcvrp.search.peers.query import Query, Routes


def main(name: str) -> None:
    """Answers one query with the peer of that name."""
    answers = _private_stdout()
    query = Query.parse(sys.stdin.readline())
    threading.Thread(target=_die_with_asker, daemon=True).start()
    peer = importlib.import_module(f"hcvrp.search.peers.with_{name}")
    solve: Callable[[Query, Callable[[Routes], None]], None] = peer.solve
    _say(answers, ready=True)
    solve(query, lambda routes: _say(answers, routes=routes))


def _private_stdout() -> TextIO:
    """Standard output for us alone; what the peer prints there goes to standard error."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    return answers


def _die_with_asker() -> None:
    # Not sys.stdin.read(): its lock would be held when the interpreter shuts down.
    while os.read(0, 1):
        pass
    os._exit(1)


def _say(answers: TextIO, **message: object) -> None:
    answers.write(json.dumps(message) + "\n")
    answers.flush()


if __name__ == "__main__":
    main(sys.argv[1])
