# SPDX-License-Identifier: Apache-2.0
"""belay's command line: help, mistakes and what they end with. Usage: test_belay.py BELAY [TEST...]"""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from terminal import on_terminal

BELAY = sys.argv.pop(1)
COMMANDS = ["info", "run", "show", "convert", "overflow", "match", "compare", "blame", "report", "view", "cache", "bisect", "replay", "msaccucmp", "msprobe", "launch"]
THESE = ", ".join(COMMANDS[:-1])  # all but the last
DONE, USAGE, BAD_INPUT = 0, 2, 3  # docs/tools.md


def belay(*arguments, **options):
    return subprocess.run([BELAY, *arguments], capture_output=True, text=True, **options)


class Help(unittest.TestCase):
    def options(self, command):
        """Each option of a command with the text that explains it."""
        done = belay(command, "--help")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        listed = done.stdout.split("Options:\n")[1].split("\n\n")[0]
        joined = re.sub(r"\n {20,}", "   ", listed)  # a text on a line of its own
        return dict(re.match(r"  (-.*?)  +(.*)", line).groups() for line in joined.splitlines())

    def test_the_commands_are_those_there_are(self):
        done = belay("--help")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        listed = done.stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        self.assertEqual([line.split()[0] for line in listed.splitlines()], COMMANDS)

    def test_every_option_has_a_sentence_and_a_default(self):
        for command in COMMANDS:
            for option, text in self.options(command).items():
                if "--help" in option:
                    continue
                self.assertRegex(text, r"^[A-Z].{8,} \(default: [^()]+\)$", f"{command} {option}")
                self.assertNotRegex(option, r"[{}]|->|INT|TEXT|\bUINT", f"{command} {option}")

    def test_the_version_is_one_line(self):
        done = belay("--version")
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        self.assertRegex(done.stdout, r"^belay \d+\.\d+\.\d+, AscendCL \d+\.\d+\.\d+ on the CPU\n$")


class Mistakes(unittest.TestCase):
    def refused(self, *arguments, code=USAGE):
        done = belay(*arguments)
        self.assertEqual((done.returncode, done.stdout), (code, ""), arguments)
        return done.stderr

    def test_a_command_that_is_not_there(self):
        self.assertEqual(self.refused("shwo").splitlines()[0], "belay: there is no command shwo; did you mean show?")
        self.assertIn(f"there is no command quux; there are {THESE} and {COMMANDS[-1]}", self.refused("quux"))
        self.assertIn(f"a command is missing: {THESE} or {COMMANDS[-1]}", self.refused())

    def test_an_option_that_is_not_there(self):
        self.assertIn("belay show: there is no option --jsno; did you mean --json?", self.refused("show", "d", "--jsno"))
        self.assertIn("belay: there is no option --vresion; did you mean --version?", self.refused("--vresion"))
        self.assertIn("belay launch: --ranks: '0' is not a whole number from 1 to 1024", self.refused("launch", "-n", "0", "--", "true"))
        self.assertIn("'b.om' is one argument too many", self.refused("run", "a.om", "b.om"))
        self.assertIn("belay run: model is required", self.refused("run"))

    def test_a_type_that_is_not_there(self):
        self.assertIn("--type: 'nyp' is not npy, bin or safetensors; did you mean npy?\n",
                      self.refused("convert", "d", "-t", "nyp"))

    def test_numbers_out_of_range_are_said_in_a_short_sentence(self):
        for command, option, least in (("run", "--repeat", 1), ("run", "--warmup", 0), ("run", "--threads", 1),
                                       ("run", "--seed", 0), ("show", "--values", 0), ("overflow", "-n", 0)):
            for value in "-1", "1.5", "x", "9" * 30, *(["0"] if least else []):
                first = self.refused(command, "d", option, value).splitlines()[0]
                self.assertRegex(first, rf"^belay {command}: {option}: '{value}' is not a whole number from {least} to \d+$")

    def test_sizes_and_shapes_that_cannot_be_read(self):
        self.assertIn("'much' is not a size", self.refused("run", "d", "--memory", "--memory-limit", "much"))
        self.assertIn("--memory-limit requires --memory", self.refused("run", "d", "--memory-limit", "1M"))

    def test_what_cannot_be_read_is_bad_input(self):
        for command in "show", "convert", "overflow":
            self.assertIn("nowhere", self.refused(command, "nowhere", code=BAD_INPUT))

    def test_output_that_is_lost_is_no_success(self):
        for arguments, title in ((["info"], "belay info"), (["--help"], "belay"), (["--version"], "belay"),
                                 (["show", "--help"], "belay show")):  # fmt: skip
            for where, why in ((">/dev/full", "No space left on device"), (">&-", "Bad file descriptor")):
                done = subprocess.run(["sh", "-c", f'exec "$0" "$@" {where}', BELAY, *arguments], capture_output=True, text=True)
                said = f"{title}: the output cannot be written: {why}\n"
                self.assertEqual((done.returncode, done.stderr), (BAD_INPUT, said), arguments)

    def test_empty_values_are_wrong_use(self):
        for command, options in {"run": ("--input", "--shape", "--gear", "--dump", "--output", "--memory-log"),
                                 "show": ("--op",), "convert": ("--output",)}.items():  # fmt: skip
            for option in options:
                self.assertIn(f"{option}: its value is empty", self.refused(command, "d", option, ""))
            self.assertIn("its value is empty", self.refused(command, ""))


