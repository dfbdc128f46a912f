"""Sum of squares: a reduction at the speed of memory."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    return (rng.random(size(100_000_000, scale), dtype=np.float32),)


def numpy_version(xs):
    return np.sum(xs * xs)


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(xs):
        total = np.float32(0)
        for i in prange(len(xs)):
            total += xs[i] * xs[i]
        return total

    return run


def jax_version():
    import jax

    return jax.jit(lambda xs: (xs * xs).sum())


CASES = [
    Case(
        "sum of squares f32", "100 M", make, "sum_of_squares", lambda xs: [len(xs)], lambda xs: [np.zeros((), np.float32)],
        numpy_version, numba_version, jax_version, spellings=["comprehension"],
    )
]
