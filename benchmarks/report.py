"""Writes a page with tables and a plot from the results of run.py.

    report.py RESULTS.json PAGE.md PLOT.svg --commit C --date D --machine M
"""

import argparse
import json
import math
import os
from xml.sax.saxutils import escape

COLUMNS = [("ravel", "Ravel"), ("c", "C + OpenMP"), ("numpy", "NumPy"), ("numba", "Numba"), ("jax", "JAX")]
COLOURS = {"ravel": "#c2410c", "numpy": "#2563eb", "numba": "#16a34a", "jax": "#9333ea"}


def best(row, threads, version):
    """The least time in milliseconds, or None."""
    about = row["threads"].get(threads, {}).get("versions", {}).get(version)
    return None if about is None or about["wrong"] else 1e3 * about["best"]


def number(x):
    """Three digits, as tables need."""
    if x is None:
        return ""
    return f"{x:.0f}" if x >= 100 else f"{x:.1f}" if x >= 10 else f"{x:.2f}"


def ratio(row, threads):
    """The speed of Ravel relative to C: 1 is as fast, 0.5 half as fast."""
    ravel, c = best(row, threads, "ravel"), best(row, threads, "c")
    return c / ravel if ravel and c else None


def on_threads(threads):
    return "1 thread" if threads == "1" else f"{threads} threads"


def label(row):
    return f"{row['title']}, {row['size']}"


def table(rows, threads):
    """Times of all versions on a number of threads."""
    lines = ["| kernel | " + " | ".join(name for _, name in COLUMNS) + " | speed against C |"]
    lines.append("|---|" + "---:|" * (len(COLUMNS) + 1))
    for row in rows:
        cells = [number(best(row, threads, version)) for version, _ in COLUMNS]
        lines.append(f"| {label(row)} | {' | '.join(cells)} | {number(ratio(row, threads))} |")
    return "\n".join(lines)


def spellings(rows, threads):
    """Times of the other ways to write a kernel."""
    lines = ["| kernel | way to write it | ms | against the main way |", "|---|---|---:|---:|"]
    for row in rows:
        main = best(row, threads, "ravel")
        for version in row["threads"].get(threads, {}).get("versions", {}):
            time = best(row, threads, version)
            if version.startswith("ravel ") and time and main:
                lines.append(f"| {label(row)} | {version[6:]} | {number(time)} | {time / main:.2f} |")
    return "\n".join(lines)


def mean_ratio(rows, threads):
    """The geometric mean of the speeds against C."""
    known = [r for r in (ratio(row, threads) for row in rows) if r]
    return math.exp(sum(map(math.log, known)) / len(known)) if known else None


def plot(rows, threads):
    """Speeds relative to C on a logarithmic scale, a line for each kernel."""
    left, width, height, top = 300, 520, 22, 50
    low, high = -2.0, 0.5
    x = lambda speed: left + width * (min(max(math.log10(speed), low), high) - low) / (high - low)
    bottom = top + height * len(rows)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{bottom + 30}" '
        'font-family="sans-serif" font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{left}" y="16">Speed relative to C with OpenMP, {on_threads(threads)} (further right is faster)</text>',
    ]
    for speed in [0.01, 0.03, 0.1, 0.3, 1, 3]:
        colour = "#111" if speed == 1 else "#ccc"
        out.append(f'<line x1="{x(speed):.1f}" x2="{x(speed):.1f}" y1="{top - 6}" y2="{bottom}" stroke="{colour}"/>')
        out.append(f'<text x="{x(speed):.1f}" y="{bottom + 16}" text-anchor="middle">{speed:g}</text>')
    for at, (version, colour) in enumerate(COLOURS.items()):
        place = left + 110 * at
        out.append(f'<circle cx="{place}" cy="32" r="5" fill="{colour}"/>')
        out.append(f'<text x="{place + 10}" y="36">{dict(COLUMNS)[version]}</text>')
    for index, row in enumerate(rows):
        y = top + height * index + height / 2
        out.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{escape(label(row))}</text>')
        c = best(row, threads, "c")
        for version, colour in reversed(COLOURS.items()):
            time = best(row, threads, version)
            if c and time:
                out.append(f'<circle cx="{x(c / time):.1f}" cy="{y:.1f}" r="5" fill="{colour}" fill-opacity="0.8"/>')
    out.append("</svg>\n")
    return "\n".join(out)


def page(results, options):
    rows = results["rows"]
    counts = sorted({threads for row in rows for threads in row["threads"]}, key=int)
    scale = "" if results["scale"] == 1 else f" The work is scaled by {results['scale']:g}: only for trying things out."
    parts = [
        "# Performance",
        "",
        "`cargo xtask bench` writes this page. [benchmarks/](../benchmarks/README.md) has the programs and says how they are",
        "measured.",
        "",
        f"Commit {options.commit}, {options.date}. {options.machine}. Milliseconds, best of {results['rounds']} interleaved",
        f"runs on the same inputs in memory; all results were compared.{scale}",
        "",
        f"![Speed relative to C]({os.path.basename(options.plot)})",
    ]
    for threads in reversed(counts):
        mean = mean_ratio(rows, threads)
        parts += ["", f"## {on_threads(threads)}", "", table(rows, threads)]
        if mean:
            parts += ["", f"Geometric mean of Ravel's speed against C: {mean:.2f}."]
    if counts:
        parts += ["", f"## Other ways to write it, {on_threads(counts[-1])}", "", spellings(rows, counts[-1])]
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description="Writes a page and a plot from benchmark results.")
    for name in ["results", "page", "plot"]:
        parser.add_argument(name)
    for name in ["--commit", "--date", "--machine"]:
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    with open(options.results) as file:
        results = json.load(file)
    counts = sorted({threads for row in results["rows"] for threads in row["threads"]}, key=int)
    with open(options.plot, "w") as file:
        file.write(plot(results["rows"], counts[-1]))
    with open(options.page, "w") as file:
        file.write(page(results, options))


if __name__ == "__main__":
    main()
