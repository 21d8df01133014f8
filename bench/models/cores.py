# SPDX-License-Identifier: Apache-2.0
"""belay run and ONNX Runtime with 1, 2, 4, ... threads on a machine with as many cores: medians in milliseconds, and how much
slower belay is with more threads than with fewer, which should be no more than 1.05 times.

usage: cores.py BELAY MODELS ORT [NAME...] [--threads 1,2,4,8,16] [--rounds N] [--seconds S]; ORT as for compare.py."""
import argparse
import pathlib
import statistics

from networks import SHAPES
from sides import Belay, Network, onnx_runtime, timed

MOST = 1.05


def medians(sides, network, counts, options):
    """For each side and number of threads the median over the rounds; all alternate."""
    rounds = [[[timed(side, network, count, 1, options.seconds)["median_ms"] for count in counts] for side in sides]
              for _ in range(options.rounds)]
    return [[statistics.median(round[side][at] for round in rounds) for at in range(len(counts))] for side in range(len(sides))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("belay")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("ort")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--threads", default="1,2,4,8,16")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=0.5)
    options = parser.parse_intermixed_args()
    counts, sides = [int(count) for count in options.threads.split(",")], (Belay(options.belay), onnx_runtime(options.ort))
    print("| network | " + " | ".join(f"{count} ms (ratio)" for count in counts) + " | worst step |")
    print("|---" * (len(counts) + 2) + "|")
    for name in options.names or SHAPES:
        ours, theirs = medians(sides, Network(options.belay, options.models, name), counts, options)
        step = max(after / min(ours[:at + 1]) for at, after in enumerate(ours[1:]))
        cells = [f"{mine:.2f} ({mine / other:.2f})" for mine, other in zip(ours, theirs)]
        print(f"| {name} | " + " | ".join(cells) + f" | {step:.2f}{' !' if step > MOST else ''} |", flush=True)


main()
