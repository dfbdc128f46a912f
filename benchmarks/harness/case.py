"""A case of the benchmark suite: inputs of one size, and the same computation in several languages.

Each file kernels/NAME/NAME.py has a list CASES. Inputs are a tuple of NumPy arrays, NumPy scalars, Python integers
(i64) and Jagged arrays. Every version gets the same inputs in memory and returns one result or a tuple of results.
"""

from dataclasses import dataclass, field
from typing import Callable, Optional

import numpy as np


@dataclass
class Jagged:
    """Rows of different lengths: row i has the elements data[offsets[i]:offsets[i + 1]]."""

    offsets: np.ndarray
    data: np.ndarray


@dataclass
class Case:
    # As the tables show it, without the size.
    title: str
    # The size in words, for scale 1.
    size: str
    # make(rng, scale) gives the inputs.
    make: Callable
    # The C function. It takes the inputs (arrays as pointers, a jagged array as offsets and data), then pointers to the
    # results, then what `dims` gives, as int64_t.
    c: str
    dims: Callable
    # outputs(*inputs) gives an array of the right type and shape for each result of C.
    outputs: Callable
    # The version in NumPy: a function of the inputs. In double precision it is also the reference for all results.
    numpy: Callable
    # Functions without parameters that import the library and return a function of the inputs; none if the
    # library has no sensible form of this computation.
    numba: Optional[Callable] = None
    jax: Optional[Callable] = None
    # The main entry point of the Ravel program, and other ways to write the same.
    entry: str = "main"
    spellings: list = field(default_factory=list)
    # Inputs that are overwritten. Every run gets a fresh copy of these, which is not part of its time. In C they are the
    # results.
    overwritten: tuple = ()
    # The largest difference to the reference, relative to the largest number in the same array.
    tolerance: float = 1e-4
    # The share of integers that may differ from the reference, where rounding decides.
    share: float = 0.0
    # If given, computes the reference in place of NumPy.
    reference: Optional[Callable] = None

    def expected(self, inputs):
        """The results in double precision."""
        wide = [widened(x) for x in inputs]
        return results((self.reference or self.numpy)(*wide))


def widened(x):
    """The same numbers in double precision."""
    if isinstance(x, Jagged):
        return Jagged(x.offsets, widened(x.data))
    if isinstance(x, (np.ndarray, np.generic)) and x.dtype == np.float32:
        return x.astype(np.float64)
    return x.copy() if isinstance(x, np.ndarray) else x


def results(given):
    """Results as a list of NumPy arrays."""
    return [np.asarray(x) for x in (given if isinstance(given, tuple) else (given,))]


def difference(case, found, expected):
    """What is wrong with some results, or None."""
    if len(found) != len(expected):
        return f"{len(found)} results, not {len(expected)}"
    for x, y in zip(found, expected):
        if x.shape != y.shape:
            return f"shape {x.shape}, not {y.shape}"
        if x.size == 0:
            continue
        if not np.issubdtype(x.dtype, np.floating):
            share = np.count_nonzero(x != y) / x.size
            if share > case.share:
                return f"{100 * share:.3g}% of the integers differ"
            continue
        off = np.max(np.abs(x - y)) / max(np.max(np.abs(y)), 1e-30)
        if not off <= case.tolerance:
            return f"differs by {off:.2g}"
    return None


def size(n, scale, dimensions=1, least=32):
    """An extent for a scale: the work of `dimensions` such extents is multiplied by the scale."""
    return n if scale == 1 else max(least, round(n * scale ** (1 / dimensions)))
