# SPDX-License-Identifier: Apache-2.0
"""A busy machine: neighbours that only spin."""
import os
import subprocess
import sys

SPIN = "import os\nparent = {}\nwhile os.getppid() == parent:\n    for _ in range(1000000): pass\n"


class Busy:
    """So many processes that spin, as long as the block runs."""

    def __init__(self, count):
        self.count, self.processes = count, []

    def __enter__(self):
        spin = SPIN.format(os.getpid())
        self.processes = [subprocess.Popen([sys.executable, "-c", spin]) for _ in range(self.count)]

    def __exit__(self, *_):
        for process in self.processes:
            process.kill()
            process.wait()
