"""The sum of each row of a jagged array."""

import numpy as np

from harness.case import Case, Jagged, size


def make(rng, scale):
    n = size(1_000_000, scale)
    offsets = np.concatenate([[0], np.cumsum(rng.integers(1, 17, n))])
    return (Jagged(offsets, rng.random(offsets[-1], dtype=np.float32)),)


def numpy_version(rows):
    # No row is empty.
    return np.add.reduceat(rows.data, rows.offsets[:-1])


def numba_version():
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def sums(offsets, data):
        out = np.empty(len(offsets) - 1, np.float32)
        for i in prange(len(out)):
            total = np.float32(0)
            for at in range(offsets[i], offsets[i + 1]):
                total += data[at]
            out[i] = total
        return out

    return lambda rows: sums(rows.offsets, rows.data)


def jax_version():
    import jax
    import jax.numpy as jnp

    @jax.jit
    def sums(offsets, data):
        n = len(offsets) - 1
        row = jnp.repeat(jnp.arange(n), jnp.diff(offsets), total_repeat_length=len(data))
        return jax.ops.segment_sum(data, row, n, indices_are_sorted=True)

    return lambda rows: sums(rows.offsets, rows.data)


CASES = [
    Case(
        "segmented sum f32", "1 M segments of 1 to 16", make, "segmented_sum", lambda rows: [len(rows.offsets) - 1],
        lambda rows: [np.empty(len(rows.offsets) - 1, np.float32)], numpy_version, numba_version, jax_version,
        spellings=["comprehension"],
    )
]
