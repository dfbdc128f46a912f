"""k-means: nearest centres, and means of classes."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    # Ten clouds of points, so that rounding does not decide to which centre a point belongs.
    n, clouds = size(1_000_000, scale), 10 * rng.random((10, 16))
    points = clouds[rng.integers(0, 10, n)] + rng.standard_normal((n, 16))
    centres = clouds + rng.standard_normal((10, 16))
    return 10, centres.astype(np.float32), points.astype(np.float32)


def numpy_version(rounds, centres, points):
    k = len(centres)
    for _ in range(rounds):
        # Up to the squared norm of the point, which is the same for all centres.
        classes = np.argmin((centres * centres).sum(1) - 2 * (points @ centres.T), axis=1)
        counts = np.bincount(classes, minlength=k)
        sums = np.stack([np.bincount(classes, column, minlength=k) for column in points.T], axis=1)
        means = (sums / np.maximum(counts, 1)[:, None]).astype(centres.dtype)
        centres = np.where(counts[:, None] == 0, centres, means)
    return centres


def numba_version():
    from numba import get_num_threads, njit, prange

    @njit(parallel=True, fastmath=True)
    def run(rounds, centres, points):
        n, d = points.shape
        k, parts = len(centres), get_num_threads()
        centres = centres.copy()
        for _ in range(rounds):
            sums, counts = np.zeros((parts, k, d), np.float64), np.zeros((parts, k), np.int64)
            for p in prange(parts):
                for i in range(p * n // parts, (p + 1) * n // parts):
                    best, least = 0, np.float32(np.inf)
                    for c in range(k):
                        distance = np.float32(0)
                        for j in range(d):
                            off = points[i, j] - centres[c, j]
                            distance += off * off
                        if distance < least:
                            best, least = c, distance
                    counts[p, best] += 1
                    for j in range(d):
                        sums[p, best, j] += points[i, j]
            total, count = sums.sum(0), counts.sum(0)
            for c in range(k):
                if count[c] > 0:
                    centres[c] = (total[c] / count[c]).astype(np.float32)
        return centres

    return run


def jax_version():
    import functools

    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnums=0)
    def run(rounds, centres, points):
        def step(_, centres):
            classes = jnp.argmin((centres * centres).sum(1) - 2 * (points @ centres.T), axis=1)
            chosen = jax.nn.one_hot(classes, len(centres), dtype=points.dtype)
            counts, sums = chosen.sum(0), chosen.T @ points
            return jnp.where(counts[:, None] == 0, centres, sums / jnp.maximum(counts, 1)[:, None])

        return jax.lax.fori_loop(0, rounds, step, centres)

    return run


CASES = [
    Case(
        "k-means f32, k = 10, 10 rounds", "1 M x 16", make, "kmeans", lambda rounds, centres, points: [len(centres), len(points)],
        lambda rounds, centres, points: [np.empty_like(centres)], numpy_version, numba_version, jax_version,
    )
]
