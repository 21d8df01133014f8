# SPDX-License-Identifier: Apache-2.0
"""Writes a dump tree as an NPU would leave it: its own fusion, float16, private formats, inserted operators, names and
headers. The second writer that `belay match` and `belay compare` are tested with; numpy only."""
import numpy as np
import write_dump as w

NCHW, NHWC, ND, NC1HWC0, FRACTAL_NZ = 0, 1, 2, 3, 29
TIME = 1700000000000000


def cdiv(a, b):
    return -(-a // b)


def nc1hwc0(x, c0=16):
    n, c, h, width = x.shape
    x = np.pad(x, ((0, 0), (0, -c % c0), (0, 0), (0, 0)))
    return x.reshape(n, -1, c0, h, width).transpose(0, 1, 3, 4, 2)


def fractal_nz(x, c0=16):
    *batch, h, width = x.shape
    x = np.pad(x, [(0, 0)] * len(batch) + [(0, -h % 16), (0, -width % c0)])
    x = x.reshape(*batch, cdiv(h, 16), 16, cdiv(width, c0), c0)
    k = len(batch)
    return x.transpose(*range(k), k + 2, k, k + 1, k + 3)


def mangled(name):
    return "".join("_" if c in " ./\\" else c for c in name)


class NpuTree:
    """A tree below `top`; files are numbered in the order in which they are written."""

    def __init__(self, top, place="20250102030405/3/net_npu/7/0"):
        self.folder = top / place
        self.folder.mkdir(parents=True)
        self.count = 0

    def write(self, op_type, op_name, *outputs):
        self.count += 1
        time = TIME + self.count
        file = self.folder / f"{op_type}.{mangled(op_name)}.{self.count}.5.{time}"
        file.write_bytes(w.dump(op_name, (), outputs, time=time))
        return file

    def output(self, values, fmt, origin, index=0, origin_format=NCHW, dtype=np.float16):
        """One output in a private or plain format, whose value is that of `origin`."""
        values = np.asarray(values, dtype)
        stored = np.ascontiguousarray(
            {NC1HWC0: nc1hwc0, FRACTAL_NZ: fractal_nz, NHWC: lambda x: x.transpose(0, 2, 3, 1)}.get(fmt, np.asarray)(values))
        original = values.transpose(0, 2, 3, 1).shape if origin_format == NHWC else values.shape
        return w.entry(stored, False, fmt=fmt, original=original, origin=(origin, index, origin_format))
