"""A matrix times a vector. NumPy and Numba call BLAS."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(8192, scale, 2)
    return rng.random((n, n), dtype=np.float32), rng.random(n, dtype=np.float32)


def numba_version():
    from numba import njit

    return njit(lambda a, x: np.dot(a, x))


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(jnp.matmul)


CASES = [
    Case(
        "matrix-vector f32", "8192^2", make, "matvec", lambda a, x: list(a.shape), lambda a, x: [np.empty(len(a), np.float32)],
        np.matmul, numba_version, jax_version, spellings=["comprehension"],
    )
]
