"""The decision process on tensors: batches, states, transitions, rollouts (see README.md)."""

from hcvrp.env.batch import Batch, collate, instances
from hcvrp.env.following import Following, Trips, trips
from hcvrp.env.log_prob import log_prob
from hcvrp.env.mixed_world import MixedWorld
from hcvrp.env.replay import Actions, Replay, replay, solutions
from hcvrp.env.rollout import (
    CHUNK,
    Advance,
    AtOnce,
    Decoder,
    Draw,
    Outcome,
    Progress,
    advance,
    duel,
    rollout,
)
from hcvrp.env.state import State, initial
from hcvrp.env.transition import (
    cost,
    node_mask,
    step,
    vehicle_mask,
    vehicle_times,
)
from hcvrp.env.world import World

__all__ = [
    "CHUNK",
    "Actions",
    "Advance",
    "AtOnce",
    "Batch",
    "Decoder",
    "Draw",
    "Following",
    "MixedWorld",
    "Outcome",
    "Progress",
    "Replay",
    "State",
    "Trips",
    "World",
    "advance",
    "collate",
    "cost",
    "duel",
    "initial",
    "instances",
    "log_prob",
    "node_mask",
    "replay",
    "rollout",
    "solutions",
    "step",
    "trips",
    "vehicle_mask",
    "vehicle_times",
]
