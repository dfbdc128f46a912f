"""A picture through a filter of 7 by 7."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(2048, scale, 2)
    return rng.random((7, 7), dtype=np.float32), rng.random((n, n), dtype=np.float32)


def shape(filter, picture):
    return tuple(n - p + 1 for n, p in zip(picture.shape, filter.shape))


def numpy_version(filter, picture):
    n, m = shape(filter, picture)
    out = np.zeros((n, m), picture.dtype)
    for (k, l), weight in np.ndenumerate(filter):
        out += weight * picture[k : k + n, l : l + m]
    return out


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def run(filter, picture):
        p, q = filter.shape
        n, m = picture.shape[0] - p + 1, picture.shape[1] - q + 1
        out = np.empty((n, m), picture.dtype)
        for i in prange(n):
            for j in range(m):
                total = np.float32(0)
                for k in range(p):
                    for l in range(q):
                        total += filter[k, l] * picture[i + k, j + l]
                out[i, j] = total
        return out

    return run


def jax_version():
    import jax

    @jax.jit
    def run(filter, picture):
        return jax.lax.conv(picture[None, None], filter[None, None], (1, 1), "VALID")[0, 0]

    return run


CASES = [
    Case(
        "convolution f32, 7 x 7", "2048^2", make, "convolution", lambda filter, picture: [*filter.shape, *picture.shape],
        lambda filter, picture: [np.empty(shape(filter, picture), np.float32)], numpy_version, numba_version, jax_version,
        spellings=["slices"],
    )
]