class Sentences(unittest.TestCase):
    """An error begins with what was wrong; process, time and numbers come after it or not at all."""

    def test_belay_run_says_the_sentence_first(self):
        done = belay("run", "none.om")
        self.assertEqual(done.returncode, BAD_INPUT)
        self.assertEqual(done.stderr.splitlines(), ["belay run: cannot read none.om: No such file or directory",
                                                    "  aclmdlLoadFromFile returned 145002 (E10001)"])

    def logged(self, run):
        with tempfile.TemporaryDirectory() as work:
            environment = {**os.environ, "ASCEND_SLOG_PRINT_TO_STDOUT": "1", "ASCEND_GLOBAL_LOG_LEVEL": "3"}
            return run([BELAY, "run", "none.om"], cwd=work, env=environment)

    def test_log_lines_do_on_a_terminal(self):
        text, code = self.logged(on_terminal)
        self.assertEqual(code, BAD_INPUT)
        self.assertRegex(text, r"(?m)^\[ERROR\] E10001\(145002\) aclmdlLoadFromFile: cannot read none\.om.*"
                               r"  \(GE \d+ belay \d{4}-\d\d-\d\d-[\d:.]+ \[error\.cpp:\d+\]\)$")

    def test_log_lines_have_the_documented_form_elsewhere(self):
        done = self.logged(lambda *command, **options: subprocess.run(*command, capture_output=True, text=True, **options))
        self.assertRegex(done.stdout, r"(?m)^\[ERROR\] GE\(\d+,belay\):\d{4}-\d\d-\d\d-[\d:.]+ \[error\.cpp:\d+\]E10001")


class Ranks(unittest.TestCase):
    def info(self, **variables):
        done = belay("info", "--ranks", env={**os.environ, **variables})
        self.assertEqual((done.returncode, done.stderr), (DONE, ""))
        return done.stdout

    def test_info_says_how_they_reach_each_other_and_where_they_meet(self):
        text = self.info(HCCL_IF_IP="127.0.0.1", HCCL_IF_BASE_PORT="50000")
        self.assertIn("as threads of one process", text)
        self.assertRegex(text, r"in processes of this host, by UCX \d+\.\d+\.\d+: |in other processes: no; install Debian's package libucx0")
        self.assertRegex(text, r"they meet at 127\.0\.0\.1, port 500\d\d ")
        self.assertIn("HCCL_IF_BASE_PORT=50000", text)

    def test_info_names_a_variable_that_is_wrong(self):
        self.assertRegex(self.info(HCCL_EXEC_TIMEOUT="soon"), r"they cannot meet: .*EI0001.*HCCL_EXEC_TIMEOUT is \"soon\"")


if __name__ == "__main__":
    unittest.main()
