"""Jacobi iteration: steps of a 4-point stencil."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(4096, scale, 2)
    return 100, rng.random((n, n), dtype=np.float32)


def numpy_version(steps, a):
    a, b, quarter = a.copy(), a.copy(), a.dtype.type(0.25)
    for _ in range(steps):
        b[1:-1, 1:-1] = quarter * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        a, b = b, a
    return a


def numba_version():
    from numba import njit, prange

    quarter = np.float32(0.25)

    @njit(parallel=True, fastmath=True)
    def run(steps, a):
        a, b = a.copy(), a.copy()
        n, m = a.shape
        for _ in range(steps):
            for i in prange(1, n - 1):
                for j in range(1, m - 1):
                    b[i, j] = quarter * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])
            a, b = b, a
        return a

    return run


def jax_version():
    import functools

    import jax

    @functools.partial(jax.jit, static_argnums=0)
    def run(steps, a):
        def step(_, a):
            return a.at[1:-1, 1:-1].set(0.25 * (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]))

        return jax.lax.fori_loop(0, steps, step, a)

    return run


CASES = [
    Case(
        "Jacobi f32, 100 steps", "4096^2", make, "jacobi", lambda steps, a: list(a.shape), lambda steps, a: [np.empty_like(a)],
        numpy_version, numba_version, jax_version, spellings=["clauses", "slices", "updates"],
    )
]
