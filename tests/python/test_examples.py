# SPDX-License-Identifier: Apache-2.0
"""The examples run, and docs/python.md shows what they print."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ["inference", "dump_callback", "async_callback", "allocator"]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_prints_what_the_page_says(name):
    done = subprocess.run([sys.executable, "-B", f"{name}.py"], cwd=ROOT / "examples" / "python", capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    shown = re.search(rf"```\n\$ python3 {name}\.py\n(.*?)```", page, re.DOTALL)
    assert shown and shown[1] == done.stdout
