# SPDX-License-Identifier: Apache-2.0
"""What a Python program is told that touches device memory: its own lines."""
import os
import re
import subprocess
import sys

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


def test_the_python_lines_are_told(tmp_path):
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=120,
                          env=os.environ | {"BELAY_OPAQUE": "1"})
    assert done.returncode == -11
    told = re.sub(r"0x[0-9a-f]+|\d+\.\d+|(?<=thread )\d+", "#", done.stderr.replace(str(tmp_path), ""))
    assert told.startswith(
        'belay: File "/program.py", line 7 in look reads device memory through a pointer (BELAY_OPAQUE=1)\n'), told
    assert "\n  address #: 3 bytes into a block of 64 bytes at # on device 0\n" in told
    assert ('\n  the block was made # s before, by aclrtMalloc, in\n    File "/program.py", line 5 in make\n'
            '    File "/program.py", line 8 in <module>\n') in told
    assert told.endswith('    File "/program.py", line 7 in look\n    File "/program.py", line 9 in <module>\n'), told
