"""Running sums of integers."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    return (rng.integers(-1000, 1000, size(100_000_000, scale), dtype=np.int32),)


def numpy_version(xs):
    return np.cumsum(xs, dtype=np.int32)


def numba_version():
    from numba import get_num_threads, njit, prange

    @njit(parallel=True)
    def run(xs):
        n, parts = len(xs), get_num_threads()
        ys, sums = np.empty_like(xs), np.zeros(parts + 1, np.int32)
        for p in prange(parts):
            total = np.int32(0)
            for i in range(p * n // parts, (p + 1) * n // parts):
                total += xs[i]
            sums[p + 1] = total
        for p in range(parts):
            sums[p + 1] += sums[p]
        for p in prange(parts):
            total = sums[p]
            for i in range(p * n // parts, (p + 1) * n // parts):
                total += xs[i]
                ys[i] = total
        return ys

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(lambda xs: jnp.cumsum(xs, dtype=jnp.int32))


CASES = [
    Case(
        "prefix sum i32", "100 M", make, "prefix_sum", lambda xs: [len(xs)], lambda xs: [np.empty_like(xs)],
        numpy_version, numba_version, jax_version, spellings=["recursive"],
    )
]
