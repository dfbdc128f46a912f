"""Runs the benchmark suite: each kernel in Ravel beside C, NumPy, Numba and JAX, on the same inputs.

    run.py [NAME...] [--scale S] [--threads 1,2] [--rounds K] [--only ravel,c] [--ravel PATH] [--build DIR] [--output FILE]

Each kernel and number of threads runs in a process that may use only that many processors. The result is a JSON file.
`cargo xtask bench` runs this and makes a table and a plot of it.
"""

import argparse
import importlib.util
import json
import multiprocessing
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
KERNELS = os.path.join(HERE, "kernels")
# The order of the tables.
ORDER = [
    "sum_of_squares", "dot", "filter_reduce", "prefix_sum", "black_scholes", "mandelbrot", "nbody", "kmeans", "matmul",
    "batched_matmul", "matvec", "lu", "floyd_warshall", "jacobi", "stencil9", "convolution", "wavefront", "sor", "spmv",
    "segmented_sum", "histogram", "sort",
]  # fmt: skip


def cases(name):
    """The cases of a kernel."""
    path = os.path.join(KERNELS, name, f"{name}.py")
    spec = importlib.util.spec_from_file_location(f"kernel_{name}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.CASES


def limit_threads(threads):
    """Restricts this process, before any library starts threads."""
    for variable in ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"]:
        os.environ[variable] = str(threads)
    os.environ["JAX_ENABLE_X64"] = "1"
    os.environ["JAX_PLATFORMS"] = "cpu"
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])


def worker(pipe, name, index, options, threads):
    """Measures one case; sends the result."""
    limit_threads(threads)
    try:
        from harness import libraries, measure

        folder = os.path.join(KERNELS, name)
        folders = {
            "ravel": libraries.build_ravel(options.ravel, os.path.join(folder, f"{name}.rv"), options.build),
            "c": libraries.build_c(os.path.join(folder, f"{name}.c"), options.build),
        }
        wanted = options.only.split(",") if options.only else []
        case = cases(name)[index]
        pipe.send(measure.measure(case, folders, threads, options.rounds, options.scale, wanted))
    except BaseException:
        pipe.send({"failed": traceback.format_exc()})


def in_process(name, index, options, threads):
    """Runs the worker in a new process."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=worker, args=(theirs, name, index, options, threads))
    process.start()
    theirs.close()
    try:
        found = ours.recv()
    except EOFError:
        found = {"failed": "the process ended"}
    process.join()
    return found


def show(title, threads, found):
    """One line for each measured case."""
    if "failed" in found:
        print(f"{title}, {threads} threads: FAILED\n{found['failed']}", flush=True)
        return False
    parts, words = [], "1 thread" if threads == 1 else f"{threads} threads"
    for version, about in found["versions"].items():
        parts.append(f"{version} {1e3 * about['best']:.4g}" + (f" (WRONG: {about['wrong']})" if about["wrong"] else ""))
    print(f"{title}, {words}, ms: {', '.join(parts)}", flush=True)
    return not any(about["wrong"] for about in found["versions"].values())


def arguments():
    parser = argparse.ArgumentParser(description="Runs the benchmark suite.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels [default: all]")
    parser.add_argument("--scale", type=float, default=1.0, help="multiplies the work of each kernel")
    parser.add_argument("--threads", default="1,2", help="numbers of threads, separated by commas")
    parser.add_argument("--rounds", type=int, default=5, help="how often each version runs")
    parser.add_argument("--only", default="", help="versions, separated by commas: ravel, c, numpy, numba, jax")
    parser.add_argument("--ravel", default=os.environ.get("RAVEL", "ravel"), help="the compiler")
    parser.add_argument("--build", default=os.path.join(HERE, "..", "target", "bench"), help="a folder for compiled code")
    parser.add_argument("--finpar", default=os.environ.get("FINPAR_DATA"), help="the folder with the data of R0, R1 and R2")
    parser.add_argument("--output", help="the JSON file with the results")
    options = parser.parse_args()
    unknown = [name for name in options.names if name not in [*ORDER, "finpar"]]
    if unknown:
        parser.error(f"unknown kernels: {', '.join(unknown)}; known are {', '.join(ORDER)}, finpar")
    return options


def plan(options):
    """What to measure: for each row its kernel, its title, its size, and a function of the number of threads."""
    names = options.names or ORDER + ["finpar"]
    for name in (name for name in names if name != "finpar"):
        for index, case in enumerate(cases(name)):
            yield name, case.title, case.size, lambda threads: in_process(name, index, options, threads)
    if "finpar" in names and options.finpar:
        from harness import finpar

        size = "large" if options.scale == 1 else "small"
        for index, (title, *_) in enumerate(finpar.PROGRAMS):
            yield "finpar", title, size, lambda threads: finpar.measure(options, HERE, index, size, threads)


def main():
    options = arguments()
    sys.path.insert(0, HERE)
    os.makedirs(options.build, exist_ok=True)
    rows, good = [], True
    for name, title, size, measure in plan(options):
        row = {"kernel": name, "title": title, "size": size, "threads": {}}
        for threads in map(int, options.threads.split(",")):
            found = measure(threads)
            good &= show(title, threads, found)
            row["threads"][str(threads)] = found
        rows.append(row)
        if options.output:
            with open(options.output, "w") as file:
                json.dump({"scale": options.scale, "rounds": options.rounds, "rows": rows}, file, indent=1)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
