"""The sum of the numbers above a threshold."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    return np.float32(0.5), rng.random(size(100_000_000, scale), dtype=np.float32)


def numpy_version(least, xs):
    return np.sum(xs[xs > least])


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(least, xs):
        total = np.float32(0)
        for i in prange(len(xs)):
            if xs[i] > least:
                total += xs[i]
        return total

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda least, xs: jnp.where(xs > least, xs, 0).sum())


CASES = [
    Case(
        "filter + reduce f32", "100 M", make, "filter_reduce", lambda least, xs: [len(xs)],
        lambda least, xs: [np.zeros((), np.float32)], numpy_version, numba_version, jax_version,
        spellings=["comprehension", "guarded"],
    )
]
