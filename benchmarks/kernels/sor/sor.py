"""A sweep of successive over-relaxation, in place."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(4096, scale, 2)
    return np.float32(1.25), rng.random((n, n), dtype=np.float32)


def numpy_version(omega, a):
    n, m = a.shape
    flat, old, new = a.ravel(), 1 - omega, omega * a.dtype.type(0.25)
    # The elements of a diagonal are m - 1 apart.
    for d in range(2, n + m - 3):
        low, high = max(1, d - m + 2), min(n - 2, d - 1)
        at = d + low * (m - 1)
        end = d + high * (m - 1) + 1
        part = lambda off: flat[at + off : end + off : m - 1]
        flat[at : end : m - 1] = old * part(0) + new * (part(-m) + part(-1) + part(m) + part(1))
    return a


def numba_version():
    from numba import njit

    one, quarter = np.float32(1), np.float32(0.25)

    @njit(fastmath=True)
    def run(omega, a):
        old, new = one - omega, quarter * omega
        for i in range(1, a.shape[0] - 1):
            for j in range(1, a.shape[1] - 1):
                a[i, j] = old * a[i, j] + new * (a[i - 1, j] + a[i, j - 1] + a[i + 1, j] + a[i, j + 1])
        return a

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    # Within a row, new[j] = w * new[j - 1] + b[j]: an associative scan of linear functions.
    def compose(f, g):
        return f[0] * g[0], g[0] * f[1] + g[1]

    @jax.jit
    def run(omega, a):
        w = omega * jnp.float32(0.25)

        def row(above, rows):
            here, below = rows
            inner = (1 - omega) * here[1:-1] + w * (above[1:-1] + below[1:-1] + here[2:])
            b = jnp.concatenate([here[:1], inner])
            factors = jnp.full_like(b, w).at[0].set(0)
            new = jnp.append(jax.lax.associative_scan(compose, (factors, b))[1], here[-1])
            return new, new

        swept = jax.lax.scan(row, a[0], (a[1:-1], a[2:]))[1]
        return jnp.concatenate([a[:1], swept, a[-1:]])

    return run


CASES = [
    Case(
        "SOR sweep f32", "4096^2", make, "sor", lambda omega, a: list(a.shape), lambda omega, a: [a], numpy_version,
        numba_version, jax_version, overwritten=(1,),
    )
]
