"""`fleet`: one network for any fleet, any size and both objectives (docs/methods/fleet.md)."""

from hcvrp.policy.fleet.network import FleetDecoder, FleetNetwork

__all__ = ["FleetDecoder", "FleetNetwork"]
