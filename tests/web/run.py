#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""The page in a real browser: run.py BELAY ATC WORK. Ends with 77 and the reason when npm, node or Chromium cannot be had."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pages

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def node_modules(work):
    """The locked packages, installed once."""
    folder = work / "node_modules"
    if all((folder / name).exists() for name in ("playwright-core", "axe-core")):
        return
    if not shutil.which("npm"):
        skip("npm is not there; scripts/install-deps --web installs it")
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, work / name)
    done = subprocess.run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], cwd=work, capture_output=True, text=True)
    if done.returncode != 0:
        skip("npm cannot install playwright-core and axe-core: " + done.stderr.strip()[-400:])


def main(belay, atc, work):
    work = pathlib.Path(work)
    work.mkdir(parents=True, exist_ok=True)
    if not shutil.which("node"):
        skip("node is not there; scripts/install-deps --web installs it")
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if not chromium:
        skip("Chromium is not there; scripts/install-deps --web installs it")
    node_modules(work)
    with tempfile.TemporaryDirectory() as made:
        made = pathlib.Path(made)
        pages.main(belay, atc, made)
        for script in HERE.glob("*.mjs"):
            shutil.copy(script, work / script.name)  # beside node_modules, where node looks for packages
        done = subprocess.run(["node", work / "browser.mjs", made, chromium, belay, work / "screenshots"], cwd=work)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
