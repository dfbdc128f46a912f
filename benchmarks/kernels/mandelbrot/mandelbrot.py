"""The Mandelbrot set: loops of different lengths."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(2048, scale, 2)
    return n, n, np.int32(256)


def numpy_version(width, height, limit):
    x = np.float32(-2) + np.float32(3) * np.arange(width, dtype=np.float32) / np.float32(width)
    y = np.float32(-1.5) + np.float32(3) * np.arange(height, dtype=np.float32) / np.float32(height)
    counts = np.zeros((height, width), np.int32)
    cx, cy = (c.ravel() for c in np.broadcast_arrays(x[None, :], y[:, None]))
    at = np.arange(height * width)
    re, im = np.zeros_like(cx), np.zeros_like(cy)
    for _ in range(limit):
        stays = re * re + im * im <= 4
        at, cx, cy, re, im = at[stays], cx[stays], cy[stays], re[stays], im[stays]
        counts.ravel()[at] += 1
        re, im = re * re - im * im + cx, 2 * re * im + cy
    return counts


def numba_version():
    from numba import njit, prange

    two, three, half = np.float32(2), np.float32(3), np.float32(1.5)

    @njit(parallel=True, fastmath=True)
    def run(width, height, limit):
        counts = np.empty((height, width), np.int32)
        for i in prange(height):
            y = -half + three * np.float32(i) / np.float32(height)
            for j in range(width):
                x = -two + three * np.float32(j) / np.float32(width)
                re, im, k = np.float32(0), np.float32(0), 0
                while k < limit and re * re + im * im <= 4:
                    re, im = re * re - im * im + x, two * re * im + y
                    k += 1
                counts[i, j] = k
        return counts

    return run


def jax_version():
    import functools

    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnums=(0, 1))
    def run(width, height, limit):
        x = -2 + 3 * jnp.arange(width, dtype=jnp.float32)[None, :] / jnp.float32(width)
        y = -1.5 + 3 * jnp.arange(height, dtype=jnp.float32)[:, None] / jnp.float32(height)

        def step(_, state):
            re, im, counts = state
            stays = re * re + im * im <= 4
            re, im = jnp.where(stays, re * re - im * im + x, re), jnp.where(stays, 2 * re * im + y, im)
            return re, im, counts + stays.astype(jnp.int32)

        zero = jnp.zeros((height, width), jnp.float32)
        return jax.lax.fori_loop(0, limit, step, (zero, zero, jnp.zeros((height, width), jnp.int32)))[2]

    return run


CASES = [
    Case(
        "Mandelbrot f32, 256 steps", "2048^2", make, "mandelbrot", lambda *_: [],
        lambda width, height, limit: [np.empty((height, width), np.int32)], numpy_version, numba_version, jax_version,
        share=0.01,
    )
]
