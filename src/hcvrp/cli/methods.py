"""`hcvrp methods`: what --method takes."""

from __future__ import annotations

import json

from hcvrp.cli import options
from hcvrp.cli.terminal import say

EXAMPLES = options.examples(
    "hcvrp methods",
    "hcvrp solve stops.csv --fleet vans.csv --method savings   # take one of them",
)


def command(as_json: options.Json = False) -> None:
    """List the methods that `hcvrp solve` knows."""
    from hcvrp.solver import DEFAULT_METHOD, METHODS

    if as_json:
        told = {n: {"target": e.target, "summary": e.summary} for n, e in METHODS.items()}
        say(json.dumps(told))
        return
    width = max(len(name) for name in METHODS)
    for name, entry in METHODS.items():
        default = " (the default)" if name == DEFAULT_METHOD else ""
        say(f"{name:<{width}}  {entry.summary}{default}")
