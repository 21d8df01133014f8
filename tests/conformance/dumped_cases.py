# SPDX-License-Identifier: Apache-2.0
"""Runs every converted node case with a dump of everything, and looks for onnx's own inputs and results among the dumped
tensors. usage: dumped_cases.py BELAY CASES SKIPS DUMP_SKIPS [CASE...]

SKIPS has the cases that are not run at all, DUMP_SKIPS those of which a tensor is missing in the dump, and why."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "golden"))
import read_dump  # noqa: E402

ACL_TYPES = {0: "f4", 1: "f2", 2: "i1", 3: "i4", 4: "u1", 6: "i2", 7: "u2", 8: "u4", 9: "i8", 10: "u8", 11: "f8", 12: "?",
             16: "c8", 17: "c16", 27: "u2"}  # fmt: skip
BELAY, CASES = (pathlib.Path(path).resolve() for path in sys.argv[1:3])


def table(path):
    lines = pathlib.Path(path).read_text().splitlines()
    return {fields[0]: fields[1:] for fields in (line.split("\t") for line in lines if line and line[0] != "#")}


def load(path):
    head, _, data = path.read_bytes().partition(b"\n")
    kind, *shape = map(int, head.split())
    return np.frombuffer(data, ACL_TYPES[kind]).reshape(shape)


def tensors(name, kind):
    paths = (CASES / name / f"{kind}_{i}" for i in range(100))
    return [load(path) for path in paths if path.exists()]


def dump_of(name, work):
    """All dumped inputs and outputs of the case; raises RuntimeError with what belay run says."""
    inputs = []
    for i, value in enumerate(tensors(name, "input")):
        np.save(work / f"{i}.npy", value)
        inputs += ["--input", f"{i}.npy"]
    (work / "dump").mkdir()
    config = {"dump_path": "dump", "dump_mode": "all", "dump_list": [{"model_name": "model"}]}
    (work / "acl.json").write_text(json.dumps({"dump": config}))
    done = subprocess.run([BELAY, "run", str(CASES / name / "model.om"), "--dump", "acl.json", *inputs], cwd=work,
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr)
    dumps = [read_dump.read(entry.path) for entry in read_dump.tree(work / "dump")]
    return ([tensor.array() for dump in dumps for tensor in dump.inputs],
            [tensor.array() for dump in dumps for tensor in dump.outputs])  # fmt: skip


def is_close(found, wanted, rtol, atol):
    if found.dtype != wanted.dtype or found.size != wanted.size:
        return False
    found = found.reshape(wanted.shape)
    if found.dtype.kind in "fc":
        return np.allclose(found, wanted, rtol, atol, equal_nan=True)
    return np.array_equal(found, wanted)


def problem(name, rtol, atol):
    with tempfile.TemporaryDirectory() as work:
        try:
            inputs, outputs = dump_of(name, pathlib.Path(work))
        except RuntimeError as error:
            return str(error)
    bits = {tensor.tobytes() for tensor in inputs}
    for i, value in enumerate(tensors(name, "input")):
        if value.tobytes() not in bits:
            return f"input {i} is not in the dump"
    for i, value in enumerate(tensors(name, "output")):
        if not any(is_close(found, value, rtol, atol) for found in outputs):
            return f"output {i} is not in the dump"
    return ""


def main():
    left_out, missing = table(sys.argv[3]), table(sys.argv[4])
    cases = {name: row for name, row in table(CASES / "cases.tsv").items() if not row[3] and name not in left_out}
    if sys.argv[5:]:
        cases = {name: cases[name] for name in sys.argv[5:]}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = pool.map(lambda item: problem(item[0], float(item[1][1]), float(item[1][2])), cases.items())
        problems = {name: text for name, text in zip(cases, found) if text}
    for name, text in problems.items():
        if name not in missing:
            print(f"FAILED {name}: {text}")
    stale = [name for name in missing if name in cases and name not in problems]
    for name in stale:
        print(f"FAILED {name}: its tensors are dumped; take it out of the table")
    print(f"{len(cases) - len(problems)}\twith all inputs and outputs in the dump")
    for reason in sorted({row[0] for row in missing.values()}):
        print(f"{sum(1 for name in problems if missing.get(name) == [reason])}\t{reason}")
    return bool(stale or problems.keys() - missing.keys())


sys.exit(main())
