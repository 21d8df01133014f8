# SPDX-License-Identifier: Apache-2.0
"""A dumping program ends at random moments, in every way that there is: no file with a final name is short, and where
anything can be done about it none is missing of the executions that had returned.

Usage: dump_endings.py DYING TIMES [SEED [ENDING...]]. Prints a table: how often, executions that had returned, files that
were found, short ones, missing ones, temporary ones left."""
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile

import numpy as np
from dump_support import F, helper, model

OPERATORS = 24
ELEMENTS = 2048
# How the process ends: what brings it about, whether files must be complete, its exit code or (negative) signal.
ENDINGS = {
    "exit": ("exit", True, 7),
    "return from main": ("return", True, 7),
    "quick_exit": ("quick_exit", True, 7),
    "abort": ("abort", True, -signal.SIGABRT),
    "SIGSEGV": ("segv", True, -signal.SIGSEGV),
    "SIGSEGV, stack overflow": ("overflow", True, -signal.SIGSEGV),
    "SIGBUS": ("bus", True, -signal.SIGBUS),
    "SIGFPE": ("fpe", True, -signal.SIGFPE),
    "SIGILL": ("ill", True, -signal.SIGILL),
    "SIGTERM sent": (signal.SIGTERM, True, -signal.SIGTERM),
    "SIGINT sent": (signal.SIGINT, True, -signal.SIGINT),
    "SIGABRT sent": (signal.SIGABRT, True, -signal.SIGABRT),
    "SIGSEGV sent": (signal.SIGSEGV, True, -signal.SIGSEGV),
    "SIGKILL": (signal.SIGKILL, False, -signal.SIGKILL),
    "_exit": ("_exit", False, 7),
}


def network():
    nodes = [helper.make_node("Neg", ["x" if i == 0 else f"v{i - 1}"], [f"v{i}"], f"neg{i}") for i in range(OPERATORS)]
    return model(nodes, [("x", F, [ELEMENTS])], [(f"v{OPERATORS - 1}", F, [ELEMENTS])])


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def is_whole(path):
    """By the format's own lengths: u64 header length, header (protobuf), the tensors that the header's sizes tell of."""
    data = path.read_bytes()
    if len(data) < 8:
        return False
    (length,) = struct.unpack_from("<Q", data)
    if len(data) < 8 + length:
        return False
    header, at, tensors = data[8 : 8 + length], 0, 0
    while at < len(header):
        key, at = varint(header, at)
        if key & 7 == 0:
            _, at = varint(header, at)
            continue
        size, at = varint(header, at)
        field, message, at = key >> 3, header[at : at + size], at + size
        inner = 0
        while field in (3, 4) and inner < len(message):  # output: size is its field 6; input: 5
            key, inner = varint(message, inner)
            value, inner = varint(message, inner)
            if key & 7 == 2:
                inner += value
            elif key >> 3 == (6 if field == 3 else 5):
                tensors += value
    return tensors > 0 and len(data) == 8 + length + tensors


