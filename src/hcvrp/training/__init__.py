"""Training policies: REINFORCE with a greedy baseline (Li et al. 2021, Algorithm 1)."""

from hcvrp.training.config import Config, ProblemConfig, TrainingConfig
from hcvrp.training.loop import Limits, train

__all__ = ["Config", "Limits", "ProblemConfig", "TrainingConfig", "train"]
