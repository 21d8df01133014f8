# SPDX-License-Identifier: Apache-2.0
"""Every way in which ranks in several processes can fail, so many times each. Usage: test_faults.py PROGRAM [--times N] [NAME...]

Each must end within its time with the documented code and a sentence that names the guilty rank; no other process may crash or
stay; and the survivors must be able to make a new communicator. Prints a table. The oracle of the codes is hccl's documentation."""
import argparse
import concurrent.futures
import os
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import places

AT_ONCE = 25  # of those that only wait
SLOW = {"never comes", "no way between the hosts", "no answer when resumed"}  # two minutes each: the least HCCL_CONNECT_TIMEOUT
STREAM = (507048, 21, 1)  # the stream's code, or the call's when the failure is known by then


class Fault:
    """`codes` that a survivor may get, its asynchronous error, what its message says; `victims`: ranks that say nothing."""

    def __init__(self, what, codes, error, message, limit, ranks=3, victims=(), absent=(), wrap=None, variables=None, inside=None,
                 problem=lambda: ""):
        self.what, self.codes, self.error, self.message, self.limit = what, codes, error, message, limit
        self.ranks, self.victims, self.absent = ranks, set(victims), set(absent)
        self.wrap, self.inside, self.variables, self.problem = wrap or (lambda rank, command, _: command), inside, variables or {}, problem


def hidden(rank, command, _):
    return places.in_mounts(f"mount --bind /dev/null {places.library(places.SONAME)}", command)


def in_network(rank, command, networks):
    return networks.inside(rank, command)


def few_descriptors(rank, command, _):
    return ["bash", "-c", "ulimit -n 16; exec \"$@\"", "few", *command] if rank == 1 else command


GONE = r"EI0002.*rank 1 is gone: process \d+ ended without HcclCommDestroy"
COUNT = r"EI0005.*count is (\d+ on rank 1 and \d+ on rank [02]|\d+ on rank [02] and \d+ on rank 1)"
FAULTS = {
    "kill -9 before an operation": Fault("kill", STREAM, 21, GONE, 5, victims=[1]),
    "kill -9 at any moment of many": Fault("work", STREAM, 21, GONE, 5, victims=[1]),
    "abort": Fault("abort", STREAM, 21, GONE, 5, victims=[1]),
    "exit without Destroy": Fault("exit", STREAM, 21, GONE, 5, victims=[1]),
    "leaves when it is done": Fault("leave", (0,), 0, "", 5, victims=[1]),
    "SIGSTOP": Fault("stop", (507048,), 21, r"EI0002.*for rank 1: rank 1 is in another process, which does not answer", 8, victims=[1],
                     variables={"HCCL_EXEC_TIMEOUT": "2"}),
    "does something else": Fault("late", STREAM, 21, r"EI0002.*rank 1 \(device 1\) has not called operation 2 .*; its thread is in "
                                 r".*(look_at_the_sky|ranks_fault\+0x)", 8, variables={"HCCL_EXEC_TIMEOUT": "2"}),
    "communicators in another order": Fault("cross", STREAM, 21, r"EI0002.*in a circle", 5, ranks=2),
    "sends in a ring": Fault("ring", STREAM, 21, r"EI0002.*in a circle.*rank 1 of communicator \S+ waits in Send.* for rank 2", 5),
    "suspended, aborted and resumed": Fault("recover", (0,), 0, "", 5),
    "slow to notice an abort": Fault("slow", (0,), 0, "", 10),
    "no answer when resumed": Fault("silent", (9,), 0, r"EI0002.*stays suspended: rank 1 is in another process \(\d+\), which does not answer: .*call "
                                    r"HcclCommResume again", 130, victims=[1]),
    "another count in AllReduce": Fault("count", STREAM, 1, COUNT, 5),
    "another root in Broadcast": Fault("root", STREAM, 1, r"EI0005.*root is (1 on rank 1 and 0 on rank [02]|0 on rank [02] and 1 on rank 1)", 5),
    "nothing to give in AllGatherV": Fault("nothing", STREAM, 1, r"EI0005.*recvCounts\[1\] is (0 on rank 1 and 5000 on rank [02]|5000 on rank [02] and 0 on rank 1)",
                                          5),
    "another matrix in AlltoAllVC": Fault("matrix", STREAM, 1, r"EI0005.*sendCountMatrix\[2\], from rank 0 to rank 2, is "
                                          r"(7 on rank 1 and 1 on rank [02]|1 on rank [02] and 7 on rank 1)", 5),
    "another count in AlltoAllV": Fault("expect", STREAM, 1, r"EI0005.*recvCounts\[0\] is 4 on rank 1 and sendCounts\[1\] is 5 on rank 0", 5),
    "another count in Send": Fault("send", STREAM, 1, COUNT, 5),
    "two claim one rank": Fault("claim", (1, 4), 0, r"EI0015.*two claim rank 1", 5),
    "a rank table that differs": Fault("table", (507048, 4), 21, r"EI0005.*different rank tables", 5),
    "few descriptors": Fault("creation", (4,), 0, r"rank 1 gave up: .*may open (no|only \d) more files \(ulimit -n 1\d\)|EI00(06|09).*may open (no|only \d) more files "
                             r"\(ulimit -n 1\d\)", 5, wrap=few_descriptors),
    "never comes": Fault("never", (9, 4), 0, r"EI0015.*missing: rank 1", 145, absent=[1]),
    "/dev/shm is full": Fault("works", (0,), 0, "", 5, problem=places.no_mounts, wrap=lambda rank, command, _: places.in_mounts(
        "mount -t tmpfs -o size=4k none /dev/shm; head -c 4096 /dev/zero > /dev/shm/full", command)),
    "/dev/shm is absent": Fault("works", (0,), 0, "", 5, problem=places.no_mounts, wrap=lambda rank, command, _: places.in_mounts(
        "mount -t tmpfs none /mnt; cp -a /dev/null /dev/zero /dev/random /dev/urandom /mnt; mount --move /mnt /dev", command)),
    "no permission to read a rank": Fault("unreadable", (0,), 0, "", 10, wrap=lambda rank, command, _: places.as_nobody(command),
                                          problem=lambda: "" if os.getuid() == 0 else "needs root, to become another user"),
    "ranks of two users": Fault("works", (0,), 0, "", 10, wrap=lambda rank, command, _: places.as_nobody(command) if rank == 1 else command,
                                problem=lambda: "" if os.getuid() == 0 else "needs root, to become another user"),
    "a rank without its part": Fault("part", (507048,), 21, r"EI0002.*rank 0 waited 2 s .*for rank 1: rank 1 has not made this communicator", 5, ranks=2, victims=[1],
                                     variables={"HCCL_EXEC_TIMEOUT": "2"}),
    "UCX is not installed": Fault("alone", (5, 4), 0, r"EI0006.*install Debian's package libucx0|EI0015.*(rank \d+ ended before all had come|called HcclGetRootInfo.* ended before all)", 5, wrap=hidden,
                                  problem=places.no_mounts),
    "a network between two namespaces": Fault("works", (0,), 0, "", 10, ranks=2, wrap=in_network, inside=lambda: places.Networks("veth"),
                                              problem=places.no_networks),
    "that network is cut": Fault("cut", (507048,), 21, r"EI0002.*for rank \d: rank \d is in another process, which does not answer", 10, ranks=2,
                                 wrap=in_network, inside=lambda: places.Networks("cut"), problem=places.no_networks,
                                 variables={"HCCL_EXEC_TIMEOUT": "2"}),
    "no way between the hosts": Fault("alone", (11, 9, 4), 0, r"EI0006.*nobody answers at|EI0015.*missing: rank 1", 145, ranks=2,
                                      wrap=in_network, inside=lambda: places.Networks("apart", joined=False), problem=places.no_networks),
}