class Bench:
    def __init__(self, dying, work):
        self.dying, self.work = dying, pathlib.Path(work)
        (self.work / "net.onnx").write_bytes(network())
        self.dumps = self.work / "d"
        self.dumps.mkdir()
        (self.work / "acl.json").write_text('{"dump":{"dump_path":"%s","dump_list":[{}]}}' % self.dumps)

    def run(self, how, delay, handlers, environment):
        """One process. Its exit code, the executions that had returned, whether its own handler ran."""
        counts = self.work / "count"
        counts.unlink(missing_ok=True)
        ending = how if isinstance(how, str) else "wait"
        command = [self.dying, self.work / "acl.json", self.work / "net.onnx", counts, ending, str(delay)]
        process = subprocess.Popen(command + ["handlers"] * handlers, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   cwd=self.work, env={"BELAY_NUM_THREADS": "1", "ASCEND_GLOBAL_LOG_LEVEL": "4", **environment})  # fmt: skip
        process.stdout.readline()  # the first execution has returned
        if not isinstance(how, str):
            try:
                process.wait(delay / 1e6)
            except subprocess.TimeoutExpired:
                process.send_signal(how)
        said = process.communicate()[1]
        if process.returncode in (97, 98, 99):
            raise SystemExit(f"the program failed: {said.decode()}")
        numbers = struct.unpack(f"<{counts.stat().st_size // 8}Q", counts.read_bytes())
        return process.returncode, numbers[0], len(numbers) > 1

    def look(self, returned):
        """Files, short ones, missing ones, temporary ones; and makes room for the next."""
        found, short, parts, steps = 0, [], [], {}
        for path in self.dumps.rglob("*"):
            if path.name.endswith(".part"):
                parts.append(path)
            elif path.is_file():
                found += 1
                if not is_whole(path):
                    short.append(path)
                steps.setdefault(int(path.parent.name), set()).add(re.sub(r"\.\d+\.\d+\.\d+$", "", path.name))
        wanted = {"Data.x"} | {f"Neg.neg{i}" for i in range(OPERATORS)}
        missing = sum(len(wanted - steps.get(step, set())) for step in range(returned))
        return found, short, missing, parts

    def clean(self):
        for path in self.dumps.iterdir():
            shutil.rmtree(path)


def check(bench, name, times, random_moments):
    how, complete, code = ENDINGS[name]
    totals = dict.fromkeys(("executions", "files", "short", "missing", "parts"), 0)
    problems = []
    for turn in range(times):
        handlers = complete and code < 0 and turn % 4 == 3  # every fourth program has handlers of its own
        delay = int(random_moments.choice([200, 5000, 60000]) * random_moments.random())
        ended, returned, handled = bench.run(how, delay, handlers, {})
        found, short, missing, parts = bench.look(returned)
        if ended != code:
            problems.append(f"{name}: ended with {ended}, not {code}")
        if handled != handlers:
            problems.append(f"{name}: its handler {'ran' if handled else 'did not run'}")
        if short or (complete and missing):
            problems.append(f"{name}: after {returned} executions {missing} missing, short: {short}, left: {parts}")
        for key, value in zip(totals, (returned, found, len(short), missing, len(parts))):
            totals[key] += value
        if parts:  # the next run clears up behind the dead one
            bench.run("exit", 0, False, {})
            if [path for path in bench.dumps.rglob("*.part")]:
                problems.append(f"{name}: temporary files stay")
        bench.clean()
    print(f"{name:24} {times:6} " + " ".join(f"{value:10}" for value in totals.values()), flush=True)
    return problems


def check_synced(bench, times, random_moments):
    """BELAY_DUMP_SYNC=1: the files are there when the execution returns, whatever happens then."""
    problems = []
    for _ in range(times):
        _, returned, _ = bench.run(signal.SIGKILL, int(40000 * random_moments.random()), False, {"BELAY_DUMP_SYNC": "1"})
        found, short, missing, _ = bench.look(returned)
        if short or missing:
            problems.append(f"BELAY_DUMP_SYNC: after {returned} executions {missing} missing, short: {short}")
        bench.clean()
    print(f"{'SIGKILL, BELAY_DUMP_SYNC':24} {times:6} {'no file of a returned execution missing' if not problems else ''}")
    return problems


def main():
    dying, times = sys.argv[1], int(sys.argv[2])
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else random.randrange(1 << 30)
    print(f"seed {seed}")
    print(f"{'ending':24} {'times':>6} " + " ".join(f"{t:>10}" for t in ("returned", "files", "short", "missing", "left")))
    moments, problems = random.Random(seed), []
    with tempfile.TemporaryDirectory(prefix="belay-dying-") as work:
        bench = Bench(dying, work)
        for name in sys.argv[4:] or ENDINGS:
            problems += check(bench, name, times, moments)
        if not sys.argv[4:]:
            problems += check_synced(bench, times, moments)
    print("\n".join(problems[:50]))
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    np.seterr(all="ignore")
    main()
