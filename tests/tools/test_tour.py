# SPDX-License-Identifier: Apache-2.0
"""The tour in README.md runs word for word and prints what the page shows.

Usage: test_tour.py ROOT TREE [TEST...], the sources and an installed tree. The commands run in one shell, in a folder that
stands for a clone after `make demo`: links to the sources, and the tree as build/ascend."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT, TREE = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(2))
ENDS_WITH = {"belay overflow": 1, "belay blame": 1, "belay run mobilnet.om": 3}  # commands that do not end with 0, and why the page shows them
MARK = "@@@ the command ended with"
NUMBER = re.compile(r"-?\d+\.\d+(?:e[-+]\d+)?")


def sessions(page):
    """The blocks with commands: for each command its text and the lines shown beneath it."""
    for block in re.findall(r"^```\n(.*?)^```$", page, re.M | re.S):
        if not block.startswith("$ "):
            continue
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, *shown = part.rstrip("\n").split("\n")
            yield command, shown


def same_number(shown, real):
    """Processors round differently: four digits."""
    return abs(float(shown) - float(real)) <= 1e-3 * abs(float(real)) + 1e-9


def same_line(shown, real):
    """'…' is any text, columns may be wider or narrower, numbers with a point are compared as numbers."""
    pattern, numbers = "", []
    for i, piece in enumerate(shown.split("…")):
        pattern += ".*?" if i else ""
        for j, text in enumerate(NUMBER.split(piece)):
            pattern += f"({NUMBER.pattern})" if j else ""
            pattern += " {2,}".join(map(re.escape, re.split(r" {2,}", text)))
        numbers += NUMBER.findall(piece)
    found = re.fullmatch(pattern, real)
    return bool(found) and all(map(same_number, numbers, found.groups()))


def same_lines(shown, real):
    """A line '...' stands for any number of lines."""
    if not shown:
        return not real
    if shown[0] == "...":
        return any(same_lines(shown[1:], real[i:]) for i in range(len(real) + 1))
    return bool(real) and same_line(shown[0], real[0]) and same_lines(shown[1:], real[1:])


class Tour(unittest.TestCase):
    def clone(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        top = pathlib.Path(folder.name)
        for name in "bench", "examples", "scripts":
            (top / name).symlink_to(ROOT / name)
        (top / "build").mkdir()
        (top / "build/ascend").symlink_to(TREE)
        return top

    def shell(self, script, top):
        """As a reader's shell: nothing of ours in the environment."""
        environment = {"PATH": os.defpath, "HOME": str(top), "LANG": "C.UTF-8", "OMP_WAIT_POLICY": "passive"}
        done = subprocess.run(["/bin/bash", "-c", script], cwd=top, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)  # fmt: skip
        return done.stdout

    def test_the_readme_shows_what_happens(self):
        steps = list(sessions((ROOT / "README.md").read_text(encoding="utf-8")))
        self.assertGreater(len(steps), 10)
        script = "".join(f"{command}\necho '{MARK}' $?\n" for command, _ in steps)
        printed = re.split(rf"^{MARK} (\d+)\n", self.shell(script, self.clone()), flags=re.M)
        for (command, shown), text, code in zip(steps, printed[::2], printed[1::2]):
            expected = next((code for start, code in ENDS_WITH.items() if command.startswith(start)), 0)
            self.assertEqual(int(code), expected, f"$ {command}\n{text}")
            self.assertTrue(same_lines(shown, text.splitlines()),
                            "\n".join([f"$ {command}", "the page shows", *shown, "", "the command prints", text]))  # fmt: skip

    def test_the_demo_names_the_operator_that_overflowed_and_ends_with_the_guilty_one(self):
        lines = self.shell("scripts/demo; echo ended with $?", self.clone()).splitlines()
        self.assertEqual(lines[-1], "ended with 0")
        self.assertTrue(all(len(line) < 200 for line in lines), max(lines, key=len))
        at = lines.index("$ belay overflow overflows")
        self.assertEqual(lines[at + 1 : at + 3], ["1. Exp exp: task 1, stream 0, status 0x20",
            "   exp(12) = 162754.8, beyond 65504: output 0 [1,1] is inf, from input 0 [1,1] = 12"])  # fmt: skip
        at = lines.index("$ belay blame faulty --model mobilenet.om")
        self.assertRegex(lines[at + 1], r"^78 operators in .*: 77 clean, 1 guilty$")
        self.assertEqual(lines[at + 2], "1. guilty: Conv2D Conv_104Add_106, made of Conv_104, BatchNormalization_105, Add_106")
        self.assertIn("   cause: axes 2 and 3 of the output are swapped", lines[at:])


if __name__ == "__main__":
    unittest.main()
