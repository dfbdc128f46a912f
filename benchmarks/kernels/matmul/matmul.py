"""Matrix product. NumPy and Numba call BLAS."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    n = size(1024, scale, 3)
    return rng.random((n, n), dtype=np.float32), rng.random((n, n), dtype=np.float32)


def numba_version():
    from numba import njit

    return njit(lambda a, b: np.dot(a, b))


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(jnp.matmul)


CASES = [
    Case(
        "matmul f32", "1024", make, "matmul", lambda a, b: [*a.shape, b.shape[1]],
        lambda a, b: [np.empty((a.shape[0], b.shape[1]), np.float32)], np.matmul, numba_version, jax_version,
        spellings=["comprehension", "clauses"],
    )
]
