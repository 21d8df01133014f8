#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a program is told that touches device memory, word for word: check_touches.py TOUCHES PLUGIN.

Numbers are masked: addresses are 0x#, the others #. Line numbers are the marks (@name) of the lines of touches.c."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = sys.argv.pop(1)
PLUGIN = sys.argv.pop(1)
HERE = pathlib.Path(__file__).parent
LINES = {name: (HERE / name).read_text().splitlines() for name in ("touches.c", "touches_plugin.c")}
ADVICE = ("  The host does not reach the memory of an NPU: there the program would crash here. Copy it with aclrtMemcpy "
          "first, or use memory from aclrtMallocHost.\n")
MADE = ("  the block was made # s before, by aclrtMalloc, in\n"
        "    make_block at touches.c:@made (touches+0x#)\n"
        "    main at touches.c:@make (touches+0x#)\n")


def mark(found):
    name = re.search(r"@\w+", LINES[found[1]][int(found[2]) - 1])
    return f"{found[1]}:" + (name[0] if name else found[2])


def masked(text):
    text = re.sub(r"\S*/(touches\w*\.c):(\d+)", mark, text)
    text = re.sub(r"(\S+\.so)[.\d]*\+0x[0-9a-f]+", r"\1+0x#", text)
    text = re.sub(r"0x[0-9a-f]+", "0x#", text)
    text = re.sub(r"\d+\.\d+ s before", "# s before", text)
    return re.sub(r"by thread \d+", "by thread #", text)


def touch(how, program=PROGRAM, **variables):
    done = subprocess.run([program, how, PLUGIN], capture_output=True, text=True, timeout=120,
                          env=os.environ | {"BELAY_OPAQUE": "1"} | variables)
    return done.returncode, masked(done.stderr)


def place(where):
    return f"  address 0x#: {where} a block of 1024 bytes at 0x# on device 0\n"


