"""The shortest paths between all pairs of nodes."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(1024, scale, 3)
    d = rng.random((n, n), dtype=np.float32) ** 4 * 1000
    np.fill_diagonal(d, 0)
    return (d,)


def numpy_version(d):
    d = d.copy()
    for k in range(len(d)):
        np.minimum(d, d[:, k, None] + d[k], out=d)
    return d


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(d):
        d = d.copy()
        for k in range(len(d)):
            for i in prange(len(d)):
                for j in range(len(d)):
                    d[i, j] = min(d[i, j], d[i, k] + d[k, j])
        return d

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda d: jax.lax.fori_loop(0, len(d), lambda k, d: jnp.minimum(d, d[:, k, None] + d[k]), d))


CASES = [
    Case(
        "Floyd-Warshall f32", "1024", make, "floyd_warshall", lambda d: [len(d)], lambda d: [np.empty_like(d)], numpy_version,
        numba_version, jax_version, spellings=["updates"],
    )
]
