"""Weighted k-means in compiled code: k-means++ seeds, Lloyd's iterations, nearest centroid of many points."""

import numpy as np
from numpy.typing import NDArray

from ashe.cards.random import derive_key
from ashe.jit import njit

Points = NDArray[np.float32]


@njit(nogil=True, fastmath=True)
def nearest(points, columns, norms, out):  # type: ignore[no-untyped-def]
    """Index of each point's nearest centroid. `columns` is [dimensions, K], `norms` the squared lengths / 2."""
    K = columns.shape[1]
    score = np.empty(K, np.float32)
    for i in range(points.shape[0]):
        for k in range(K):
            score[k] = norms[k]
        for d in range(columns.shape[0]):
            x = points[i, d]
            for k in range(K):
                score[k] -= x * columns[d, k]
        best = 0
        for k in range(1, K):
            if score[k] < score[best]:
                best = k
        out[i] = best


def columns_of(centroids: Points) -> tuple[Points, Points]:
    """What `nearest` looks in."""
    return np.ascontiguousarray(centroids.T), (0.5 * (centroids**2).sum(axis=1)).astype(np.float32)


@njit
def _seed(points, weights, K, draws):  # type: ignore[no-untyped-def]
    """k-means++: each next seed is drawn in proportion to weight times squared distance from those chosen."""
    n = points.shape[0]
    chosen = np.full(K, n - 1)
    distance = np.full(n, np.inf)
    left = draws[0] * weights.sum()
    for i in range(n):
        left -= weights[i]
        if left < 0.0:
            chosen[0] = i
            break
    for k in range(1, K):
        total = 0.0
        for i in range(n):
            d = 0.0
            for j in range(points.shape[1]):
                x = points[i, j] - points[chosen[k - 1], j]
                d += x * x
            distance[i] = min(distance[i], d)
            total += weights[i] * distance[i]
        left = draws[k] * total
        for i in range(n):
            left -= weights[i] * distance[i]
            if left < 0.0:
                chosen[k] = i
                break
    return chosen


def kmeans(
    points: Points, K: int, seed: int, iterations: int = 25, weights: NDArray[np.float64] | None = None
) -> Points:
    """Centroids [K, dimensions], in order of their mean coordinate so that neighbours are alike.

    `weights` [n] counts a point that stands for many.
    """
    rng = np.random.default_rng(derive_key(seed, "kmeans"))
    points = np.ascontiguousarray(points, np.float32)
    weights = np.ones(len(points)) if weights is None else np.asarray(weights, np.float64)
    centroids = points[_seed(points, weights, K, rng.random(K))].copy()
    assigned = np.empty(len(points), np.int64)
    for _ in range(iterations):
        nearest(points, *columns_of(centroids), assigned)
        counts = np.bincount(assigned, weights, K)
        sums = np.column_stack([np.bincount(assigned, weights * points[:, d], K) for d in range(points.shape[1])])
        full = counts > 0
        centroids[full] = (sums[full] / counts[full, None]).astype(np.float32)
        # A centroid that lost all its points starts again somewhere.
        centroids[~full] = points[rng.integers(0, len(points), int((~full).sum()))]
    return np.ascontiguousarray(centroids[np.argsort(centroids.mean(axis=1), kind="stable")])
