# SPDX-License-Identifier: Apache-2.0
"""make_addresses.py FILE: writes the program that takes the address of every function, in the language of FILE."""
import pathlib
import sys

from assertions import addresses

path = pathlib.Path(sys.argv[1])
path.write_text(addresses(cpp=path.suffix == ".cpp"), encoding="utf-8")
