# SPDX-License-Identifier: Apache-2.0
"""What more cores would give, as a model and not as a measurement: each operator's time on one thread, divided by the cores or by
the pieces that its loop has with so many, whichever are fewer, plus a hand-over for each loop. What runs outside of kernels and
operators that open no loop stay as they are. The traffic to memory is taken to grow with the cores, which on one socket it
does not: networks that read more than they compute stay below these figures.

usage: scaling.py BELAY MODELS [NAME...] [--cores N...] [--repeat N]; MODELS is what networks.py wrote."""
import argparse
import json
import os
import pathlib
import subprocess

from networks import SHAPES
from sides import Network

HAND_OVER_MS = 0.005  # to a thread that is awake; docs/threads.md


def profile(belay, network, cores, repeat):
    """The operators of one run, in the order in which they ran; loops are cut as for a machine with so many cores."""
    command = [belay, "run", str(network.om), f"--shape=input:{network.dims}", f"--input={network.input}", f"--threads={cores}",
               "--warmup=2", f"--repeat={repeat}", "--profile", "--json"]
    done = subprocess.run(command, env={**os.environ, "BELAY_CORES": str(cores)}, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)["profile"]


def modelled(alone, shared, cores):
    total = alone["ms"] - alone["kernels_ms"]
    for one, many in zip(alone["operators"], shared["operators"]):
        loops = many["loops"]
        ways = min(cores, many["pieces"] / loops) if loops else 1
        total += one["ms"] / ways + loops * HAND_OVER_MS
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("belay")
    parser.add_argument("models", type=pathlib.Path)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--cores", type=int, nargs="+", default=[2, 4, 16, 64])
    parser.add_argument("--repeat", type=int, default=10)
    options = parser.parse_intermixed_args()
    print(f"{'network':<16} {'ms on one':>9}  {'loops':>5} {'pieces':>6} {'MB':>6}   times faster on " +
          ", ".join(map(str, options.cores)))
    for name in options.names or SHAPES:
        network = Network(options.belay, options.models, name)
        alone = profile(options.belay, network, 1, options.repeat)
        gains = []
        for cores in options.cores:
            shared = profile(options.belay, network, cores, 1)
            gains.append(alone["ms"] / modelled(alone, shared, cores))
        print(f"{name:<16} {alone['ms']:9.2f}  {shared['loops']:5.0f} {shared['pieces']:6.0f} {shared['bytes'] / 1e6:6.1f}   " +
              ", ".join(f"{gain:.1f}" for gain in gains), flush=True)


main()
