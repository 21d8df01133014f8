# SPDX-License-Identifier: Apache-2.0
"""Random graphs, run by Belay and by an oracle on the same inputs. Prints those that differ, with seed and folder, and counts
by kind of graph. The folder of a graph that differs stays in WORK, with the shortest beginning of it that differs. Ends with 1
when there is one."""
import argparse
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import sys

import belay
from compare import difference
from graph import Case
from kinds import FOR_NUMPY, KINDS, kind_of
from onnx import helper, mapping
from oracles import Numpy, OnnxRuntime, Skip, write_case


class Verdict:
    """text: how Belay differs; skipped: why nobody can tell; disputed: the oracles contradict each other, and the definition, which
    is numpy's in graphs that are exact, is on Belay's side."""

    def __init__(self, text="", skipped="", disputed=""):
        self.text, self.skipped, self.disputed = text, skipped, disputed

    def word(self):
        return "skipped" if self.skipped else "disputed" if self.disputed else "differ" if self.text else "equal"


class Runner:
    """Belay beside the oracles. The first that can say is believed; the others are asked about differences."""

    def __init__(self, atc, replay, oracles, jobs):
        self.atc, self.replay, self.oracles, self.jobs = atc, replay, oracles, jobs

    def wanted(self, case, folder):
        """(the oracle, its outputs) for each oracle that can say; and why the others cannot."""
        found, reasons = [], []
        for oracle in self.oracles:
            try:
                found.append((oracle, oracle.outputs(case, folder)))
            except Skip as reason:
                reasons.append(f"{oracle.name}: {reason}")
        return found, reasons

    def judge(self, case, folder):
        found, reasons = self.wanted(case, folder)
        if not found:
            return Verdict(skipped="; ".join(reasons))
        try:
            results = belay.results(self.atc, self.replay, case, folder, found[0][1][0])
        except belay.Failure as failure:
            return Verdict(str(failure))
        texts = {oracle.name: self.differences(case, results, outputs) for oracle, outputs in found}
        said = "; ".join(f"{name}: {text}" for name, text in texts.items() if text)
        if case.exact and texts.get(Numpy.name) == "" and said:
            return Verdict(disputed=said)
        agree = " and ".join(name for name, text in texts.items() if not text)
        return Verdict(said + (f" (but {agree} agrees with Belay)" if said and agree else ""))

    @staticmethod
    def differences(case, results, outputs):
        for step, (run, found) in enumerate(results):
            if len(found) != len(outputs[0][run]):
                return f"{len(found)} outputs, not {len(outputs[0][run])}"
            for i, each in enumerate(found):
                plain = outputs[1][run][i] if len(outputs) > 1 else None
                text = difference(each, outputs[0][run][i], case.exact, plain, case.unit)
                if text:
                    return f"step {step} (run {run}): output {i} {text}"
        return ""

    def verdicts(self, cases):
        """For each (case, folder), in order. The folders are written."""
        for case, folder in cases:
            write_case(case, folder)
        for oracle in self.oracles:
            oracle.prepare([folder for _, folder in cases])
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            return list(pool.map(lambda each: self.judge(*each), cases))

    def shorten(self, case, folder):
        """The shortest beginning of the graph that differs: as FOLDER/least, and in words."""
        if case.oracle or not case.types:
            return ""
        tried = [(each, folder / f"until_{i}") for i, each in enumerate(beginnings(case))]
        verdicts = self.verdicts(tried)
        least = next((i for i, verdict in enumerate(verdicts) if verdict.text), None)
        text = ""
        if least is not None:
            node = case.model.graph.node[least]
            tried[least][1].rename(folder / "least")
            text = f"\n  first at {node.op_type} {node.name}: {verdicts[least].text}"
        for _, each in tried:
            shutil.rmtree(each, ignore_errors=True)
        return text


def beginnings(case):
    """The model cut off behind each of its nodes, whose outputs it then gives."""
    for count, node in enumerate(case.model.graph.node, 1):
        model = type(case.model)()
        model.CopyFrom(case.model)
        del model.graph.node[count:]
        del model.graph.output[:]
        for name in node.output:
            if name:
                kind, shape = case.types[name]
                value = helper.make_tensor_value_info(name, mapping.NP_TYPE_TO_TENSOR_TYPE[kind], shape)
                model.graph.output.append(value)
        yield Case(model, case.inputs, case.atc, case.gears, case.dynamic, case.exact, case.threads,
                   for_numpy=case.for_numpy)  # fmt: skip


def general(reason):
    """A reason without the names and numbers of one graph."""
    return re.sub(r"\s+", " ", re.sub(r"[\w/]*t?\d+[\w.]*", "#", reason))[:160]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--atc", required=True)
    parser.add_argument("--replay", required=True)
    parser.add_argument("--work", required=True, type=pathlib.Path)
    oracle = parser.add_mutually_exclusive_group(required=True)
    oracle.add_argument("--ort", help="a directory with node_modules/onnxruntime-node")
    oracle.add_argument("--numpy", action="store_true", help="numpy is the only oracle: the kinds that it can follow")
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--kind", action="append", choices=sorted(KINDS), help="only these; may be given again")
    parser.add_argument("--threads", type=int, help="run all of them on so many threads (default: each as its seed says)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    return parser.parse_args()


def print_counts(counts, reasons):
    words = ["equal", "differ", "disputed", "skipped"]
    print(f"{'kind':12}" + "".join(f"{word:>9}" for word in ["graphs", *words]))
    total = sum(counts.values(), collections.Counter())
    for kind, count in [*sorted(counts.items()), ("all", total)]:
        print(f"{kind:12}{sum(count.values()):9}" + "".join(f"{count[word]:9}" for word in words))
    for (kind, reason), count in sorted(reasons.items()):
        print(f"skipped {count} of {kind}: {reason}")
    return total


def main():
    options = arguments()
    shutil.rmtree(options.work, ignore_errors=True)
    oracles = ([OnnxRuntime(options.ort)] if options.ort else []) + [Numpy()]
    runner = Runner(os.path.abspath(options.atc), os.path.abspath(options.replay), oracles, options.jobs)
    counts, reasons = collections.defaultdict(collections.Counter), collections.Counter()
    kinds = options.kind or (FOR_NUMPY if options.numpy else None)
    seeds = [(seed, kind_of(seed, kinds)) for seed in range(options.first, options.first + options.count)]
    for start in range(0, len(seeds), 100):
        part = seeds[start : start + 100]
        cases = [(KINDS[kind](seed), options.work.resolve() / f"{kind}_{seed}") for seed, kind in part]
        for case, _ in cases:
            case.threads = options.threads or case.threads
        for (seed, kind), (case, folder), verdict in zip(part, cases, runner.verdicts(cases)):
            counts[kind][verdict.word()] += 1
            if verdict.skipped:
                reasons[kind, general(verdict.skipped)] += 1
            if verdict.disputed:
                print(f"disputed {kind}, seed {seed}: {verdict.disputed}; the definition agrees with Belay", flush=True)
            if verdict.text:
                text = verdict.text + runner.shorten(case, folder)
                print(f"DIFFERS {kind}, seed {seed}, opset {case.model.opset_import[0].version}, {folder}: {text}", flush=True)
            else:
                shutil.rmtree(folder)
    return print_counts(counts, reasons)["differ"] > 0


if __name__ == "__main__":
    sys.exit(main())
