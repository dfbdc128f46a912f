"""Measures all versions of a case in one process, in turn: A B C, A B C, and so on. The least time of each counts."""

import time

import numpy as np

from .case import Jagged, difference, results
from .libraries import RavelLibrary, c_function

# A version that took this long altogether does not run again.
LONG = 20.0
# Threads that wait for work spin for a moment; the next version begins when they sleep.
PAUSE = 0.01


def fresh(case, inputs):
    """The inputs with new copies of those that are overwritten."""
    return [x.copy() if i in case.overwritten else x for i, x in enumerate(inputs)]


def python_function(function):
    """A version in Python: prepare(inputs) gives a function that calls it."""
    return lambda inputs: lambda: function(*inputs)


def jax_function(make):
    """A version in JAX. Its arguments are in JAX's memory before it is called."""
    import jax

    function = make()

    def put(x):
        if isinstance(x, Jagged):
            return Jagged(jax.device_put(x.offsets), jax.device_put(x.data))
        return jax.device_put(x) if isinstance(x, np.ndarray) else x

    def prepare(inputs):
        there = jax.block_until_ready([put(x) for x in inputs])
        return lambda: jax.block_until_ready(function(*there))

    return prepare


class Version:
    """A version with its times so far."""

    def __init__(self, name, prepare):
        self.name, self.prepare = name, prepare
        self.times, self.wrong = [], None

    def run(self, case, inputs):
        """Runs it once; returns its results."""
        call = self.prepare(fresh(case, inputs))
        time.sleep(PAUSE)
        start = time.perf_counter()
        given = call()
        self.times.append(time.perf_counter() - start)
        return given

    def first(self, case, inputs, expected):
        """A run that is not counted, whose results are compared."""
        given = self.run(case, inputs)
        took = self.times.pop()
        found = given.results() if hasattr(given, "results") else results(tuple(given) if isinstance(given, list) else given)
        self.wrong = difference(case, found, expected)
        release(given)
        return took

    def again(self, case, inputs):
        release(self.run(case, inputs))


def release(given):
    """Frees what a call of Ravel made."""
    if hasattr(given, "free"):
        given.free()


def versions(case, folders, threads, wanted):
    """All versions of a case that can run here, and why others cannot."""
    library = RavelLibrary(folders["ravel"], threads)
    makers = {"ravel": lambda: library.entry(case.entry)}
    for spelling in case.spellings:
        makers[f"ravel {spelling}"] = lambda spelling=spelling: library.entry(spelling)
    makers["c"] = lambda: c_function(case, folders["c"])
    makers["numpy"] = lambda: python_function(case.numpy)
    if case.numba:
        makers["numba"] = lambda: python_function(case.numba())
    if case.jax:
        makers["jax"] = lambda: jax_function(case.jax)
    found, missing = [], {}
    for name, make in makers.items():
        if wanted and name.split()[0] not in wanted:
            continue
        try:
            found.append(Version(name, make()))
        except ImportError as error:
            missing[name] = str(error)
    return found, missing


def measure(case, folders, threads, rounds, scale, wanted):
    """Runs a case; the result is a dictionary for JSON."""
    inputs = case.make(np.random.default_rng(1), scale)
    expected = case.expected(inputs)
    found, missing = versions(case, folders, threads, wanted)
    spent = {v.name: v.first(case, inputs, expected) for v in found}
    for _ in range(rounds):
        for version in found:
            if version.times and spent[version.name] + version.times[-1] > LONG:
                continue
            version.again(case, inputs)
            spent[version.name] += version.times[-1]
    return {
        "versions": {v.name: {"best": min(v.times), "runs": len(v.times), "wrong": v.wrong} for v in found},
        "missing": missing,
    }