class Touches(unittest.TestCase):
    maxDiff = None

    def check(self, how, first, where, *frames, freed="", made=MADE, after=""):
        code, told = touch(how)
        stack = "".join(f"    {frame}\n" for frame in frames)
        self.assertEqual(told, f"belay: {first} (BELAY_OPAQUE=1)\n" + ADVICE + where + made + freed +
                         "  it was touched by thread #, in\n" + stack + after)
        self.assertEqual(code, -11)

    def test_read(self):
        self.check("read", "read_it at touches.c:@read reads device memory through a pointer", place("16 bytes into"),
                   "read_it at touches.c:@read (touches+0x#)", "main at touches.c:@main_read (touches+0x#)")

    def test_write(self):
        self.check("write", "write_it at touches.c:@write writes device memory through a pointer",
                   place("1020 bytes into"),
                   "write_it at touches.c:@write (touches+0x#)", "main at touches.c:@main_write (touches+0x#)")

    def test_past_the_end(self):
        self.check("past", "read_it at touches.c:@read reads device memory through a pointer",
                   place("16 bytes past the end of"),
                   "read_it at touches.c:@read (touches+0x#)", "main at touches.c:@main_past (touches+0x#)")

    def test_after_free(self):
        self.check("freed",
                   "read_it at touches.c:@read reads device memory through a pointer, and the memory was freed",
                   place("16 bytes into"),
                   "read_it at touches.c:@read (touches+0x#)", "main at touches.c:@main_freed (touches+0x#)",
                   freed="  the block was freed # s before, by aclrtFree, in\n"
                         "    main at touches.c:@free (touches+0x#)\n")

    def test_on_another_thread(self):
        self.check("thread", "read_it at touches.c:@read reads device memory through a pointer",
                   place("16 bytes into"),
                   "read_it at touches.c:@read (touches+0x#)", "on_thread at touches.c:@thread (touches+0x#)")

    def test_in_a_callback(self):
        self.check("callback", "read_it at touches.c:@read reads device memory through a pointer",
                   place("16 bytes into"),
                   "read_it at touches.c:@read (touches+0x#)", "on_stream at touches.c:@callback (touches+0x#)",
                   "aclrtProcessReport (libascendcl.so+0x#)", "serve at touches.c:@serve (touches+0x#)")

    def test_inside_of_memcpy_and_printf(self):
        for how, verb, where in (("memcpy", "writes", "8 bytes into"), ("printf", "reads", "7 bytes into")):
            code, told = touch(how)
            self.assertTrue(told.startswith(f"belay: main at touches.c:@{how} {verb} device memory through a pointer "
                                            "(BELAY_OPAQUE=1)\n" + ADVICE + place(where) + MADE +
                                            "  it was touched by thread #, in\n    "), told)
            self.assertTrue(told.endswith(f"    main at touches.c:@{how} (touches+0x#)\n"), told)
            self.assertIn("libc.so+0x#", told)
            self.assertEqual(code, -11)

    def test_given_to_a_call_that_needs_host_memory(self):
        code, told = touch("load")
        self.assertTrue(told.startswith("belay: main at touches.c:@load gives device memory to aclmdlLoadFromMem, which "
                                        "needs host memory (BELAY_OPAQUE=1)\n" + ADVICE), told)
        self.assertTrue(told.endswith("    aclmdlLoadFromMem (libascendcl.so+0x#)\n"
                                      "    main at touches.c:@load (touches+0x#)\n"), told)
        self.assertEqual(code, -11)

    def test_where_no_block_is(self):
        self.check("wild", "read_it at touches.c:@read reads device memory through a pointer",
                   "  address 0x#: no block is there\n",
                   "read_it at touches.c:@read (touches+0x#)", "main at touches.c:@main_wild (touches+0x#)", made="")

    def test_below(self):
        """Also below the first block of a process, which this one is."""
        for how, bytes_below in (("below", 4), ("far_below", 19984)):
            self.check(how, "read_it at touches.c:@read reads device memory through a pointer",
                       place(f"{bytes_below} bytes below"),
                       "read_it at touches.c:@read (touches+0x#)", f"main at touches.c:@main_{how} (touches+0x#)")

    def test_reserved_addresses(self):
        where = ("  address 0x#: 16 bytes into 1048576 bytes of addresses at 0x# that are only reserved: no memory is "
                 "mapped there\n")
        reserved = ("  the addresses were reserved # s before, by aclrtReserveMemAddress, in\n"
                    "    touch_reserved at touches.c:@reserve (touches+0x#)\n"
                    "    main at touches.c:@main_addresses (touches+0x#)\n")
        released = reserved.replace("reserved # s before, by aclrtReserveMemAddress",
                                    "released # s before, by aclrtReleaseMemAddress").replace("@reserve ", "@release ")
        frames = ("read_it at touches.c:@read (touches+0x#)", "touch_reserved at touches.c:@main_reserved (touches+0x#)",
                  "main at touches.c:@main_addresses (touches+0x#)")
        first = "read_it at touches.c:@read reads device memory through a pointer"
        self.check("reserved", first, where, *frames, made=reserved)
        where = where.replace("are only reserved: no memory is mapped there", "were reserved, and are not any more")
        self.check("released", first + ", and the memory was freed", where, *frames, made=reserved, freed=released)

    def test_a_block_that_was_freed_long_ago_is_not_taken_for_another(self):
        self.check("forgotten",
                   "read_it at touches.c:@read reads device memory through a pointer, and the memory was freed",
                   "  address 0x#: a block was there that was freed long ago; which one is no longer known\n",
                   "read_it at touches.c:@read (touches+0x#)",
                   "touch_forgotten at touches.c:@main_forgotten (touches+0x#)",
                   "main at touches.c:@main_long_ago (touches+0x#)", made="")

    def test_a_handler_that_comes_later_does_not_hide_it(self):
        self.check("late_handler", "read_it at touches.c:@read reads device memory through a pointer",
                   place("16 bytes into"), "read_it at touches.c:@read (touches+0x#)",
                   "touch_after_late_handler at touches.c:@main_late (touches+0x#)",
                   "main at touches.c:@main_handler (touches+0x#)", after="the program's own handler\n")

    def test_while_another_thread_is_inside_of_dlopen(self):
        self.check("dlopen", "read_it at touches.c:@read reads device memory through a pointer",
                   place("16 bytes into"), "read_it at touches.c:@read (touches+0x#)",
                   "touch_beside_dlopen at touches.c:@beside (touches+0x#)",
                   "main at touches.c:@main_dlopen (touches+0x#)")

    def test_a_library_that_was_opened_by_a_relative_path(self):
        self.check("plugin", "plugin_read at touches_plugin.c:@plugin_read reads device memory through a pointer",
                   place("16 bytes into"),
                   "plugin_read at touches_plugin.c:@plugin_read (libtouches_plugin.so+0x#)",
                   "touch_in_plugin at touches.c:@plugin (touches+0x#)",
                   "main at touches.c:@main_plugin (touches+0x#)")

    def test_programs_called_like_the_system_are_programs(self):
        for name in ("python-touches", "libm-touches", "libc.so.touches", "acl.so"):
            with tempfile.TemporaryDirectory() as folder:
                program = shutil.copy(PROGRAM, pathlib.Path(folder) / name)
                code, told = touch("read", program)
            self.assertTrue(told.startswith("belay: read_it at touches.c:@read reads device memory"), name + told)
            self.assertEqual(code, -11)

    def test_without_stdout_the_lines_are_there(self):
        done = subprocess.run(["bash", "-c", 'exec "$0" read 0<&- >&-', PROGRAM], stderr=subprocess.PIPE, text=True,
                              env=os.environ | {"BELAY_OPAQUE": "1"})
        self.assertTrue(masked(done.stderr).startswith("belay: read_it at touches.c:@read reads"), done.stderr)

    def test_an_addr2line_that_hangs_costs_the_lines_only(self):
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "addr2line"
            script.write_text("#!/bin/sh\nexec sleep 1000\n")
            script.chmod(0o755)
            code, told = touch("read", PATH=f"{folder}:{os.environ['PATH']}")
        self.assertTrue(told.startswith("belay: touches+0x# reads device memory through a pointer"), told)
        self.assertTrue(told.endswith("in\n    touches+0x#\n    touches+0x#\n"
                                      "  addr2line did not answer within 10 s: lines are left out\n"), told)
        self.assertEqual(code, -11)

    def test_a_handler_of_the_program_is_called_afterwards(self):
        self.check("handler", "read_it at touches.c:@read reads device memory through a pointer",
                   place("16 bytes into"),
                   "read_it at touches.c:@read (touches+0x#)", "main at touches.c:@main_read (touches+0x#)",
                   after="the program's own handler\n")

    def test_without_addr2line_the_places_are_those_it_takes(self):
        code, told = touch("read", PATH="/nowhere")
        self.assertTrue(told.startswith("belay: touches+0x# reads device memory through a pointer"), told)
        self.assertTrue(told.endswith("in\n    touches+0x#\n    touches+0x#\n"), told)
        self.assertEqual(code, -11)

    def test_a_program_that_copies_is_told_nothing(self):
        self.assertEqual(touch("nothing"), (0, ""))

    def test_nothing_is_told_without_it(self):
        self.assertEqual(touch("read", BELAY_OPAQUE="0"), (0, ""))

    def test_too_few_addresses_are_an_error_of_the_allocation(self):
        code = subprocess.run(["bash", "-c", f"ulimit -v 8000000; BELAY_OPAQUE=1 {PROGRAM} read"], capture_output=True)
        self.assertEqual(code.returncode, 3)


if __name__ == "__main__":
    unittest.main()
