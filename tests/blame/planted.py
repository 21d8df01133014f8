# SPDX-License-Identifier: Apache-2.0
"""Faults are planted at known places of networks, and belay blame must name the place.

usage: planted.py DRIVER ATC BELAY [--networks N] [--positions N] [--network NAME] [--kind KIND] [--sample N [--seed S]]

For each network, kind of fault and position: the operator is named, and no other (right); blame says that it could not check it
(unchecked); it names another (WRONG), or nobody (SILENT). A fault that changes no bit is idle; one whose effect is as small as
rounding may be is within: numpy decides that, from the files of the run with the fault and of the run without. Without a fault
nobody may be named. Prints the table; ends with 1 when there is a WRONG or a SILENT."""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import networks  # noqa: E402
import read_dump  # noqa: E402

ACL = {"dump": {"dump_path": "d", "dump_list": [{}], "dump_mode": "all"}}
KINDS = ["nan", "inf", "bitflip", "stuck", "transpose", "shift", "saturate", "stale", "halfsum", "overwrite"]
WORDS = ["right", "unchecked", "within", "idle", "WRONG", "SILENT"]
STEP = {np.dtype(np.float32): 2.0**-24, np.dtype(np.float16): 2.0**-11, np.dtype(np.uint16): 2.0**-8}  # uint16: bfloat16


def wide(tensor):
    """The elements as doubles."""
    array = tensor.array()
    if tensor.data_type == 27:
        array = (array.astype(np.uint32) << 16).view(np.float32)
    with np.errstate(invalid="ignore"):  # NaNs that signal
        return array.astype(np.float64)


class Tree:
    """The files of one execution, by operator; of those that ran several times, the runs in order."""

    def __init__(self, folder, step):
        self.ops = collections.defaultdict(list)
        files = sorted(folder.glob(f"d/*/0/*/*/{step}/*"), key=lambda path: int(path.name.rsplit(".", 1)[1]))
        for path in files:
            dump = read_dump.read(path)
            self.ops[dump.op_name].append((path.name.split(".")[0], dump))

    def output(self, op, run=0):
        return self.ops[op][run][1].outputs[0]


def terms_in(op_type, dump):
    """How many terms are added up for one element, at the most."""
    if op_type.startswith("Conv2D"):
        return int(np.prod(dump.inputs[1].shape[1:]))
    if "MatMul" in op_type:
        return dump.inputs[0].shape[-1]
    elementwise = ("Add", "Sub", "Mul", "Relu", "Tanh", "Sigmoid", "Exp", "Neg", "Abs", "Transpose", "Slice", "Concat", "Cast")
    if op_type in elementwise or not dump.inputs or dump.inputs[0].shape is None:
        return 1
    return max(1, int(np.prod(dump.inputs[0].shape)))


def effect(op_type, clean, faulty):
    """'none', 'within' what rounding may do, or 'visible'."""
    effects = {"none"}
    for before, after in zip(clean.outputs, faulty.outputs):
        if before.data == after.data:
            continue
        x, y = wide(before), wide(after)
        if before.data_type not in (1, 2, 27):
            effects.add("visible")
            continue
        with np.errstate(invalid="ignore"):  # infinite on both sides
            error = np.abs(x - y)
        finite = np.abs(x[np.isfinite(x)])
        largest = finite.max() if finite.size else 0
        step = STEP[before.array().dtype]
        most = (8 * step + 8 * terms_in(op_type, clean) * 2.0**-24) * largest
        effects.add("visible" if not (error <= most).all() else "within")
    return "visible" if "visible" in effects else "within" if "within" in effects else "none"


