#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""What a program is told that touches device memory, word for word: check_touches.py TOUCHES.

Numbers are masked: addresses are 0x#, the others #. Line numbers are the marks (@name) of the lines of touches.c."""
import os
import pathlib
import re
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
LINES = (pathlib.Path(__file__).parent / "touches.c").read_text().splitlines()
ADVICE = ("  The host does not reach the memory of an NPU: there the program would crash here. Copy it with aclrtMemcpy "
          "first, or use memory from aclrtMallocHost.\n")
MADE = ("  the block was made # s before, by aclrtMalloc, in\n"
        "    make_block at touches.c:@made (touches+0x#)\n"
        "    main at touches.c:@make (touches+0x#)\n")


def mark(found):
    name = re.search(r"@\w+", LINES[int(found[1]) - 1])
    return "touches.c:" + (name[0] if name else found[1])


def masked(text):
    text = re.sub(r"\S*/touches\.c:(\d+)", mark, text)
    text = re.sub(r"(\S+\.so)[.\d]*\+0x[0-9a-f]+", r"\1+0x#", text)
    text = re.sub(r"0x[0-9a-f]+", "0x#", text)
    text = re.sub(r"\d+\.\d+ s before", "# s before", text)
    return re.sub(r"by thread \d+", "by thread #", text)


def touch(how, **variables):
    done = subprocess.run([PROGRAM, how], capture_output=True, text=True, timeout=120,
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
