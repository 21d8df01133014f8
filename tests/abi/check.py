#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the headers and the library against the interface tables in abi/.

  check.py NAME --cc CC --cxx CXX [--library FILE]
"""
import argparse
import os
import re
import subprocess
import sys

import tables
from assertions import assertions, prototypes

FOLDERS = [word for folder in tables.INCLUDES for word in ("-I", str(folder))]
MEDIA = "#define ENABLE_DVPP_INTERFACE\n"  # without it acl_dvpp.h stops
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", *FOLDERS]


class Compiler:
    """Compiles text from standard input, syntax only; keeps what failed."""

    def __init__(self, cc, cxx):
        self.cc, self.cxx, self.failures = cc, cxx, []

    def output(self, standard, text, flags=STRICT):
        c = not standard.startswith("c++")
        command = [self.cc if c else self.cxx, "-x", "c" if c else "c++", "-std=" + standard, *flags, "-"]
        plain = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(command, input=text, capture_output=True, text=True, env=plain)
        return done.returncode, done.stderr

    def must_accept(self, what, standard, text):
        code, errors = self.output(standard, text)
        if code != 0:
            self.failures.append(f"{what}, {standard}:\n" + "\n".join(errors.splitlines()[:20]))


def standards(header):
    return ["c++11", "c++17"] if tables.CPP_ONLY.match(header) else ["c99", "c11", "c++11", "c++17"]


def each_header_compiles_alone(compiler, _):
    headers = tables.all_headers()
    operators = [header for header in headers if header.startswith("aclnnop/")]
    for header in [header for header in headers if header not in operators] + operators[:5]:
        for standard in standards(header):
            compiler.must_accept(header, standard, f'{MEDIA}#include "{header}"\nint main(void) {{ return 0; }}\n')
    code, errors = compiler.output("c++11", '#include "acl/ops/acl_dvpp.h"\n')
    if code == 0 or "ENABLE_DVPP_INTERFACE" not in errors:
        compiler.failures.append("acl/ops/acl_dvpp.h does not ask for ENABLE_DVPP_INTERFACE")
    # The headers of operators come from one pattern: some alone, all together.
    for standard in standards("aclnnop/"):
        text = "".join(f'#include "{header}"\n' for header in operators)
        compiler.must_accept("aclnnop", standard, text + "int main(void) { return 0; }\n")


def headers_include_what_the_page_says(compiler, _):
    for header in tables.all_headers():
        expected = tables.include_graph().get(header.split("/")[-1])
        found = re.findall(r'#include "(?:.*/)?(\w+\.h)"', tables.header_text(header))
        if expected is not None and sorted(found) != sorted(expected):
            compiler.failures.append(f"{header} includes {found}, the page says {expected}")


def values_and_layouts_are_the_documented_ones(compiler, _):
    for standard in ("c11", "c++17"):
        compiler.must_accept("values and layouts", standard, assertions(cpp=standard != "c11"))


def prototypes_are_the_documented_ones(compiler, _):
    for standard in ("c11", "c++11"):
        compiler.must_accept("prototypes", standard, prototypes(cpp=standard != "c11"))


def exactly_the_deprecated_names_warn(compiler, _):
    rows = tables.functions()
    enumerators = [value for header in tables.types().values() for enum in header.enums for value in enum.values]
    uses = ["&" + row["function"] for row in rows] + [name for name, _, _ in enumerators]
    text = MEDIA + "".join(f'#include "{header}"\n' for header in tables.all_headers() if header != "acl/acl_rt_api.h")
    text += "void use() {\n" + "".join(f"  (void){use};\n" for use in uses) + "}\n"
    _, errors = compiler.output("c++17", text, ["-fsyntax-only", *FOLDERS])
    warned = set(re.findall(r"warning: .*?(\w+)(?:\(.*\))?' is deprecated", errors))
    expected = {row["function"] for row in rows if tables.is_deprecated(row)}
    expected |= {name for name, _, deprecated in enumerators if deprecated}
    if warned != expected:
        compiler.failures.append(f"deprecated and silent: {expected - warned}; warned without reason: {warned - expected}")


def the_library_exports_exactly_the_table(compiler, library):
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    found = {line.split()[-1].split("@")[0] for line in listing.splitlines()}
    lines = (tables.ROOT / "tests" / "abi" / "extra_exports.txt").read_text(encoding="utf-8").splitlines()
    extra = {line.split()[0] for line in lines if line and not line.startswith("#")}
    expected = {row["function"] for row in tables.functions()} | extra
    expected |= {row["name"] for row in tables.hccl() if not tables.is_installed(row)}
    if found != expected:
        compiler.failures.append(f"missing: {sorted(expected - found)}; not in the tables: {sorted(found - expected)}")


# Inline helpers for structures whose layout is not published: they cannot be written.
NO_LAYOUT = {"HcommChannelDescInit", "CcuLoopCfgInit", "CcuLoopGroupCfgInit"}


def hccl_functions_are_those_of_the_table(compiler, _):
    """abi/hccl.tsv against abi/functions.tsv, which the other checks compare with headers and library; and against the
    header of the functions that have none installed."""
    declared = {row["function"]: row for row in tables.rows("functions.tsv") if tables.is_installed(row)}
    installed = {row["name"]: row for row in tables.hccl() if tables.is_installed(row)}
    if installed.keys() - declared.keys() != NO_LAYOUT or declared.keys() - installed.keys():
        compiler.failures.append(f"hccl.tsv and functions.tsv differ: {installed.keys() ^ declared.keys()}")
    for name in installed.keys() & declared.keys():
        for column in ("header", "return", "parameters", "priority"):
            if installed[name][column] != declared[name][column]:
                compiler.failures.append(f"{name}: {column} is {declared[name][column]}, not {installed[name][column]}")
    text = '#include "api/hccl/pkg_inc.h"\nextern "C" {\n'
    for row in tables.hccl():
        if not tables.is_installed(row):
            text += f"static_assert(sizeof(&{row['name']}) != 0, \"declared\");\n"
            text += f"{row['return']} {row['name']}({re.sub(r' = [^,]+', '', row['parameters'])});\n"
    code, errors = compiler.output("c++17", text + "}\n", STRICT + ["-I", str(tables.ROOT / "src")])
    if code != 0:
        compiler.failures.append(errors)


def hccl_priorities_are_kept(compiler, _):
    """A and B are done, C may refuse."""
    page = (tables.ROOT / "docs" / "supported.md").read_text(encoding="utf-8")
    done = set(re.findall(r"^\| `[^`]*` \| `(\w+)` \|.*\| (?:yes|in the header) \|$", page, re.MULTILINE))
    missing = {row["name"] for row in tables.hccl() if row["priority"] in "AB"} - done
    if missing:
        compiler.failures.append(f"priority A or B, and refused: {sorted(missing)}")


CHECKS = [
    hccl_functions_are_those_of_the_table,
    hccl_priorities_are_kept,
    each_header_compiles_alone,
    headers_include_what_the_page_says,
    values_and_layouts_are_the_documented_ones,
    prototypes_are_the_documented_ones,
    exactly_the_deprecated_names_warn,
    the_library_exports_exactly_the_table,
]


def main():
    checks = {check.__name__: check for check in CHECKS}
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=checks)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--cxx", default="g++")
    parser.add_argument("--library")
    arguments = parser.parse_args()
    compiler = Compiler(arguments.cc, arguments.cxx)
    checks[arguments.name](compiler, arguments.library)
    sys.exit("\n".join(compiler.failures) or 0)


if __name__ == "__main__":
    main()
