"""`hcvrp policies`: the trained policies that come with the package."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from hcvrp.cli import options
from hcvrp.cli.terminal import say

if TYPE_CHECKING:
    from hcvrp.policy.weights_file import Description

EXAMPLES = options.examples(
    "hcvrp policies",
    "hcvrp policies --json",
)


def command(as_json: options.Json = False) -> None:
    """List the trained policies that are shipped."""
    from hcvrp.policy.weights_file import describe, shipped

    facts = {name: _facts(describe(path)) for name, path in shipped().items()}
    if as_json:
        say(json.dumps(facts))
        return
    for name, fact in facts.items():
        fleet = f"{fact['vehicles']} vehicles," if fact["vehicles"] else "any fleet, up to"
        objective = fact["objective"] or "both objectives"
        say(
            f"{name:<24} {fact['kind']}, trained for {fleet}"
            f" {fact['customers']} customers, {objective}"
        )


def _facts(policy: Description) -> dict[str, object]:
    """What it was trained for; None where that is any fleet, or both objectives."""
    network = policy.network
    return {
        "kind": network.kind,
        "vehicles": None if network.kind == "fleet" else network.vehicles,
        "customers": policy.customers,
        "objective": policy.objective,
    }
