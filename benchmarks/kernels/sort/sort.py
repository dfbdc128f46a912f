"""Sorting numbers."""

import numpy as np

from harness.case import Case, size


def make(rng, scale):
    return (rng.standard_normal(size(10_000_000, scale), dtype=np.float32),)


def numba_version():
    from numba import njit

    return njit(lambda xs: np.sort(xs))


def jax_version():
    import jax
    import jax.numpy as jnp

    return jax.jit(jnp.sort)


CASES = [
    Case(
        "sort f32", "10 M", make, "sort", lambda xs: [len(xs)], lambda xs: [np.empty_like(xs)], np.sort, numba_version,
        jax_version, spellings=["by_order"],
    )
]
