# SPDX-License-Identifier: Apache-2.0
"""belay run with more threads than there are cores against as many as there are, alternating: the ratio of medians over the rounds
for each network, and the spread of the rounds' own. It should not be above 1.1.

usage: more_threads.py BELAY MODELS [NAME...] [--many N] [--rounds N] [--seconds S]; MODELS is what networks.py wrote."""
import argparse
import os
import pathlib
import statistics

from networks import SHAPES
from sides import Belay, Network, timed

MOST = 1.1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("belay")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--many", type=int, default=8 * os.cpu_count(), help="threads (default: eight for each core)")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=1)
    options = parser.parse_intermixed_args()
    side, few = Belay(options.belay), os.cpu_count()
    for name in options.names or SHAPES:
        network = Network(options.belay, options.models, name)
        ratios = []
        for _ in range(options.rounds):
            some, many = (timed(side, network, threads, 1, options.seconds)["median_ms"] for threads in (few, options.many))
            ratios.append(many / some)
        ratio = statistics.median(ratios)
        print(f"{name:<16} {options.many} / {few} threads: {ratio:.2f}  ({min(ratios):.2f}..{max(ratios):.2f})"
              f"{f'  above {MOST}' if ratio > MOST else ''}", flush=True)


main()
