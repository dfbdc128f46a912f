"""Functions of compiled libraries, as Python functions of NumPy arrays: C by a convention, Ravel by its manifest."""

import ctypes
import json
import os
import subprocess

import numpy as np

from .case import Jagged

ELEMENTS = {
    "bool": (ctypes.c_bool, np.bool_),
    "i8": (ctypes.c_int8, np.int8),
    "u8": (ctypes.c_uint8, np.uint8),
    "i16": (ctypes.c_int16, np.int16),
    "i32": (ctypes.c_int32, np.int32),
    "i64": (ctypes.c_int64, np.int64),
    "f32": (ctypes.c_float, np.float32),
    "f64": (ctypes.c_double, np.float64),
}
SCALARS = {np.dtype(dtype): ctype for ctype, dtype in ELEMENTS.values()}


def run(command):
    """Runs a command; its messages are shown if it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def newer(target, sources):
    """Whether a file exists and is newer than these."""
    return os.path.exists(target) and all(os.path.getmtime(target) > os.path.getmtime(s) for s in sources)


def build_c(source, folder):
    """Compiles hand-written C; returns the library."""
    name = os.path.splitext(os.path.basename(source))[0]
    target = os.path.join(folder, f"lib{name}_c.so")
    header = os.path.join(os.path.dirname(source), "..", "vector.h")
    if not newer(target, [source, header, __file__]):
        flags = ["-std=gnu11", "-O3", "-march=native", "-mprefer-vector-width=512", "-ffast-math"]
        flags += ["-fopenmp", "-fPIC", "-shared", "-Wall", "-Wextra"]
        run([os.environ.get("CC", "cc"), *flags, source, "-o", target, "-lm"])
    return target


def build_ravel(ravel, source, folder):
    """Compiles a Ravel program to a library; returns its folder."""
    name = os.path.splitext(os.path.basename(source))[0]
    target = os.path.join(folder, f"{name}_ravel")
    if not newer(os.path.join(target, "manifest.json"), [source, ravel]):
        run([ravel, "build", "--lib", source, "-o", target])
    return target


def pointer(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def c_parts(value):
    """An argument for C: what to pass, and the memory that must live."""
    if isinstance(value, Jagged):
        return [pointer(value.offsets), pointer(value.data)]
    if isinstance(value, np.ndarray):
        return [pointer(value)]
    if isinstance(value, np.generic):
        return [SCALARS[value.dtype](value.item())]
    return [ctypes.c_int64(value)]


def c_function(case, library):
    """The version in C. Its results have memory of their own, which every call uses again."""
    function = getattr(ctypes.CDLL(library), case.c)
    function.restype = None
    memory = {}

    def prepare(inputs):
        given = case.overwritten
        if given:
            outputs = [inputs[i] for i in given]
        else:
            outputs = memory.setdefault("outputs", case.outputs(*inputs))
        arguments = [part for x in inputs for part in c_parts(x)]
        if not given:
            arguments += [pointer(x) for x in outputs]
        arguments += [ctypes.c_int64(d) for d in case.dims(*inputs)]

        def call():
            function(*arguments)
            return outputs

        return call

    return prepare


class RavelLibrary:
    """A library that `ravel build --lib` made, and a context with a number of threads."""

    def __init__(self, folder, threads):
        with open(os.path.join(folder, "manifest.json")) as file:
            self.manifest = json.load(file)
        self.name = self.manifest["name"]
        self.library = ctypes.CDLL(os.path.abspath(os.path.join(folder, self.manifest["library"])))
        self.context = ctypes.c_void_p(self.symbol("context_new", ctypes.c_void_p)(ctypes.c_int(threads), ctypes.c_int64(0)))
        self.arrays = {a["name"]: a for a in self.manifest["arrays"]}

    def symbol(self, name, result, prefix=None):
        function = getattr(self.library, f"{prefix or self.name}_{name}")
        function.restype = result
        return function

    def wrap(self, kind, value):
        """An array object in memory of Python: nothing is copied."""
        if isinstance(value, Jagged):
            rows = ctypes.c_int64(len(value.offsets) - 1)
            parts = [pointer(value.data), rows, pointer(value.offsets)]
        else:
            parts = [pointer(value), *(ctypes.c_int64(n) for n in value.shape)]
        made = self.symbol("wrap", ctypes.c_void_p, kind)(self.context, *parts)
        if not made:
            self.fail()
        return ctypes.c_void_p(made)

    def fail(self):
        raise RuntimeError(self.symbol("context_error", ctypes.c_char_p)(self.context).decode())

    def free(self, kind, array):
        self.symbol("free", None, kind)(self.context, array)

    def entry(self, name):
        """An entry point as a version: prepare(inputs) gives a function that calls it."""
        found = next(e for e in self.manifest["entries"] if e["name"] == name)
        function = getattr(self.library, found["function"])
        function.restype = ctypes.c_int
        params = [part for param in found["params"] for part in param]
        outs = [part for result in found["results"] for part in result]

        def prepare(inputs):
            return Call(self, function, params, outs, inputs)

        return prepare


class Call:
    """A call of an entry point with given arguments. Calling it runs the function and nothing else; `results` copies the
    results and frees them."""

    def __init__(self, library, function, params, outs, inputs):
        self.library, self.function, self.outs, self.inputs = library, function, outs, inputs
        self.wrapped = []
        arguments = [self.argument(param, x) for param, x in zip(params, inputs, strict=True)]
        self.cells = [ctypes.c_void_p() if o["array"] else ELEMENTS[o["element"]][0]() for o in outs]
        self.arguments = [library.context, *arguments, *(ctypes.byref(cell) for cell in self.cells)]

    def argument(self, param, value):
        if not param["array"]:
            return ELEMENTS[param["element"]][0](value.item() if isinstance(value, np.generic) else value)
        made = self.library.wrap(param["array"], value)
        self.wrapped.append((param["array"], made))
        return made

    def __call__(self):
        if self.function(*self.arguments) != 0:
            self.library.fail()
        return self

    def results(self):
        return [self.result(out, cell) for out, cell in zip(self.outs, self.cells)]

    def result(self, out, cell):
        kind = out["array"]
        if not kind:
            return np.asarray(cell.value, dtype=ELEMENTS[out["element"]][1])
        rank = len(self.library.arrays[kind]["dimensions"])
        shape = self.library.symbol("shape", ctypes.POINTER(ctypes.c_int64), kind)(cell)[:rank]
        ctype, dtype = ELEMENTS[out["element"]]
        data = self.library.symbol("data", ctypes.POINTER(ctype), kind)(cell)
        return np.ctypeslib.as_array(data, shape=tuple(shape)).astype(dtype, copy=True)

    def free(self):
        for out, cell in zip(self.outs, self.cells):
            if out["array"] and cell:
                self.library.free(out["array"], cell)
        for kind, made in self.wrapped:
            self.library.free(kind, made)
