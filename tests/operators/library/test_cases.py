# SPDX-License-Identifier: Apache-2.0
"""The cases of the operator families (../*.py) once more, through aclopExecuteV2: inputs in device memory, then as
constants."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import unittest

from driver import *

stream = start()
FAMILIES = sorted(p for p in pathlib.Path(__file__).resolve().parent.parent.glob("*.py") if p.name != "case.py")
NAMES = {"DT_FLOAT": "float32", "DT_FLOAT16": "float16", "DT_DOUBLE": "float64", "DT_BOOL": "bool",
         "DT_COMPLEX64": "complex64", "DT_COMPLEX128": "complex128",
         **{f"DT_{s}INT{b}": f"{s.lower()}int{b}" for s in ("", "U") for b in (8, 16, 32, 64)}}
CODES = {"DT_FLOAT": 0, "DT_FLOAT16": 1, "DT_INT8": 2, "DT_INT32": 3, "DT_UINT8": 4, "DT_INT16": 6, "DT_UINT16": 7,
         "DT_UINT32": 8, "DT_INT64": 9, "DT_UINT64": 10, "DT_DOUBLE": 11, "DT_BOOL": 12, "DT_BF16": 27}
counts = collections.Counter()


def array(described):
    if described is None:
        return None
    numbers = [float(v) if isinstance(v, str) else v for v in described["data"]]
    dtype = np.dtype(NAMES[described["type"]])
    if dtype.kind == "c":
        return np.array(numbers).reshape(-1, 2).view(np.complex128)[:, 0].astype(dtype).reshape(described["shape"])
    if dtype.kind in "iu":
        return np.array([int(v) for v in numbers], dtype).reshape(described["shape"])
    return np.array(numbers).astype(dtype).reshape(described["shape"])


def attribute(value):
    if isinstance(value, dict):
        if "type" in value:
            return Type(CODES[value["type"]])
        return [float(v) for v in value["floats"]] if "floats" in value else [int(v) for v in value["ints"]]
    return value


def compare(got, want, tolerance):
    if want.dtype.kind == "c":
        np.testing.assert_allclose(got, want, tolerance, tolerance)
        return
    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), tolerance, tolerance, equal_nan=True)


class Families(unittest.TestCase):
    def run_family(self, script):
        lines = subprocess.run([sys.executable, "-B", str(script)], check=True, capture_output=True, text=True).stdout
        problems = []
        for line in lines.splitlines():
            case = json.loads(line)
            if "outputs" not in case or None in case["outputs"] or not case["outputs"]:
                continue
            inputs = [array(i) for i in case["inputs"]]
            wants = [array(o) for o in case["outputs"]]
            attributes = {k: attribute(v) for k, v in case["attributes"].items()}
            for constant in (False, True):
                given = [i if k == 0 or i is None or not constant or i.size == 0 else Const(i) for k, i in enumerate(inputs)]
                try:
                    outputs = aclop(stream, case["op"], given, [np.zeros(w.shape, w.dtype) for w in wants], **attributes)
                    for got, want in zip(outputs, wants):
                        compare(got, want, max(case["tolerance"], 1e-6))
                    counts[case["op"]] += 1
                except (Refused, AssertionError, KeyError) as error:
                    problems.append(f"{case['name']} ({'constants' if constant else 'memory'}): {str(error)[:300]}")
        self.assertEqual(problems, [], f"{len(problems)} of {script.name}:\n" + "\n".join(problems[:20]))


for family in FAMILIES:
    setattr(Families, "test_" + family.stem, lambda self, family=family: self.run_family(family))

if __name__ == "__main__":
    passed = unittest.main(exit=False).result.wasSuccessful()
    print(f"{len(counts)} operators, {sum(counts.values())} runs")
    sys.exit(not passed)
