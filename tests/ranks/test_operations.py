# SPDX-License-Identifier: Apache-2.0
"""Every operation as threads, processes and both, however the communicator was made, against numpy.

Usage: test_operations.py BELAY LIBRARY EXAMPLE [--all] [--mpi PROGRAM]; without --all a few forms of each kind. EXAMPLE is
examples/ranks.cpp, PROGRAM the same with MPI."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import places

RANKS = str(pathlib.Path(__file__).with_name("numpy_ranks.py"))
# (processes, ranks in each, how the communicator is made)
FEW = [(1, 1, "token"), (1, 3, "token"), (1, 4, "table"), (2, 1, "token"), (3, 1, "table"), (3, 1, "sub"), (2, 2, "token")]
ALL = [(processes, threads, how) for how in ("token", "table", "sub") for size in (1, 2, 3, 5, 8) for processes, threads in ((1, size), (size, 1))
       if how != "sub" or size > 1] + [(2, 4, how) for how in ("token", "table", "sub")]


def run(command, **variables):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **variables})
    return done.returncode, done.stdout + done.stderr


def check(name, code, output, lines):
    counts = [int(found) for found in re.findall(r"(\d+) results are numpy's", output)]
    good = code == 0 and len(counts) == lines and len(set(counts)) <= 1
    print(f"{name}: {counts[0] if good else 'WRONG'}{' results on each rank' if good else ''}", flush=True)
    if not good:
        print(output[-4000:])
    return good


def numpy_form(options, processes, threads, how):
    with tempfile.TemporaryDirectory() as folder:
        rank = [sys.executable, "-B", RANKS, options.library, folder, how]
        command = rank if processes == 1 else [options.belay, "launch", "-n", str(processes), "--", *rank]
        code, output = run(command, THREADS=str(threads), OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1")
    size = processes * threads - (how == "sub")
    return check(f"{processes} processes of {threads} ranks, {how}", code, output, size)


def two_hosts(options, threads):
    name = f"two network namespaces, {threads} ranks in each"
    if places.no_networks():
        print(f"{name}: skipped: {places.no_networks()}")
        return True
    with places.Networks("numpy") as networks, tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-B", RANKS, options.library, folder, "token"]
        started = [subprocess.Popen(networks.inside(process, command), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                    env={**os.environ, "RANK": str(process), "WORLD_SIZE": "2", "THREADS": str(threads)}) for process in (0, 1)]
        outputs = [process.communicate()[0] for process in started]
    return check(name, max(abs(process.returncode) for process in started), "".join(outputs), 2 * threads)


def same_bits(options):
    """One fp32 AllReduce over 5 ranks: the hash of its bits in every form."""
    forms = {"threads": [options.example, "threads", "5"]}
    with tempfile.TemporaryDirectory() as folder:
        forms["processes"] = [options.belay, "launch", "-n", "5", "--", options.example, folder + "/token"]
        if options.mpi and shutil.which("mpirun"):
            forms["mpirun"] = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "5", options.mpi, "mpi"]
        else:
            print("mpirun: skipped: Open MPI is not installed (openmpi-bin, libopenmpi-dev)")
        seen = {}
        for form, command in forms.items():
            code, output = run(command)
            seen[form] = re.findall(r"rank \d of 5: sum\[999\] = \S+ bits (\w+)", output)
            print(f"{form}: {len(seen[form])} ranks, bits {', '.join(sorted(set(seen[form])))}", flush=True)
            if code or len(seen[form]) != 5:
                print(output)
                return False
    return len({bits for form in seen.values() for bits in form}) == 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("belay")
    parser.add_argument("library")
    parser.add_argument("example")
    parser.add_argument("--mpi")
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    results = [numpy_form(options, *form) for form in (ALL if options.all else FEW)]
    results += [two_hosts(options, 2 if options.all else 1), same_bits(options)]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