class Run:
    """One fault, once."""

    def __init__(self, program, fault):
        self.program, self.fault, self.problems, self.times = program, fault, [], []

    def start(self, rank, folder, networks):
        fault = self.fault
        command = fault.wrap(rank, [self.program, folder, fault.what], networks)
        variables = {**os.environ, **fault.variables, "RANK": str(rank), "WORLD_SIZE": str(fault.ranks)}
        if networks:
            variables["CUT"] = f"ip link set {networks.cards[1]} down"
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=variables)

    def check(self, rank, output, code):
        fault = self.fault
        if code != 0:
            self.problems.append(f"rank {rank} ended with {code}")
        found = re.search(r"(?:operation|creation): code (\d+), asynchronous (\d+), (\d+) ms: (.*)", output, re.DOTALL)
        if not found:
            self.problems.append(f"rank {rank} did not say what it got")
        else:
            if int(found[1]) not in fault.codes or int(found[2]) not in (fault.error, 0 if int(found[1]) in (4, 9) else fault.error):
                self.problems.append(f"rank {rank}: code {found[1]}, asynchronous error {found[2]}")
            if not re.search(fault.message, found[4], re.DOTALL):
                self.problems.append(f"rank {rank}: the message is another one")
            if int(found[3]) > 1000 * fault.limit:
                self.problems.append(f"rank {rank}: only after {found[3]} ms")
            self.times.append(int(found[3]))
        if "again: right" not in output:
            self.problems.append(f"rank {rank} could not make a new communicator")

    def run(self):
        networks = self.fault.inside() if self.fault.inside else None
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            for name, extra in (("table", {}), ("other", {"comment": "another"})):
                with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
                    file.write(places.rank_table(self.fault.ranks, **extra))
            if networks:
                networks.__enter__()
            try:
                self.run_in(folder, networks)
            finally:
                if networks:
                    networks.__exit__()
        return self

    def run_in(self, folder, networks):
        ranks = {rank: self.start(rank, folder, networks) for rank in range(self.fault.ranks) if rank not in self.fault.absent}
        deadline = time.monotonic() + self.fault.limit + 60
        for rank, process in ranks.items():
            if rank in self.fault.victims:
                continue
            try:
                output, _ = process.communicate(timeout=max(1, deadline - time.monotonic()))
                before = len(self.problems)
                self.check(rank, output, process.returncode)
                if len(self.problems) > before:
                    self.problems.append(output)
            except subprocess.TimeoutExpired:
                self.problems.append(f"rank {rank} hangs")
        for process in ranks.values():
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            process.communicate()


def repeat(program, name, times):
    """A line of the table, and whether all went well."""
    fault = FAULTS[name]
    if fault.problem():
        print(f"| {name} | skipped: {fault.problem()} |", flush=True)
        return True
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE if name in SLOW else 1) as pool:
        runs = list(pool.map(lambda _: Run(program, fault).run(), range(times)))
    bad = [run for run in runs if run.problems]
    spent = [one for run in runs for one in run.times] or [0]
    print(f"| {name} | {times - len(bad)} of {times} | {min(spent)} | {int(statistics.median(spent))} | {max(spent)} |", flush=True)
    if bad:
        print("\n".join(bad[0].problems), flush=True)
    return not bad


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("names", nargs="*", choices=[[], *FAULTS], metavar="NAME")
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("--all", action="store_true", help="also those that take minutes")
    arguments = parser.parse_args()
    names = arguments.names or [name for name in FAULTS if arguments.all or name not in SLOW]
    print("| fault | as expected | least ms | median ms | most ms |\n|---|---|---|---|---|", flush=True)
    results = [repeat(arguments.program, name, arguments.times) for name in names]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
