"""The products of many pairs of small matrices."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    shape = (size(50_000, scale), 16, 16)
    return rng.random(shape, dtype=np.float32), rng.random(shape, dtype=np.float32)


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(xs, ys):
        out = np.zeros((xs.shape[0], xs.shape[1], ys.shape[2]), xs.dtype)
        for t in prange(xs.shape[0]):
            for i in range(xs.shape[1]):
                for k in range(xs.shape[2]):
                    for j in range(ys.shape[2]):
                        out[t, i, j] += xs[t, i, k] * ys[t, k, j]
        return out

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(jnp.matmul)


CASES = [
    Case(
        "batched matmul f32", "50 K of 16 x 16", make, "batched_matmul", lambda xs, ys: [len(xs)],
        lambda xs, ys: [np.empty_like(xs)], np.matmul, numba_version, jax_version, spellings=["clauses"],
    )
]
