# SPDX-License-Identifier: Apache-2.0
"""Which calls take the threads of the pool: large ones, as many as BELAY_NUM_THREADS says; small ones none."""
import os
import pathlib
import subprocess
import sys
import unittest

CORES = 4  # what the library is told; threads are started when they are first wanted

LARGE = """
a, b, out = (np.ones((600, 600), np.float32) for _ in range(3))
for _ in range(3):
    aclnn(stream, "aclnnMatmul", a, b, out, 0)
"""

# Of some hundred elements each; those without a fast kernel for their type as well.
SMALL = """
rng = np.random.default_rng(1)
def some(*shape, kind=np.float32):
    return (rng.random(shape) * 8).astype(kind)
def empty(*shape, kind=np.float32):
    return np.zeros(shape, kind)
for kind in (np.float32, np.float16, np.float64):
    x, y, out = some(16, 24, kind=kind), some(16, 24, kind=kind), empty(16, 24, kind=kind)
    aclnn(stream, "aclnnAdd", x, y, 1, out)
    aclnn(stream, "aclnnExp", x, out)
    aclnn(stream, "aclnnSoftmax", x, 1, out)
    aclnn(stream, "aclnnSoftmax", x, 0, out)
    aclnn(stream, "aclnnCumsumV2", x, 1, False, False, out)
    aclnn(stream, "aclnnMatmul", x, some(24, 16, kind=kind), empty(16, 16, kind=kind), 0)
    aclnn(stream, "aclnnReduceSum", x, [1], False, TYPES[str(np.dtype(kind))], empty(16, kind=kind))
    aclnn(stream, "aclnnSort", x, True, 1, False, out, empty(16, 24, kind=np.int64))
    aclnn(stream, "aclnnInplaceAdd", x, y, 1)
    aclnn(stream, "aclnnPermute", x, [1, 0], empty(24, 16, kind=kind))
for kind in (np.float32, np.float16):
    x, y, out = some(16, 24, kind=kind), some(16, 24, kind=kind), empty(16, 24, kind=kind)
    aclnn(stream, "aclnnAddRmsNorm", x, y, some(24, kind=kind), 1e-5, out, empty(16, 1), empty(16, 24, kind=kind))
    aclnn(stream, "aclnnGroupNorm", some(2, 8, 5, 5, kind=kind), None, None, 2, 8, 25, 4, 1e-5, empty(2, 8, 5, 5, kind=kind),
          empty(2, 4, kind=kind), empty(2, 4, kind=kind))
for kind in (np.int32, np.int64, np.uint8):
    x, y, out = some(16, 24, kind=kind), some(16, 24, kind=kind), empty(16, 24, kind=kind)
    aclnn(stream, "aclnnAdd", x, y, 1, out)
    aclnn(stream, "aclnnMul", x, y, out)
    aclnn(stream, "aclnnMaximum", x, y, out)
"""

PROGRAM = """
import os, pathlib, sys
sys.path.insert(0, {here!r})
from driver import *
stream = start()
{calls}
names = [(task / "comm").read_text().strip() for task in pathlib.Path("/proc/self/task").iterdir()]
print(names.count("belay-pool"))
"""


def pool_threads(calls, **environment):
    program = PROGRAM.format(here=str(pathlib.Path(__file__).parent), calls=calls)
    done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=False,
                          env={**os.environ, "BELAY_CORES": str(CORES), **environment})  # fmt: skip
    assert done.returncode == 0, done.stderr
    return int(done.stdout)


class PoolThreads(unittest.TestCase):
    def test_a_large_call_takes_all_cores(self):
        self.assertEqual(pool_threads(LARGE), CORES - 1)

    def test_belay_num_threads_holds(self):
        self.assertEqual(pool_threads(LARGE, BELAY_NUM_THREADS="1"), 0)
        self.assertEqual(pool_threads(LARGE, BELAY_NUM_THREADS="2"), 1)

    def test_omp_num_threads_has_no_effect(self):
        self.assertEqual(pool_threads(LARGE, OMP_NUM_THREADS="1"), CORES - 1)
        self.assertEqual(pool_threads(LARGE, OMP_NUM_THREADS="2", BELAY_NUM_THREADS="1"), 0)

    def test_small_calls_wake_nobody(self):
        self.assertEqual(pool_threads(SMALL), 0)


if __name__ == "__main__":
    unittest.main()
