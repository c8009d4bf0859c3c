"""Training policies: REINFORCE with a greedy baseline, or with many samples' mean."""
