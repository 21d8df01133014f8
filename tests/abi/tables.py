# SPDX-License-Identifier: Apache-2.0
"""Reads the interface tables in abi/: functions, error codes, types."""
import collections
import csv
import os
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# The headers of the tree, and those that the build makes.
INCLUDES = [ROOT / "include", pathlib.Path(os.environ["BELAY_MADE_HEADERS"])]

# Headers that compile as C++ only, as abi/types.md says.
CPP_ONLY = re.compile(r"(acl/acl_tdt\.h|acl/acl_rt_api\.h|aclnn/.*|aclnnop/.*|hccl/.*|hcomm/.*)$")

Enum = collections.namedtuple("Enum", "name tag typedef values")  # values: [(name, number, deprecated)]
Aggregate = collections.namedtuple("Aggregate", "kind name tag typedef size align fields")
Field = collections.namedtuple("Field", "offset size type name deprecated")  # type: None for a union


class Header:
    """What abi/types.md says of one header."""

    def __init__(self):
        self.macros = []  # [(name, form, decimal)]
        self.typedefs = []  # [(name, meaning)]
        self.callbacks = []  # [(name, returns, parameters)]
        self.enums = []
        self.aggregates = []


def rows(name):
    with open(ROOT / "abi" / name, encoding="utf-8", newline="") as table:
        return list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))


def aclnn_functions():
    """Those of a default install, and those of the experimental folders for which the tree has a recipe."""
    folder = ROOT / "src" / "operators" / "recipes"
    recipes = {line.split("\t")[0] for path in folder.glob("*.tsv") for line in path.read_text(encoding="utf-8").splitlines()}
    for row in rows("aclnn.tsv"):
        plain = row["function"].removesuffix("GetWorkspaceSize").replace("Inplace", "")
        if not row["notes"].startswith("experimental") or plain in recipes:
            yield {**row, "return": "aclnnStatus", "notes": ""}


def functions():
    """The functions that the library exports."""
    found = [row for row in rows("functions.tsv") if "no exported symbol" not in row["notes"]]
    known = {row["function"] for row in found}
    return found + [row for row in aclnn_functions() if row["function"] not in known]


def hccl():
    """Every function of HCCL, those without an installed header too."""
    return rows("hccl.tsv")


def is_installed(row):
    return row["header"].startswith(("hccl/", "hcomm/"))


def errors():
    return rows("errors.tsv")


def is_deprecated(row):
    return row["notes"].startswith("deprecated")


def all_headers():
    return sorted(str(path.relative_to(folder)) for folder in INCLUDES for path in folder.rglob("*.h"))


def header_text(header):
    return next(folder / header for folder in INCLUDES if (folder / header).exists()).read_text(encoding="utf-8")


def c_headers():
    return [header for header in all_headers() if not CPP_ONLY.match(header)]


def cells(line):
    return [cell.strip() for cell in line.strip()[1:-1].split("|")]


def table(text):
    lines = [line for line in text.splitlines() if line.startswith("|") and not re.match(r"\|[-|]+$", line)]
    return [cells(line) for line in lines[1:]]


def plain(text):
    return text.replace("`", "")


def tag_and_typedef(title):
    name = re.match(r"`(\w+)`", title)[1]
    tag = re.search(r"tag (?:`(\w+)`|-)", title)[1]
    return name, tag, None if "no typedef" in title else name


def read_enum(title, body):
    values = [(plain(name), int(re.match(r"-?\d+", value)[0]), "dep." in value) for name, value in table(body)]
    return Enum(*tag_and_typedef(title), values)


def read_fields(body):
    for offset, size, kind, name in table(body):
        if not name:  # the line that opens an anonymous union
            continue
        field = re.match(r"`([^`]+)`", name)[1]
        yield Field(int(offset), int(size), None if kind.startswith("union") else plain(kind), field, "dep." in name)


def read_aggregate(title, body):
    kind = re.search(r"\((struct|union),", title)[1]
    size, align = map(int, re.search(r"- (\d+) bytes \(align (\d+)\)", title).groups())
    return Aggregate(kind, *tag_and_typedef(title), size, align, list(read_fields(body)))


def sections(text, level):
    parts = re.split(rf"^{'#' * level} (.+)$", text, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


def read_header(text):
    header = Header()
    for title, body in sections(text, 3):
        if title.startswith("Macros"):
            header.macros = [(plain(name), plain(form), decimal) for name, form, decimal in table(body)]
        elif title.startswith("Handles"):
            header.typedefs = [(plain(name), plain(meaning)) for name, meaning in table(body)]
        elif title.startswith("Callback"):
            header.callbacks = [tuple(map(plain, row)) for row in table(body)]
        elif title.startswith("Enumerations"):
            header.enums = [read_enum(*part) for part in sections(body, 4)]
        else:
            header.aggregates = [read_aggregate(*part) for part in sections(body, 4)]
    return header


def types():
    """{header: Header}, from abi/types.md."""
    text = (ROOT / "abi" / "types.md").read_text(encoding="utf-8").split("\n## Points that")[0]
    named = ((re.match(r"`(.+)`$", title), body) for title, body in sections(text, 2))
    return {title[1]: read_header(body) for title, body in named if title}


def include_graph():
    """{header: [headers it includes]} as the page gives it, by file name."""
    text = (ROOT / "abi" / "types.md").read_text(encoding="utf-8")
    graph = {}
    for line in text.split("Header inclusion graph")[1].split("\n- Consequence")[0].splitlines():
        for sentence in re.findall(r"(`[^>]*?) -> ([^.]*(?:\.h`[^.]*)*)", line):
            for header in re.findall(r"`([^`]+)`", sentence[0]):
                graph[header.split("/")[-1]] = [name.split("/")[-1] for name in re.findall(r"`([^`]+)`", sentence[1])]
    return graph
