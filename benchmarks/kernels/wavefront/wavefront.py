"""A recurrence along diagonals."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(4096, scale, 2)
    return (rng.random((n, n), dtype=np.float32),)


def numpy_version(x):
    a, quarter = x.copy(), x.dtype.type(0.25)
    n, m = a.shape
    flat = a.ravel()
    # The elements of a diagonal are m - 1 apart.
    for d in range(2, n + m - 1):
        low, high = max(1, d - m + 1), min(n - 1, d - 1)
        at = d + low * (m - 1)
        end = d + high * (m - 1) + 1
        part = lambda off: flat[at - off : end - off : m - 1]
        flat[at : end : m - 1] = quarter * (part(m) + part(1) + part(m + 1) + part(0))
    return a


def numba_version():
    from numba import njit

    quarter = np.float32(0.25)

    @njit(fastmath=True)
    def run(x):
        a = x.copy()
        for i in range(1, a.shape[0]):
            for j in range(1, a.shape[1]):
                a[i, j] = quarter * (a[i - 1, j] + a[i, j - 1] + a[i - 1, j - 1] + x[i, j])
        return a

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    # Within a row, a[j] = a[j - 1] / 4 + b[j]: an associative scan of linear functions.
    def compose(f, g):
        return f[0] * g[0], g[0] * f[1] + g[1]

    def row(above, x):
        b = jnp.concatenate([x[:1], 0.25 * (above[1:] + above[:-1] + x[1:])])
        factors = jnp.full_like(x, 0.25).at[0].set(0)
        new = jax.lax.associative_scan(compose, (factors, b))[1]
        return new, new

    @jax.jit
    def run(x):
        return jnp.concatenate([x[:1], jax.lax.scan(row, x[0], x[1:])[1]])

    return run


CASES = [
    Case(
        "wavefront f32", "4096^2", make, "wavefront", lambda x: list(x.shape), lambda x: [np.empty_like(x)], numpy_version,
        numba_version, jax_version,
    )
]
