"""A sparse matrix times a vector; the lengths of rows follow a power law."""

import numpy as np

from harness.case import Case, Jagged, size


def make(rng, scale):
    n = size(1_000_000, scale)
    lengths = np.minimum(1 + rng.pareto(1.6, n) * 9, 100_000).astype(np.int64)
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    count = offsets[-1]
    columns = rng.integers(0, n, count, dtype=np.int32)
    values = rng.random(count, dtype=np.float32)
    return Jagged(offsets, columns), Jagged(offsets, values), rng.random(n, dtype=np.float32)


def numpy_version(columns, values, x):
    # No row is empty.
    return np.add.reduceat(values.data * x[columns.data], columns.offsets[:-1])


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def rows(offsets, columns, values, x):
        out = np.empty(len(offsets) - 1, np.float32)
        for i in prange(len(out)):
            total = np.float32(0)
            for at in range(offsets[i], offsets[i + 1]):
                total += values[at] * x[columns[at]]
            out[i] = total
        return out

    return lambda columns, values, x: rows(columns.offsets, columns.data, values.data, x)


def jax_version():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def rows(offsets, columns, values, x):
        n = len(offsets) - 1
        row = jnp.repeat(jnp.arange(n), jnp.diff(offsets), total_repeat_length=len(values))
        return jax.ops.segment_sum(values * x[columns], row, n, indices_are_sorted=True)

    return lambda columns, values, x: rows(columns.offsets, columns.data, values.data, x)


CASES = [
    Case(
        "sparse matrix-vector f32", "1 M rows", make, "spmv", lambda columns, values, x: [len(columns.offsets) - 1],
        lambda columns, values, x: [np.empty(len(columns.offsets) - 1, np.float32)], numpy_version, numba_version, jax_version,
        spellings=["combinators"],
    )
]
