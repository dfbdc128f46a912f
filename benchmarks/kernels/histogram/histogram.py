"""How often each key occurs."""

import numpy as np

from harness.case import Case, size


def maker(bins):
    def make(rng, scale):
        count = size(bins, scale)
        return count, rng.integers(0, count, size(100_000_000, scale), dtype=np.int32)

    return make


def numpy_version(bins, keys):
    return np.bincount(keys, minlength=bins).astype(np.int32)


def numba_version():
    from numba import get_num_threads, njit, prange

    @njit(parallel=True)
    def run(bins, keys):
        n, parts = len(keys), get_num_threads()
        tables = np.zeros((parts, bins), np.int32)
        for p in prange(parts):
            for i in range(p * n // parts, (p + 1) * n // parts):
                tables[p, keys[i]] += 1
        return tables.sum(0).astype(np.int32)

    return run


def jax_version():
    import functools

    import jax
    import jax.numpy as jnp

    @functools.partial(jax.jit, static_argnums=0)
    def run(bins, keys):
        return jnp.zeros(bins, jnp.int32).at[keys].add(1)

    return run


CASES = [
    Case(
        f"histogram, {name} bins", "100 M", maker(bins), "histogram", lambda bins, keys: [len(keys)],
        lambda bins, keys: [np.empty(bins, np.int32)], numpy_version, numba_version, jax_version, spellings=["combinator"],
    )
    for name, bins in [("1 K", 1000), ("1 M", 1_000_000)]
]
