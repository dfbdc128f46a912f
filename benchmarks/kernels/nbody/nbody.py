"""Bodies that attract one another: all pairs."""

import numpy as np

from harness.case import Case, size

SOFTENING = 0.05


def make(rng, scale):
    n = size(20_000, scale, 2)
    return tuple(rng.random(n, dtype=np.float32) for _ in range(4))


def numpy_version(xs, ys, zs, ms):
    ax, ay, az = np.empty_like(xs), np.empty_like(xs), np.empty_like(xs)
    for at in range(0, len(xs), 64):
        part = slice(at, at + 64)
        dx, dy, dz = xs - xs[part, None], ys - ys[part, None], zs - zs[part, None]
        r2 = dx * dx + dy * dy + dz * dz + xs.dtype.type(SOFTENING)
        s = ms / (r2 * np.sqrt(r2))
        ax[part], ay[part], az[part] = (s * dx).sum(1), (s * dy).sum(1), (s * dz).sum(1)
    return ax, ay, az


def numba_version():
    from numba import njit, prange

    softening = np.float32(SOFTENING)

    @njit(parallel=True, fastmath=True)
    def run(xs, ys, zs, ms):
        ax, ay, az = np.empty_like(xs), np.empty_like(xs), np.empty_like(xs)
        for i in prange(len(xs)):
            x, y, z = np.float32(0), np.float32(0), np.float32(0)
            for j in range(len(xs)):
                dx, dy, dz = xs[j] - xs[i], ys[j] - ys[i], zs[j] - zs[i]
                r2 = dx * dx + dy * dy + dz * dz + softening
                s = ms[j] / (r2 * np.sqrt(r2))
                x += s * dx
                y += s * dy
                z += s * dz
            ax[i], ay[i], az[i] = x, y, z
        return ax, ay, az

    return run


def jax_version():
    import jax
    import jax.numpy as jnp

    def one(x, y, z, xs, ys, zs, ms):
        dx, dy, dz = xs - x, ys - y, zs - z
        r2 = dx * dx + dy * dy + dz * dz + SOFTENING
        s = ms / (r2 * jnp.sqrt(r2))
        return (s * dx).sum(), (s * dy).sum(), (s * dz).sum()

    @jax.jit
    def run(xs, ys, zs, ms):
        return jax.lax.map(lambda at: one(*at, xs, ys, zs, ms), (xs, ys, zs), batch_size=64)

    return run


CASES = [
    Case(
        "N-body f32", "20 K", make, "nbody", lambda xs, *_: [len(xs)],
        lambda xs, *_: [np.empty_like(xs), np.empty_like(xs), np.empty_like(xs)], numpy_version, numba_version, jax_version,
        spellings=["reduced"],
    )
]
