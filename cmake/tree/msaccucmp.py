#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The vendor's command line, where scripts look for it: hands everything to `belay msaccucmp` of this tree."""
import os
import pathlib
import sys

BELAY = pathlib.Path(__file__).resolve().parents[3] / "bin" / "belay"

if __name__ == "__main__":
    try:
        os.execv(BELAY, ["belay", "msaccucmp", *sys.argv[1:]])
    except OSError as error:
        sys.exit(f"msaccucmp.py: {BELAY} cannot be run: {error.strerror}")
