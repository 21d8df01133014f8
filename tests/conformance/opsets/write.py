#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the cases of every script beside this one: write.py DIR. A case is named as its function, its script and a
number or word; DIR/cases.tsv is that of collect_node_cases.py with a last column: what atc must say when it refuses."""
import importlib
import os
import pathlib
import sys

import case

here = pathlib.Path(__file__)
case.folder = sys.argv[1]
os.makedirs(case.folder, exist_ok=True)
for script in sorted(here.parent.glob("*.py")):
    if script.name in (here.name, "case.py"):
        continue
    module = importlib.import_module(script.stem)
    for name, function in vars(module).items():
        if name.startswith("cases_"):
            function()
with open(os.path.join(case.folder, "cases.tsv"), "w") as file:
    file.write("\n".join(case.lines) + "\n")
print(f"{len(case.lines)} cases in {case.folder}")