class Plant:
    def __init__(self, driver, atc, belay, work):
        self.driver, self.atc, self.belay, self.work = (os.path.abspath(each) for each in (driver, atc, belay, work))

    def prepare(self, name):
        """The network converted, its inputs written. The folder."""
        folder = pathlib.Path(self.work) / name
        folder.mkdir()
        path, shape, kind, options = networks.save(name, folder)
        random = np.random.default_rng(17)
        for step in range(2):
            networks.stored(random.standard_normal(shape), kind).tofile(folder / f"x{step}.bin")
        command = [self.atc, f"--model={path}", "--framework=5", f"--output={folder / name}", "--soc_version=Ascend910B3",
                   *options]  # fmt: skip
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)
        return folder

    def run(self, folder, place, fault="", steps=1):
        """A dump of the network, in a folder of its own."""
        place = folder / place
        (place / "d").mkdir(parents=True)
        (place / "acl.json").write_text(json.dumps(ACL))
        calls = ["init=acl.json", "input=../x0.bin", f"load=../{folder.name}.om", "run"]
        calls += ["refill=../x1.bin", "run"] if steps == 2 else []
        environment = dict(os.environ, BELAY_FAULT=fault, ASCEND_GLOBAL_LOG_LEVEL="4")
        if not fault:
            del environment["BELAY_FAULT"]
        subprocess.run([self.driver, *calls, "unload", "finalize"], check=True, cwd=place, env=environment)
        return place

    def blame(self, folder, place):
        command = [self.belay, "blame", "d", "--model", f"../{folder.name}.om", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, cwd=place)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{place}: {' '.join(command)} ended with {done.returncode}: {done.stderr}")
        report = json.loads(done.stdout)
        named = [each["op"] for each in report["operators"] if each["verdict"] == "guilty"] + report["changed"]
        if bool(named) != (done.returncode == 1):
            raise SystemExit(f"{place}: the exit code is {done.returncode}, and it names {named}")
        return report


def fault_text(kind, op, following, random):
    if kind == "bitflip":
        return f"bitflip@{op}:3; seed={random.integers(100)}"
    if kind == "stuck":
        return f"stuck@{op}:{random.choice([14, 15, 13])}"
    if kind == "overwrite":
        return f"overwrite@{following}->{op}"
    return f"{kind}@{op}; seed={random.integers(100)}"


def verdict(kind, op, following, report):
    """What blame said: the word for it, and whom it named."""
    guilty = {each["op"] for each in report["operators"] if each["verdict"] == "guilty"}
    unchecked = {each["op"] for each in report["operators"] if each["verdict"] == "not checkable"}
    changed = report["changed"]
    if kind == "overwrite":
        named = all(each["tensor"] == f"output 0 of {op}" and following in each["suspects"] for each in changed)
        if changed and named and not guilty:
            return "right", changed
        return ("WRONG" if guilty or changed else "SILENT"), [*guilty, *changed]
    if guilty == {op} and not changed:
        return "right", guilty
    if guilty or changed:
        return "WRONG", [*guilty, *changed]
    return ("unchecked" if op in unchecked else "SILENT"), unchecked


def overwritten(clean, faulty, op):
    """Whether somebody who reads the output of an operator read something else than was made. Small outputs look like others."""
    made, now = clean.output(op).data, faulty.output(op).data
    for reader, runs in clean.ops.items() if len(made) >= 16 else []:
        for (_, before), (_, after) in zip(runs, faulty.ops[reader]):
            for x, y in zip(before.inputs, after.inputs):
                if x.data == made and y.data != now:
                    return True
    return False


