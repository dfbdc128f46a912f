"""Steps of a 9-point stencil."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(4096, scale, 2)
    return 10, rng.random((n, n), dtype=np.float32)


def weighted(a):
    """The new inner points, with NumPy or JAX."""
    rows = 0.5 * a[1:-1] + 0.25 * (a[:-2] + a[2:])
    return 0.5 * rows[:, 1:-1] + 0.25 * (rows[:, :-2] + rows[:, 2:])


def numpy_version(steps, a):
    a = a.copy()
    for _ in range(steps):
        a[1:-1, 1:-1] = weighted(a)
    return a


def numba_version():
    from numba import njit, prange

    centre, side, corner = np.float32(0.25), np.float32(0.125), np.float32(0.0625)

    @njit(parallel=True, fastmath=True)
    def run(steps, a):
        a, b = a.copy(), a.copy()
        n, m = a.shape
        for _ in range(steps):
            for i in prange(1, n - 1):
                for j in range(1, m - 1):
                    sides = a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1]
                    corners = a[i - 1, j - 1] + a[i - 1, j + 1] + a[i + 1, j - 1] + a[i + 1, j + 1]
                    b[i, j] = centre * a[i, j] + side * sides + corner * corners
            a, b = b, a
        return a

    return run


def jax_version():
    import functools

    import jax

    @functools.partial(jax.jit, static_argnums=0)
    def run(steps, a):
        return jax.lax.fori_loop(0, steps, lambda _, a: a.at[1:-1, 1:-1].set(weighted(a)), a)

    return run


CASES = [
    Case(
        "9-point stencil f32, 10 steps", "4096^2", make, "stencil9", lambda steps, a: list(a.shape),
        lambda steps, a: [np.empty_like(a)], numpy_version, numba_version, jax_version, spellings=["vectors"],
    )
]
