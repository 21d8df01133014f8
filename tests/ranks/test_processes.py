# SPDX-License-Identifier: Apache-2.0
"""Ranks in several processes: every operation, and every way to lose a rank. Usage: test_processes.py BELAY RANK [TEST...]

The oracle of the operations is plain loops in the program; that of the faults is what hccl's documentation gives as codes."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

BELAY, RANK = sys.argv.pop(1), sys.argv.pop(1)


def launch(ranks, what, **variables):
    with tempfile.TemporaryDirectory() as folder:
        command = [BELAY, "launch", "-n", str(ranks), "--", RANK, folder + "/token", what]
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env={**os.environ, **variables})


def said(done):
    """{rank: (code, asynchronous error, milliseconds, message)} of the ranks that said something."""
    pattern = r"rank (\d+): code (\d+), asynchronous (\d+), (\d+) ms: (.*)"
    return {int(m[1]): (int(m[2]), int(m[3]), int(m[4]), m[5]) for m in re.finditer(pattern, done.stdout)}


class Processes(unittest.TestCase):
    def all_right(self, ranks, **variables):
        done = launch(ranks, "all", **variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout.count("all operations are right")

    def test_two_and_three(self):
        self.assertEqual(self.all_right(2), 2)
        self.assertEqual(self.all_right(3), 3)

    def test_two_processes_of_two_threads(self):
        self.assertEqual(self.all_right(2, THREADS="2"), 4)

    def survivors(self, what, code, **variables):
        done = launch(3, what, HCCL_EXEC_TIMEOUT="3", **variables)
        ranks = said(done)
        for rank in (0, 2):
            self.assertIn(rank, ranks, done.stdout + done.stderr)
            self.assertIn(ranks[rank][0], (507048, ranks[rank][1]))  # the stream's, or the call's when it is known by then
            self.assertEqual(ranks[rank][1], code)
        return done, ranks

    def test_a_killed_rank_is_named_at_once(self):
        for what, signal in (("kill", "signal 9"), ("abort", "signal 6")):
            done, ranks = self.survivors(what, 21)
            self.assertIn("rank 1 is gone", ranks[0][3])
            self.assertIn(f"rank 1 was the first to fail: it was ended by {signal}", done.stderr)

    def test_a_rank_that_exits_is_named_at_once(self):
        _, ranks = self.survivors("exit", 21)
        self.assertIn("rank 1 is gone", ranks[2][3])

    def test_another_count_is_named_on_all_ranks(self):
        _, ranks = self.survivors("count", 1)
        for rank in range(3):
            self.assertRegex(ranks[rank][3], "EI0005.*count is (1000 on rank 1 and 1048576|1048576 on rank [02] and 1000)")


if __name__ == "__main__":
    unittest.main()