class Network:
    """One network, its run without a fault, and what each fault did."""

    def __init__(self, plant, name):
        self.plant, self.name = plant, name
        self.folder = plant.prepare(name)
        place = plant.run(self.folder, "clean", steps=2)
        self.trees = [Tree(place, step) for step in range(2)]
        report = plant.blame(self.folder, place)
        self.accused = [each["op"] for each in report["operators"] if each["verdict"] == "guilty"] + report["changed"]
        self.ops = list(dict.fromkeys(each["op"] for each in report["operators"]))
        self.unchecked = {each["op"]: each["why"] for each in report["operators"] if each["verdict"] == "not checkable"}

    def positions(self, count):
        if len(self.ops) <= count:
            return list(range(len(self.ops)))
        return sorted({round(i * (len(self.ops) - 1) / (count - 1)) for i in range(count)})

    def examine(self, kind, position):
        """The word for what blame made of a fault, and more where it is a defect."""
        op = self.ops[position]
        following = self.ops[position + 1] if position + 1 < len(self.ops) else ""
        if kind == "overwrite" and not following:
            return "idle", ""
        runs = self.trees[0].ops[op]
        if kind == "stale" and (len(runs) > 1 or "_cond/" in op) and runs[0][1].outputs[0].data_type not in (1, 2, 27):
            return "idle", ""  # a loop that does not count any more would never end
        fault = fault_text(kind, op, following, np.random.default_rng(position))
        place = self.plant.run(self.folder, f"{kind}_{position}", fault, 2 if kind == "stale" else 1)
        step = 1 if kind == "stale" else 0
        tree = Tree(place, step)
        if kind == "overwrite":
            what = "visible" if overwritten(self.trees[step], tree, op) else "none"
        else:
            effects = [effect(op_type, clean, faulty)
                       for (op_type, clean), (_, faulty) in zip(self.trees[step].ops[op], tree.ops[op])][:1]  # fmt: skip
            what = effects[0] if effects else "none"
            runs = {dump.outputs[0].data for tree_of in self.trees for _, dump in tree_of.ops[op]}
            if kind == "stale" and len(self.trees[step].ops[op]) > 1 and min(map(len, runs)) > 1:
                what = "visible" if len(runs) > 1 else "none"  # in a loop it is stale within one execution, too
        word, named = verdict(kind, op, following, self.plant.blame(self.folder, place))
        if word == "SILENT" and what != "visible":
            word = "within" if what == "within" else "idle"
        if word != word.upper():
            subprocess.run(["rm", "-rf", str(place)], check=True)
        return word, f"{self.name}: {fault}: effect {what}, named {named}; {place}" if word == word.upper() else ""


def print_table(counts):
    print(f"{'network':15}" + "".join(f"{kind:>22}" for kind in KINDS))
    for name, kinds in counts.items():
        cells = []
        for kind in KINDS:
            cells.append(" ".join(f"{kinds[kind][word]}{word[0] if word.islower() else word}" for word in WORDS if kinds[kind][word]))
        print(f"{name:15}" + "".join(f"{cell:>22}" for cell in cells))
    total = collections.Counter()
    for kinds in counts.values():
        for words in kinds.values():
            total.update(words)
    print("all: " + ", ".join(f"{total[word]} {word}" for word in WORDS))
    return total


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("driver", "atc", "belay"):
        parser.add_argument(name)
    parser.add_argument("--networks", type=int, default=len(networks.NETWORKS))
    parser.add_argument("--network", action="append")
    parser.add_argument("--kind", action="append", choices=KINDS)
    parser.add_argument("--positions", type=int, default=20)
    parser.add_argument("--sample", type=int, help="so many faults of each network, drawn by --seed (default: all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep")
    options = parser.parse_args()
    names = options.network or list(networks.NETWORKS)[:: max(1, len(networks.NETWORKS) // options.networks)][: options.networks]
    counts, problems = {}, []
    with tempfile.TemporaryDirectory(prefix="belay-planted-") as work:
        work = options.keep or work
        plant = Plant(options.driver, options.atc, options.belay, work)
        for name in names:
            network = Network(plant, name)
            if network.accused:
                problems.append(f"{name}: without a fault it accuses {network.accused}")
            for op, why in network.unchecked.items():
                print(f"{name}: not checkable: {op}: {why}")
            counts[name] = collections.defaultdict(collections.Counter)
            jobs = [(kind, position) for kind in options.kind or KINDS for position in network.positions(options.positions)]
            if options.sample and options.sample < len(jobs):
                chosen = np.random.default_rng([options.seed, len(counts)]).choice(len(jobs), options.sample, replace=False)
                jobs = [jobs[at] for at in sorted(chosen)]
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                for (kind, _), (word, text) in zip(jobs, pool.map(lambda job: network.examine(*job), jobs)):
                    counts[name][kind][word] += 1
                    if text:
                        problems.append(text)
                        print(text, flush=True)
    total = print_table(counts)
    for problem in problems:
        print("DEFECT", problem)
    return bool(problems or total["WRONG"] or total["SILENT"])


if __name__ == "__main__":
    sys.exit(main())
