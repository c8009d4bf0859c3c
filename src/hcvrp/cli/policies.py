"""`hcvrp policies`: the trained policies that come with the package."""

from __future__ import annotations

import json

from hcvrp.cli import options
from hcvrp.cli.terminal import say


def command(as_json: options.Json = False) -> None:
    """List the trained policies that are shipped."""
    from hcvrp.policy.weights_file import describe, shipped

    rows = {name: describe(path) for name, path in shipped().items()}
    facts = {
        name: {
            "kind": d.network.kind,
            "vehicles": d.network.vehicles,
            "customers": d.customers,
            "objective": str(d.objective),
        }
        for name, d in rows.items()
    }
    if as_json:
        say(json.dumps(facts))
        return
    for name, fact in facts.items():
        say(
            f"{name:<24} {fact['kind']}, trained for {fact['vehicles']} vehicles,"
            f" {fact['customers']} customers, {fact['objective']}"
        )
