# SPDX-License-Identifier: Apache-2.0
"""Makes the pages that the browser tests open, and what they must show: pages.py BELAY ATC OUT.

guilty.html     a half-precision run with a fault against one in single precision, with its model; guilty.csv is of belay compare
one.html        the faulty run alone
hostile.html    operators with hostile names
large.html      5 000 operators
steps.html      three executions; judged.html: the second of them was judged
broken.html     outputs alone that are not finite, and integers that no double is
show.html, overflow.html   of belay show and belay overflow
"""
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import write_dump  # noqa: E402

ENVIRONMENT = os.environ | {"ASCEND_GLOBAL_LOG_LEVEL": "4", "BELAY_CACHE": "off"}
HOSTILE = ["<script>document.title='owned'</script>", "</script><img src=x onerror=\"document.title='owned'\">", "quotes\"'`${1}",
           "\u202eright-to-left\u05d0\u05d1", "x" * 10240, "a,b;c\\d", "&lt;b&gt;", "-->]]>"]


def run(*command, codes=(0,), folder=None, **variables):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT | variables, cwd=folder)
    if done.returncode not in codes:
        raise SystemExit(f"{command} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def network(path, blocks=3):
    """Residual blocks named like folders, then a product."""
    random = np.random.default_rng(7)
    nodes, weights, last = [], [], "x"
    for i in range(blocks):
        for part in ("a", "b"):
            weights.append(numpy_helper.from_array((random.standard_normal((8, 8, 3, 3)) / 6).astype(np.float32), f"w{i}{part}"))
        nodes += [helper.make_node("Conv", [last, f"w{i}a"], [f"c{i}"], f"block{i}/conv1", pads=[1] * 4),
                  helper.make_node("Sigmoid", [f"c{i}"], [f"s{i}"], f"block{i}/sigmoid"),
                  helper.make_node("Conv", [f"s{i}", f"w{i}b"], [f"d{i}"], f"block{i}/conv2", pads=[1] * 4),
                  helper.make_node("Tanh", [f"d{i}"], [f"t{i}"], f"block{i}/tanh"),
                  helper.make_node("Mul", [f"t{i}", last], [f"y{i}"], f"block{i}/gate")]
        last = f"y{i}"
    weights.append(numpy_helper.from_array(random.standard_normal((8 * 36, 5)).astype(np.float32), "m"))
    nodes += [helper.make_node("Flatten", [last], ["f"], "head/flatten", axis=1),
              helper.make_node("MatMul", ["f", "m"], ["g"], "head/product"),
              helper.make_node("Softmax", ["g"], ["p"], "head/softmax", axis=1)]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "net", [info("x", TensorProto.FLOAT, [1, 8, 6, 6])],
                              [info("p", TensorProto.FLOAT, [1, 5])], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)]), path)


def dumped(belay, folder, model, repeat=1, **variables):
    folder.mkdir(parents=True)
    config = folder.with_suffix(".json")
    config.write_text(json.dumps({"dump": {"dump_path": str(folder), "dump_list": [{}], "dump_mode": "all"}}))
    run(belay, "run", model, "--input", folder.parent / "x.npy", "--repeat", repeat, "--dump", config, **variables)
    return folder


def guilty(belay, atc, out):
    np.save(out / "x.npy", np.random.default_rng(3).standard_normal((1, 8, 6, 6)).astype(np.float32))
    network(out / "net.onnx")
    run(atc, "--model=net.onnx", "--framework=5", "--output=half", "--soc_version=Ascend910B3", "--precision_mode=force_fp16",
        folder=out)
    half = dumped(belay, out / "half_dump", out / "half.om", BELAY_FAULT="stuck@block1/conv2:12")
    single = dumped(belay, out / "single_dump", out / "net.onnx")
    run(belay, "run", out / "half.om", "--input", out / "x.npy", "--trace", out / "trace.json")
    run(belay, "compare", half, single, "--csv", out / "guilty.csv", codes=(1,))
    run(belay, "report", half, single, "--model", out / "half.om", "--trace", out / "trace.json", "-o", out / "guilty.html", codes=(1,))
    run(belay, "report", half, "-o", out / "one.html", codes=(0, 1))
    run(belay, "report", half, "-o", out / "full.html", codes=(3,), BELAY_FAULT="enospc@1K")  # no page, or a whole one
    assert not (out / "full.html").exists()
    for wrong in (["--step", "-1"], ["--step", "7"], ["--rules", out / "x.npy"]):
        run(belay, "report", half, *wrong, "-o", out / "full.html", codes=(2,))
    steps = dumped(belay, out / "steps_dump", out / "half.om", repeat=3)
    run(belay, "report", steps, "-o", out / "steps.html", codes=(0, 1))
    run(belay, "report", steps, "--model", out / "half.om", "--step", "1", "-o", out / "judged.html")


