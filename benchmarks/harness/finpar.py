"""The three programs of the FinPar collection (R0, R1 and R2 of the L0 thesis), if its data is at hand.

They run as executables, which report the time of the entry point alone.
"""

import os
import re
import subprocess

from .libraries import newer, run

# Title, program, folder of the data, tolerance. The reference of R0 adds 131,072 payoffs in single precision.
PROGRAMS = [
    ("option pricing R0 f32", "option_pricing", "OptionPricing", 2e-3),
    ("volatility calibration R1 f64", "local_volatility", "LocVolCalib", 1e-3),
    ("interest calibration R2 f64", "interest", "InterestCalib", 1e-3),
]


def numbers(path):
    """All numbers of a file of values."""
    with open(path) as file:
        text = re.sub(r"--.*", "", file.read())
    return [float(word) for word in re.findall(r"-?\d[\d.]*(?:e[-+]?\d+)?(?=[fi\s,\]]|$)", re.sub(r"[fi](32|64)", " ", text))]


def difference(program, found, expected, tolerance):
    """What is wrong with some results, or None. The best parameters of R2 are not unique, so its likelihood counts, which is
    the sixth number and may be better."""
    if program == "interest":
        return None if found[5] >= expected[5] - tolerance * abs(expected[5]) else f"likelihood {found[5]}, not {expected[5]}"
    if len(found) != len(expected):
        return f"{len(found)} numbers, not {len(expected)}"
    off = max(abs(x - y) / max(abs(y), 1e-30) for x, y in zip(found, expected))
    return None if off <= tolerance else f"differs by {off:.2g}"


def measure(options, here, index, size, threads):
    """Runs one of the programs; the result is that of measure.measure."""
    _, program, folder, tolerance = PROGRAMS[index]
    source = os.path.join(here, "finpar", f"{program}.rv")
    target = os.path.join(options.build, program)
    if not newer(target, [source, options.ravel]):
        run([options.ravel, "build", "--entry", "main", source, "-o", target])
    data = os.path.join(options.finpar, folder, size)
    times, out = target + ".times", target + ".out"
    command = [target, "--entry", "main", "--threads", str(threads), "--runs", str(options.rounds), "--times", times]
    with open(data + ".in") as file, open(out, "w") as results:
        subprocess.run(command, stdin=file, stdout=results, check=True)
    wrong = difference(program, numbers(out), numbers(data + ".out"), tolerance)
    with open(times) as file:
        microseconds = [float(line) for line in file]
    about = {"best": 1e-6 * min(microseconds), "runs": len(microseconds), "wrong": wrong}
    return {"versions": {"ravel": about}, "missing": {}}
