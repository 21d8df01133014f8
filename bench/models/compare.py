# SPDX-License-Identifier: Apache-2.0
"""belay run against ONNX Runtime on the same networks, inputs and threads, alternating: ratios of medians, below 1 where
belay takes less. Once on the machine as it is and once beside busy neighbours: processes that only spin, during the runs of
both sides. Belay runs an .om, as a user would; the atc beside BELAY makes it from the .onnx.

A ratio of times is the median over the rounds; the spread is that of the rounds' own ratios. Loading is the .om's against
ONNX Runtime's making of a session: with packed weights in the cache, and the first time, when the cache is empty. The peak of memory is the whole process's, ONNX Runtime's with node's own.
"""
import argparse
import os
import pathlib
import statistics
import sys
import tempfile

from busy import Busy
from networks import SHAPES
from sides import Belay, Network, Refused, apart, onnx_runtime, timed

TARGETS = {"resnet50": 0.85}
LOAD_TARGET = 0.25
WARMUP = 2
COLUMNS = ("network", "threads", "belay ms", "ort ms", "quiet", "spread", "busy", "spread", "target", "load ms", "load", "first", "peak MiB",
           "peak", "apart", "missed")


def alternate(sides, network, threads, options):
    """For each round what both sides gave."""
    return [[timed(side, network, threads, WARMUP, options.seconds) for side in sides] for _ in range(options.rounds)]


def first_loads(sides, network, threads, options):
    """For each round what both sides gave when belay's cache was empty."""
    rounds = []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as cache:
            rounds.append([timed(side, network, threads, 0, 0.001, variables={"XDG_CACHE_HOME": cache}) for side in sides])
    return rounds


def ratios(runs, key):
    return [ours[key] / theirs[key] for ours, theirs in runs]


def middle(runs, key):
    return [statistics.median(run[side][key] for run in runs) for side in (0, 1)]


def missed(name, row):
    """The targets that a row misses, in words."""
    target = TARGETS.get(name, 1.0)
    times = [f"{when} {row[when]:.2f} > {target:.2f}" for when in ("quiet", "busy") if row.get(when, 0) > target]
    loads = [f"{which} {row[which]:.2f} > {LOAD_TARGET:.2f}" for which in ("load", "first load") if row[which] > LOAD_TARGET]
    return times + loads


def spread(values):
    return f"{min(values):.2f}..{max(values):.2f}"


def compare(sides, network, name, threads, options):
    """The cells of a row, and what it misses."""
    error = apart(sides, network, threads)
    quiet = alternate(sides, network, threads, options)
    row = {"quiet": statistics.median(ratios(quiet, "median_ms"))}
    busy_cells = ["", ""]
    if options.busy:
        with Busy(options.busy):
            busy = ratios(alternate(sides, network, threads, options), "median_ms")
        row["busy"] = statistics.median(busy)
        busy_cells = [f"{row['busy']:.2f}", spread(busy)]
    time, load, peak = (middle(quiet, key) for key in ("median_ms", "load_ms", "peak_mib"))
    row["load"] = statistics.median(ratios(quiet, "load_ms"))
    row["first load"] = statistics.median(ratios(first_loads(sides, network, threads, options), "load_ms"))
    misses = missed(name, row)
    return [name, str(threads), f"{time[0]:.2f}", f"{time[1]:.2f}", f"{row['quiet']:.2f}", spread(ratios(quiet, "median_ms")),
            *busy_cells, f"{TARGETS.get(name, 1.0):.2f}", f"{load[0]:.0f}", f"{row['load']:.2f}",
            f"{row['first load']:.2f}", f"{peak[0]:.0f}",
            f"{peak[0] / peak[1]:.2f}", f"{error:.0e}", ", ".join(misses)], misses


def show(cells, markdown):
    if markdown:
        print("| " + " | ".join(cells) + " |", flush=True)
        return
    widths = (15, 7, 9, 9, 6, 11, 6, 11, 6, 8, 5, 5, 8, 5, 6, 0)
    print("  ".join(f"{cell:<{width}}" if i in (0, len(widths) - 1) else f"{cell:>{width}}"
                    for i, (cell, width) in enumerate(zip(cells, widths))).rstrip(), flush=True)


def parse():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("belay", help="the tool; atc lies beside it")
    parser.add_argument("models", type=pathlib.Path, help="what networks.py wrote")
    parser.add_argument("ort", help="holds node_modules/onnxruntime-node; or python: its module of that name")
    parser.add_argument("names", nargs="*", metavar="NAME", help="networks (default: all)")
    parser.add_argument("--threads", default="1,2", help="numbers of threads (default: 1,2)")
    parser.add_argument("--busy", type=int, default=os.cpu_count(), metavar="N",
                        help="spinning processes of the busy runs; 0: no busy runs (default: one per core)")
    parser.add_argument("--rounds", type=int, default=5, help="how often the sides alternate (default: 5)")
    parser.add_argument("--seconds", type=float, default=2, help="of runs per side and round, about (default: 2)")
    parser.add_argument("--markdown", action="store_true", help="print a table for a page")
    return parser.parse_intermixed_args()


def main():
    options = parse()
    if unknown := [name for name in options.names if name not in SHAPES]:
        sys.exit(f"compare.py: there is no {unknown[0]}; there are: {', '.join(SHAPES)}")
    sides, late = (Belay(options.belay), onnx_runtime(options.ort)), []
    show(COLUMNS, options.markdown)
    if options.markdown:
        print("|" + "---|" * len(COLUMNS))
    for name in options.names or SHAPES:
        for threads in map(int, options.threads.split(",")):
            try:
                network = Network(options.belay, options.models, name)
                cells, misses = compare(sides, network, name, threads, options)
            except Refused as why:
                cells, misses = [name, str(threads)] + [""] * (len(COLUMNS) - 3) + [f"refused: {why}"], [f"refused: {why}"]
            show(cells, options.markdown)
            late += [f"{name}, {threads} thread{'' if threads == 1 else 's'}: {', '.join(misses)}"] if misses else []
    print(f"\n{len(late)} row{'' if len(late) == 1 else 's'} missed a target" + (":" if late else "."))
    for line in late:
        print(f"- {line}")


main()
