# SPDX-License-Identifier: Apache-2.0
"""What a Python program is told that touches device memory: its own lines."""
import os
import re
import subprocess
import sys

import pytest

PROGRAM = '''import acl
acl.init()
acl.rt.set_device(0)
def make():
    return acl.rt.malloc(64, 0)[0]
def look(pointer):
    return acl.util.ptr_to_bytes(pointer + 3, 4)
memory = make()
look(memory)
'''


def told_by(tmp_path, program):
    path = tmp_path / "program.py"
    path.write_text(program)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120,
                          env=os.environ | {"BELAY_OPAQUE": "1"})
    assert done.returncode == -11
    return re.sub(r"0x[0-9a-f]+|\d+\.\d+|(?<=thread )\d+", "#", done.stderr.replace(str(tmp_path), ""))


# What Python's own library and numpy do for a program is told as the program's line.
@pytest.mark.parametrize("look", [
    "ctypes.string_at(pointer, 4)", "ctypes.c_float.from_address(pointer).value",
    "ctypes.memmove(ctypes.create_string_buffer(4), pointer, 4)",
    "numpy.sum(numpy.ctypeslib.as_array((ctypes.c_float * 4).from_address(pointer)))",
])
def test_libraries_are_not_the_first_line(tmp_path, look):
    program = PROGRAM.replace("acl.util.ptr_to_bytes(pointer + 3, 4)", look).replace(
        "import acl", "import acl, ctypes, numpy, numpy.ctypeslib")
    told = told_by(tmp_path, program)
    assert told.startswith('belay: File "/program.py", line 7 in look reads device memory'), told


def test_a_handler_of_python_does_not_hide_it(tmp_path):
    told = told_by(tmp_path, PROGRAM.replace(
        "look(memory)", "import faulthandler; faulthandler.enable(); acl.rt.memset(memory, 64, 0, 64); look(memory)"))
    assert told.startswith('belay: File "/program.py", line 7 in look reads device memory'), told
    assert "Fatal Python error: Segmentation fault" in told


def test_the_python_lines_are_told(tmp_path):
    told = told_by(tmp_path, PROGRAM)
    assert told.startswith(
        'belay: File "/program.py", line 7 in look reads device memory through a pointer (BELAY_OPAQUE=1)\n'), told
    assert "\n  address #: 3 bytes into a block of 64 bytes at # on device 0\n" in told
    assert ('\n  the block was made # s before, by aclrtMalloc, in\n    File "/program.py", line 5 in make\n'
            '    File "/program.py", line 8 in <module>\n') in told
    assert told.endswith('    File "/program.py", line 7 in look\n    File "/program.py", line 9 in <module>\n'), told
