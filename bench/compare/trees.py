# SPDX-License-Identifier: Apache-2.0
"""belay compare of two dump trees against a plain read of the same files and a straightforward numpy script.

trees.py BELAY FOLDER [MIB]: the trees are made in FOLDER, MIB (default 512) each; the page cache is warm.
"""
import concurrent.futures
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

import numpy as np

GOLDEN = pathlib.Path(__file__).resolve().parent.parent.parent / "tests" / "golden"
sys.path.insert(0, str(GOLDEN))
from compare_table import table  # noqa: E402
from write_dump import dump, entry  # noqa: E402

ROUNDS = 5
KINDS = {  # what differs, of float32 unless named
    "equal": lambda x: x,
    "different": lambda x: x * np.float32(1 + 1e-6),
    "different after a relu (finite divergence)": lambda x: np.maximum(x, 0) * np.float32(1 + 1e-6),
    "different, float16": lambda x: (x.astype(np.float16) * np.float16(1.002)),
}


def make(folder, kind, change, mib):
    """Tensors of 16 KiB to 64 MiB, as networks have them."""
    shutil.rmtree(folder, ignore_errors=True)
    for side in "ab":
        (folder / side).mkdir(parents=True)
    random = np.random.default_rng(0)
    left, number, sizes = mib << 20, 0, [64 << 20, 16 << 20, 1 << 20, 1 << 18, 1 << 14]
    while left > 0:
        size = min(sizes[number % len(sizes)], max(left, 1 << 14))
        truth = random.standard_normal(size // 4, dtype=np.float32)
        ours = change(truth)
        truth = np.maximum(truth, 0) if "relu" in kind else truth.astype(ours.dtype)
        for side, value in (("a", ours), ("b", truth)):
            name = f"op{number}"
            (folder / side / f"Add.{name}.{number}.0.{1700000000000000 + number}").write_bytes(dump(name, outputs=[entry(value, False)]))
        left -= ours.nbytes
        number += 1


def files(folder, side):
    return sorted(folder.joinpath(side).iterdir(), key=lambda path: int(path.name.rsplit(".", 1)[1]))


def read_all(paths):
    buffer = bytearray(1 << 20)
    total = 0
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while count := file.readinto(buffer):
                total += count
    return total


def plain_read(folder):
    """Every byte of both trees into a buffer, on as many threads as there are cores; seconds, of the processors too, and bytes."""
    paths = files(folder, "a") + files(folder, "b")
    threads = os.cpu_count()
    with concurrent.futures.ThreadPoolExecutor(threads) as pool:
        begin, processors = time.perf_counter(), time.process_time()
        total = sum(pool.map(read_all, [paths[i::threads] for i in range(threads)]))
        return time.perf_counter() - begin, time.process_time() - processors, total


# A child's most memory counts from its parent's at the fork: a small parent is needed.
SMALL_PARENT = """
import resource, subprocess, sys, time
begin = time.perf_counter()
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN)
assert code in (0, 1), code
print(time.perf_counter() - begin, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""


def with_belay(belay, folder):
    """Seconds, those of the processors, and the most memory, in MiB."""
    command = [sys.executable, "-c", SMALL_PARENT, belay, "compare", folder / "a", folder / "b", "--csv", folder / "out.csv"]
    return map(float, subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split())


def with_numpy(folder, dtype):
    begin = time.perf_counter()
    for ours, truth in zip(files(folder, "a"), files(folder, "b")):
        sides = []
        for path in (ours, truth):
            header = int.from_bytes(path.open("rb").read(8), "little")
            sides.append(np.fromfile(path, dtype, offset=8 + header))
        table(*sides)
    return time.perf_counter() - begin


def main():
    belay, folder, mib = sys.argv[1], pathlib.Path(sys.argv[2]), int((sys.argv[3:] or ["512"])[0])
    for kind, change in KINDS.items():
        make(folder, kind, change, mib)
        dtype = np.float16 if "float16" in kind else np.float32
        read, compared, ratios, work, memory = [], [], [], [], 0
        for _ in range(ROUNDS):
            reading, reading_work, total = plain_read(folder)
            comparing, comparing_work, peak = with_belay(belay, folder)
            read.append(reading)
            compared.append(comparing)
            ratios.append(reading / comparing)
            work.append(reading_work / comparing_work)
            memory = max(memory, peak)
        ratio = statistics.median(ratios)
        script = with_numpy(folder, dtype)
        print(f"  {ratio:6.2f}  throughput of compare / of a plain read, {kind}: "
              f"{total / min(compared) / 1e9:.1f} and {total / min(read) / 1e9:.1f} GB/s  >= 0.5")  # fmt: skip
        print(f"  {statistics.median(work):6.2f}  the same by the processors' time, for a machine that others use")
        print(f"  {script / min(compared):6.1f}  time of a numpy script / of compare, {kind}: {script:.2f} and {min(compared):.3f} s  >= 20")
        print(f"  {memory:6.1f}  MiB resident at most, {kind}  < 256", flush=True)
    shutil.rmtree(folder)
    print(f"medians of {ROUNDS}; reading and comparing alternate; two trees of {mib} MiB each; the numpy script runs once")


main()
