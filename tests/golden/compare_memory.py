# SPDX-License-Identifier: Apache-2.0
"""belay compare of trees that are larger than memory should ever be: 20 GB of sparse files, less than 256 MiB resident."""
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

from write_dump import message, number, shape

BELAY = sys.argv[1]
GIB = 1 << 30
FLOAT, NC1HWC0, NCHW = 1, 3, 0
MOST_MIB = 256


def header(name, dims, fmt, original, size):
    body = number(1, FLOAT) + number(2, fmt) + message(3, shape(dims)) + number(6, size) + message(7, shape(original))
    return message(1, b"2.0") + number(2, 1700000000123456) + message(3, body) + message(6, name.encode())


def write(folder, name, dims, values, fmt=2, original=None):
    """A tensor of zeros but for these values at these places."""
    size = 4
    for dim in dims:
        size *= dim
    head = header(name, dims, fmt, original or dims, size)
    with open(folder / f"Add.{name}.1.0.1700000000123456", "wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        start = file.tell()
        for place, value in values.items():
            file.seek(start + 4 * place)
            file.write(value)
        file.truncate(start + size)


def main():
    one, two = struct.pack("<f", 1), struct.pack("<f", 2)
    with tempfile.TemporaryDirectory() as work:
        sides = [pathlib.Path(work) / side for side in "ab"]
        last = 2 * GIB - 1
        for side, value in zip(sides, (two, one)):
            side.mkdir()
            write(side, "huge", (2 * GIB,), {0: one, last: value})  # 8 GiB
            write(side, "private", (1, 16, 1024, 512, 16), {5: value}, NC1HWC0, (1, 256, 1024, 512))  # 512 MiB
            for i in range(12):
                write(side, f"small{i}", (32 << 20,), {i: one})  # 128 MiB
        total = sum(file.stat().st_size for side in sides for file in side.iterdir())
        assert total > 20e9, total
        child = subprocess.Popen([BELAY, "compare", *sides], stdout=subprocess.PIPE, text=True)
        said = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        print(said)
        print(f"{total / 1e9:.1f} GB, {usage.ru_maxrss / 1024:.1f} MiB resident at most, {usage.ru_utime + usage.ru_stime:.1f} s of processor")
        assert os.waitstatus_to_exitcode(status) == 1, status
        assert "differ in 2 of 14 tensors" in said and f"[{last}] is 2, should be 1" in said, said
        assert usage.ru_maxrss / 1024 < MOST_MIB


main()