def linked(array, address, is_input):
    """A tensor of a dump file that tells where it was."""
    made = write_dump.entry(array, is_input)
    made["body"] += write_dump.number(8 if is_input else 9, address)
    return made


def write_tree(folder, operators):
    """operators: (name, [addresses read], address written)."""
    folder.mkdir(parents=True)
    for i, (name, read, written) in enumerate(operators):
        array = np.linspace(-1, 1, 24, dtype=np.float32).reshape(2, 3, 4) * np.float32(1 + i % 7)
        data = write_dump.dump(name, [linked(array, each, True) for each in read], [linked(array, written, False)],
                               time=1700000000000000 + i)
        safe = "".join(c if c.isalnum() and c.isascii() else "_" for c in name)[:60]
        (folder / f"Add.{safe}.{i}.0.{1700000000000000 + i}").write_bytes(data)


def hostile(belay, out):
    operators = [(name, [i] if i else [], i + 1) for i, name in enumerate(HOSTILE)]
    write_tree(out / "hostile" / "20250102030405" / "0" / "net" / "1" / "0", operators)
    run(belay, "report", out / "hostile", "-o", out / "hostile.html")
    (out / "hostile.json").write_text(json.dumps(HOSTILE))


def large(belay, out, blocks=500):
    """Blocks of ten operators: a fork into three branches that meet again."""
    operators, last = [], 0
    for block in range(blocks):
        at, name = 10 * block + 1, f"stage{block // 50}/block{block}"
        for i in range(3):
            operators.append((f"{name}/branch{i}/first", [last] if last else [], at + 3 * i))
            operators.append((f"{name}/branch{i}/second", [at + 3 * i], at + 3 * i + 1))
            operators.append((f"{name}/branch{i}/third", [at + 3 * i + 1], at + 3 * i + 2))
        operators.append((f"{name}/join", [at + 2, at + 5, at + 8], at + 9))
        last = at + 9
    write_tree(out / "large" / "20250102030405" / "0" / "net" / "1" / "0", operators)
    run(belay, "report", out / "large", "-o", out / "large.html")


def broken(belay, out):
    """Outputs alone, over two executions: one has NaN, one infinity, one is as it should be; and 64-bit integers."""
    x = np.linspace(-1, 1, 24, dtype=np.float32).reshape(4, 6)
    nan, inf = x.copy(), x.copy()
    nan[1, 2], inf[3, 4] = np.nan, np.inf
    big = np.array([2**53 + 1, 5], np.int64)
    for side, arrays in {"a": [("fine", x * np.float32(1.5)), ("nan", nan), ("inf", inf), ("all", x * np.nan), ("big", big)],
                         "b": [("fine", x), ("nan", x), ("inf", x), ("all", x), ("big", big - 1)]}.items():
        for step in (0, 1):
            folder = out / f"broken_{side}" / "20250102030405" / "0" / "net" / "1" / str(step)
            folder.mkdir(parents=True)
            for i, (name, array) in enumerate(arrays):
                time = 1700000000000000 + 10 * step + i
                (folder / f"Add.{name}.{i}.0.{time}").write_bytes(write_dump.dump(name, [], [write_dump.entry(array, False)], time=time))
    run(belay, "report", out / "broken_a", out / "broken_b", "-o", out / "broken.html", codes=(1,))


def live(belay, out):
    """Files that the tests move into a folder one by one, and 100 000 operators."""
    place = out / "arriving" / "20250102030405" / "0" / "net" / "1" / "0"
    write_tree(place, [(f"layer/op{i}", [i] if i else [], i + 1) for i in range(6)])
    x = np.array([1, 12], np.float16)
    with np.errstate(over="ignore"):
        data = write_dump.dump("layer/exp", [linked(x, 6, True)], [linked(np.exp(x).astype(np.float16), 7, False)],
                               time=1700000000000006)
    (place / "Exp.layer_exp.6.0.1700000000000006").write_bytes(data)
    run(belay, "overflow", out / "arriving", "--html", out / "overflow.html", codes=(1,))
    run(belay, "show", out / "arriving", "--op", "op", "--html", out / "show.html")
    write_tree(out / "huge" / "20250102030405" / "0" / "net" / "1" / "0",
               [(f"part{i // 1000}/op{i}", [i] if i else [], i + 1) for i in range(100000)])


def main(belay, atc, out):
    out = pathlib.Path(out)
    out.mkdir(parents=True, exist_ok=True)
    guilty(belay, atc, out)
    hostile(belay, out)
    large(belay, out)
    broken(belay, out)
    live(belay, out)


if __name__ == "__main__":
    main(*sys.argv[1:])
