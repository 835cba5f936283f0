"""Equilibrium approximation: betting trees, card abstraction, Monte-Carlo CFR, and the player EQ that comes of it."""
