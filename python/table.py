#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The functions of the module `acl`, from python/acl/functions.tsv.

  python/table.py --stubs    writes the type stubs in python/stubs
  python/table.py --check    ends with 1 when the stubs are not what --stubs would write
  python/table.py --code FILE  writes the docstrings as a C++ source
  python/table.py --counts   done, refusing and total by namespace, as docs/supported.md has the C functions
"""
import argparse
import collections
import csv
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent
STUBS = ROOT / "stubs" / "acl"
TYPES = {"callable": "Callable[..., Any]", "object": "Any", "ndarray": "Any", "tuple": "tuple[int, ...]",
         "dict": "dict[str, Any]", "list[dict]": "list[dict[str, Any]]", "list": "list[Any]"}


def functions():
    """Rows with namespace, name, parameters [(name, type, optional)] or None for any, and results [(name, type)]."""
    with open(ROOT / "acl" / "functions.tsv", encoding="utf-8", newline="") as table:
        for row in csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE):
            namespace, name = row["function"].rsplit(".", 1)
            yield {"namespace": namespace, "name": name, "c_function": row["c_function"],
                   "parameters": parameters(row["parameters"]), "results": results(row["returns"])}


def parameters(text):
    if text == "...":
        return None
    pairs = [part.split(":") for part in text.split(", ") if part]
    return [(name, kind.rstrip("?"), kind.endswith("?")) for name, kind in pairs]


def results(text):
    """`ret` is an int; None is no result at all."""
    return [] if text == "None" else [(part.split(":") + ["int"])[:2] for part in text.split(", ")]


def spelled(kind):
    if "|" in kind:
        return " | ".join(spelled(part) for part in kind.split("|"))
    return TYPES.get(kind, kind)


def summary(row):
    names = ", ".join(name for name, _ in row["results"]) or "None"
    return f"-> {names}" + (f" ({row['c_function']})" if row["c_function"] else "")


def stub(row):
    if row["parameters"] is None:
        given = "*arguments: Any"
    else:
        given = ", ".join(f"{name}: {spelled(kind)}" + (" | None = None" if optional else "")
                          for name, kind, optional in row["parameters"])
        given += ", /" if given else ""
    kinds = [spelled(kind) for _, kind in row["results"]]
    returned = "None" if not kinds else kinds[0] if len(kinds) == 1 else f"tuple[{', '.join(kinds)}]"
    return f'def {row["name"]}({given}) -> {returned}:\n    """{summary(row)}"""\n'


def docstring(row):
    """With the signature in front, in the form that inspect and help() read."""
    if row["parameters"] is None:
        given = "*arguments"
    else:
        given = ", ".join(name + ("=None" if optional else "") for name, _, optional in row["parameters"])
        given += ", /" if given else ""
    return f"{row['name']}({given})\\n--\\n\\n{summary(row)}"


def code():
    """Sorted by name, for a binary search."""
    rows = sorted((f"{row['namespace']}.{row['name']}", docstring(row)) for row in functions())
    text = "// Made by python/table.py --code from python/acl/functions.tsv.\n#include \"docstrings.h\"\n\n"
    text += "namespace belay::python {\n\nconst Docstring kDocstrings[] = {\n"
    text += "".join(f'    {{"{name}", "{doc}"}},\n' for name, doc in rows)
    return text + "};\nconst size_t kDocstringCount = sizeof kDocstrings / sizeof *kDocstrings;\n\n}  // namespace belay::python\n"


def stubs():
    """File name -> text."""
    spaces = collections.defaultdict(list)
    for row in functions():
        spaces[row["namespace"]].append(row)
    files = {}
    for namespace, rows in spaces.items():
        text = "# SPDX-License-Identifier: Apache-2.0\n# Made by python/table.py --stubs; not edited by hand.\n"
        text += "from collections.abc import Callable\nfrom typing import Any\n\n"
        if namespace == "acl":
            names = sorted(name.split(".")[1] for name in spaces if name != "acl")
            text += "from . import " + ", ".join(f"{name} as {name}" for name in names) + "\n\n"
        file = "__init__.pyi" if namespace == "acl" else namespace.split(".")[1] + ".pyi"
        files[file] = text + "\n".join(stub(row) for row in rows)
    return files


def done_functions():
    page = (ROOT.parent / "docs" / "supported.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `[^`]+` \| `(\w+)` \| \w+ \| \w \| (?:yes|in the header) \|$", page, re.MULTILINE))


def counts():
    done, total = collections.Counter(), collections.Counter()
    c_done = done_functions()
    for row in functions():
        total[row["namespace"]] += 1
        of_python = row["namespace"] == "acl.util"
        done[row["namespace"]] += of_python or row["c_function"] in c_done
    text = "| namespace | done | refusing | total |\n|---|---|---|---|\n"
    for name in total:
        text += f"| {name} | {done[name]} | {total[name] - done[name]} | {total[name]} |\n"
    return text + f"| **all** | {done.total()} | {total.total() - done.total()} | {total.total()} |\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    what = parser.add_mutually_exclusive_group(required=True)
    for option in ("--stubs", "--check", "--counts"):
        what.add_argument(option, action="store_true")
    what.add_argument("--code", metavar="FILE", type=pathlib.Path)
    arguments = parser.parse_args()
    if arguments.code:
        arguments.code.write_text(code(), encoding="utf-8")
    elif arguments.counts:
        print(counts(), end="")
    elif arguments.stubs:
        STUBS.mkdir(parents=True, exist_ok=True)
        for name, text in stubs().items():
            (STUBS / name).write_text(text, encoding="utf-8")
    else:
        stale = [name for name, text in stubs().items()
                 if not (STUBS / name).exists() or (STUBS / name).read_text(encoding="utf-8") != text]
        if stale:
            sys.exit(f"{', '.join(stale)} out of date; run python/table.py --stubs")


if __name__ == "__main__":
    main()
