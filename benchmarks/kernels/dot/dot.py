"""The inner product of two vectors."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(100_000_000, scale)
    return rng.random(n, dtype=np.float32), rng.random(n, dtype=np.float32)


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(xs, ys):
        total = np.float32(0)
        for i in prange(len(xs)):
            total += xs[i] * ys[i]
        return total

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(jnp.dot)


CASES = [
    Case(
        "dot f32", "100 M", make, "dot", lambda xs, ys: [len(xs)], lambda xs, ys: [np.zeros((), np.float32)],
        np.dot, numba_version, jax_version, spellings=["operators"],
    )
]
