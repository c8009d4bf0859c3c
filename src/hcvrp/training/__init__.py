"""Training policies: REINFORCE with a greedy baseline (Li et al. 2021, Algorithm 1)."""
