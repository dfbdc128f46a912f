"""LU decomposition without pivoting."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(1024, scale, 3)
    return (rng.random((n, n)) + n * np.eye(n),)


def numpy_version(a):
    a = a.copy()
    for k in range(len(a)):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= a[k + 1 :, k, None] * a[k, k + 1 :]
    return a


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(a):
        a = a.copy()
        n = len(a)
        for k in range(n):
            for i in prange(k + 1, n):
                a[i, k] /= a[k, k]
                for j in range(k + 1, n):
                    a[i, j] -= a[i, k] * a[k, j]
        return a

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def run(a):
        index = jnp.arange(len(a))

        def step(k, a):
            factors = jnp.where(index > k, a[:, k] / a[k, k], 0)
            a = a - factors[:, None] * jnp.where(index > k, a[k], 0)
            return a.at[:, k].set(jnp.where(index > k, factors, a[:, k]))

        return jax.lax.fori_loop(0, len(a), step, a)

    return run


CASES = [
    Case(
        "LU f64", "1024", make, "lu", lambda a: [len(a)], lambda a: [np.empty_like(a)], numpy_version, numba_version,
        jax_version, spellings=["eliminated"], tolerance=1e-6,
    )
]
