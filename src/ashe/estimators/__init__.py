"""Population-batched estimators: genomes, LSTM blocks, dense heads and the fused kernel.

Import from the modules: `genome`, `lstm`, `heads`, `estimator`; `kernels` (for numba loops) does not load torch.
"""
