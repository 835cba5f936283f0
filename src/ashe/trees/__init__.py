"""Pattern Recognition Trees: what an opponent did in every line of betting seen so far."""
