"""Training policies: REINFORCE with a greedy baseline, or with many samples' mean."""

from hcvrp.training.config import Config, ProblemConfig, TrainingConfig
from hcvrp.training.fleet_config import FleetConfig
from hcvrp.training.loop import Limits, train
from hcvrp.training.runs import read_config

__all__ = [
    "Config",
    "FleetConfig",
    "Limits",
    "ProblemConfig",
    "TrainingConfig",
    "read_config",
    "train",
]
