# SPDX-License-Identifier: Apache-2.0
"""Completions and manual pages: they know what --help knows. Usage: test_reference.py BELAY SHARE [TEST...]"""
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

BELAY, SHARE = sys.argv.pop(1), pathlib.Path(sys.argv.pop(1))


def helped(*command):
    return subprocess.run([BELAY, *command, "--help"], capture_output=True, text=True, check=True).stdout


COMMANDS = [line.split()[0] for line in helped().split("Subcommands:\n")[1].split("\n\n")[0].splitlines()]


def options(command):
    """All spellings of all options, as the help of a command lists them."""
    listed = helped(command).split("Options:\n")[1].split("\n\n")[0]
    words = " ".join(re.match(r"  (-\S*)", line).group(1) for line in listed.splitlines() if line.startswith("  -"))
    return set(words.replace(",", " ").split())


def completed(*words):
    """What bash offers for the last word."""
    script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _belay; printf "%s\\n" "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script, "bash", SHARE / "bash-completion/completions/belay", "belay", *words],
                          capture_output=True, text=True, check=True, cwd=SHARE)  # fmt: skip
    return set(done.stdout.split())


class Bash(unittest.TestCase):
    def test_commands(self):
        self.assertLessEqual(set(COMMANDS), completed(""))
        self.assertEqual(completed("conv"), {"convert"})
        self.assertNotIn("reference", completed(""))

    def test_options(self):
        for command in COMMANDS:
            self.assertEqual(completed(command, "-"), options(command), command)

    def test_files(self):
        self.assertEqual(completed("show", "ma"), {"man"})


class Zsh(unittest.TestCase):
    text = (SHARE / "zsh/site-functions/_belay").read_text()

    def test_all_commands_and_options_are_in_it(self):
        self.assertTrue(self.text.startswith("#compdef belay\n"))
        for command in COMMANDS:
            self.assertIn(f"\n    {command})\n", self.text)
            part = self.text.split(f"\n    {command})\n")[1].split("\n      ;;")[0]
            for option in options(command):
                self.assertRegex(part, rf"[ '({{,]{re.escape(option)}[ \[,)}}]", command)

    @unittest.skipUnless(shutil.which("zsh"), "there is no zsh to read it")
    def test_zsh_reads_it(self):
        subprocess.run(["zsh", "-n", SHARE / "zsh/site-functions/_belay"], check=True)


class Manual(unittest.TestCase):
    @unittest.skipUnless(shutil.which("groff"), "there is no groff to format it")
    def test_pages_are_formatted_without_a_warning(self):
        for page in (SHARE / "man/man1").iterdir():
            done = subprocess.run(["groff", "-man", "-ww", "-Tascii", page], capture_output=True, text=True, check=True)
            self.assertEqual(done.stderr, "", page)

    def test_each_command_has_a_page_with_its_options(self):
        self.assertEqual({page.name for page in (SHARE / "man/man1").iterdir()},
                         {"belay.1"} | {f"belay-{command}.1" for command in COMMANDS})  # fmt: skip
        for command in COMMANDS:
            page = (SHARE / f"man/man1/belay-{command}.1").read_text().replace("\\-", "-")
            for option in options(command):
                self.assertRegex(page, rf"\n\.B [^\n]*{re.escape(option)}\b", command)


if __name__ == "__main__":
    unittest.main()
