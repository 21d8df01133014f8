# SPDX-License-Identifier: Apache-2.0
"""Small aclnn calls from four processes at once against one alone: together.py BENCH_SMALL_CALLS.

What four need at the least is four times the processor time of one, shared by the cores. Alternating, medians of 5.
"""
import os
import statistics
import subprocess
import sys

PROCESSES, ROUNDS = 4, 5
CALLS = {"waited": 8000, "queued": 16000, "grown": 4000}


def together(program, how, count):
    running = [subprocess.Popen([program, how, str(CALLS[how])], stdout=subprocess.PIPE, text=True) for _ in range(count)]
    results = [tuple(map(float, process.communicate()[0].split())) for process in running]
    if any(process.returncode for process in running):
        sys.exit(f"{program} {how} failed")
    return max(wall for wall, _ in results), statistics.mean(processor for _, processor in results)


def main():
    cores = len(os.sched_getaffinity(0))
    print(f"{'':8} {'alone':>22} {'four at once':>22}   of what {cores} cores allow   processor time")
    for how in CALLS:
        rounds = [(together(sys.argv[1], how, 1), together(sys.argv[1], how, PROCESSES)) for _ in range(ROUNDS)]
        one, one_used, four, four_used = (statistics.median(r[i][j] for r in rounds) for i in (0, 1) for j in (0, 1))
        least = max(one, PROCESSES * one_used / cores)
        print(f"{how:8} {one / 1e3:8.1f} us, {one_used / 1e3:6.1f} cpu {four / 1e3:9.1f} us, {four_used / 1e3:6.1f} cpu"
              f"   {four / least:9.2f} x {'':9} {four_used / one_used:7.2f} x", flush=True)


main()
