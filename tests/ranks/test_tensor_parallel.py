# SPDX-License-Identifier: Apache-2.0
"""A network cut in two for two ranks, against numpy of the whole one: its results, its dumps, and who is guilty when a
fault is planted on rank 1.

usage: test_tensor_parallel.py ATC PROGRAM BELAY DIRECTORY
"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np

from rank_models import Ranks, hcom, helper

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "golden"))
import read_dump  # noqa: E402

ATC, PROGRAM, BELAY, WORK = (os.path.abspath(sys.argv.pop(1)) for _ in range(4))
AGREE, DIFFER, USAGE, BAD_INPUT = range(4)
RANDOM = np.random.default_rng(5)
ROWS, IN, HIDDEN, OUT = 6, 16, 24, 10
X = RANDOM.standard_normal((ROWS, IN)).astype(np.float32)
W1 = RANDOM.standard_normal((IN, HIDDEN)).astype(np.float32)
W2 = RANDOM.standard_normal((HIDDEN, OUT)).astype(np.float32)
B2 = RANDOM.standard_normal(OUT).astype(np.float32)


def whole():
    return np.maximum(X.astype(np.float64) @ W1, 0) @ W2 + B2


def run(*command):
    done = subprocess.run([str(each) for each in command], capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


class TensorParallel(unittest.TestCase):
    def setUp(self):
        shutil.rmtree(WORK, ignore_errors=True)
        self.ranks = Ranks(WORK, ATC, PROGRAM, BELAY)
        half = HIDDEN // 2
        for rank in range(2):
            mine = slice(rank * half, (rank + 1) * half)
            nodes = [helper.make_node("MatMul", ["x", "w1"], ["h"], "column"), helper.make_node("Relu", ["h"], ["r"], "relu"),
                     helper.make_node("MatMul", ["r", "w2"], ["p"], "row"), hcom("HcomAllReduce", ["p"], ["s"], "sum"),
                     helper.make_node("Add", ["s", "b"], ["y"], "bias")]
            self.ranks.add(nodes, {"x": X}, {"y": ("float32", (ROWS, OUT))}, {"w1": W1[:, mine], "w2": W2[mine], "b": B2})
        self.models = [f"--model={self.ranks.folder}/rank{rank}.om" for rank in range(2)]

    def dump(self, name="dump", processes=False, code=0, **variables):
        """What the ranks leave in a folder."""
        folder = self.ranks.folder / name
        folder.mkdir()
        config = self.ranks.folder / "acl.json"
        config.write_text(json.dumps({"dump": {"dump_path": str(folder), "dump_list": [{}], "dump_mode": "all"}}))
        self.assertEqual(self.ranks.run(processes=processes, ACL_JSON=str(config), **variables), code, self.ranks.printed)
        return folder

    def check_results(self):
        first = self.ranks.results(0)[0]
        np.testing.assert_allclose(first, whole(), rtol=1e-4, atol=1e-4)
        self.assertEqual(first.tobytes(), self.ranks.results(1)[0].tobytes())
        return first

    def collective(self, dump, rank):
        """Its two files on a rank, the one of its inputs first."""
        files = sorted(dump.rglob(f"*/{rank}/rank{rank}/*/0/HcomAllReduce.sum.*"), key=lambda file: read_dump.read(file).dump_time)
        self.assertEqual(len(files), 2)
        return files

    def blame(self, *dumps, code=AGREE, models=None, **more):
        got, text = run(BELAY, "blame", "--ranks", *dumps, *(models or self.models), *more.get("options", ()))
        self.assertEqual(got, code, text)
        return text

    def test_numpy_of_the_whole_network(self):
        results = []
        for processes in (False, True):
            self.assertEqual(self.ranks.run(processes=processes), 0, self.ranks.printed)
            results.append(self.check_results())
        self.assertEqual(results[0].tobytes(), results[1].tobytes())

    def test_nobody_is_guilty_of_a_clean_run(self):
        for processes in (False, True):
            text = self.blame(self.dump(f"clean{processes}", processes))
            self.assertRegex(text, r"operators on 2 ranks: \d+ clean\n")
            self.assertIn("HcomAllReduce sum, operation 1 of group tp: every rank received what its peers sent", text)
            self.assertIn("nobody is guilty", text)
            self.assertNotIn("not checkable", text)

    def test_an_operator_before_the_collective(self):
        for processes in (False, True):
            for op, named in (("relu", "relu"), ("row", "row"), ("column", "relu")):
                dump = self.dump(f"{op}{processes}", processes, BELAY_FAULT=f"stuck@{op}:29; device=1")
                text = self.blame(dump, code=DIFFER)
                lines = re.findall("^guilty: .*$", text, re.M)
                self.assertEqual(len(lines), 1, text)
                self.assertRegex(lines[0], rf"^guilty: rank 1, \w+ .*\b({op}|{named})\b")
                self.assertIn("every rank received what its peers sent", text)
                self.assertNotIn("guilty too", text)

    def test_the_collective_itself(self):
        for processes in (False, True):
            dump = self.dump(f"sum{processes}", processes, BELAY_FAULT="bitflip@sum:11; device=1")
            text = self.blame(dump, code=DIFFER)
            self.assertEqual(re.findall("^guilty: .*$", text, re.M), ["guilty: rank 1, HcomAllReduce sum"], text)
            self.assertIn("rank 1 did not receive what its peers sent", text)
            place = re.search(r"worst at (\[\d+,\d+\]): got (\S+), expected (\S+)", text)
            at, got, expected = place[1], float(place[2]), float(place[3])
            # What each rank gave is what numpy computes of its half.
            index = tuple(json.loads(at))
            half = HIDDEN // 2
            gave = [(np.maximum(X @ W1[:, i * half:(i + 1) * half], 0) @ W2[i * half:(i + 1) * half])[index] for i in range(2)]
            for rank in range(2):
                told = float(re.search(rf"rank {rank} sent (\S+) \(input {re.escape(at)} of its sum\)", text)[1])
                self.assertAlmostEqual(told, gave[rank], places=4)
            self.assertAlmostEqual(expected, sum(gave), places=4)
            self.assertGreater(abs(got - expected), 1e-3)
            self.assertRegex(text, r"cause: bit \d+ of element \[\d+,\d+\] is flipped")

    def test_a_fault_on_each_side_of_the_collective(self):
        dump = self.dump(BELAY_FAULT="stuck@relu:29; saturate@bias; device=1")
        text = self.blame(dump, code=DIFFER)
        self.assertRegex(text, r"(?m)^guilty: rank 1, .*\brelu$")
        self.assertRegex(text, r"(?m)^guilty too, later: rank 1, Add bias")

    def test_as_json_and_of_several_roots(self):
        dump = self.dump(BELAY_FAULT="stuck@row:29; device=1")
        run_folder, = dump.iterdir()
        for dumps in ([dump], [run_folder], [run_folder / "0", run_folder / "1"]):
            report = json.loads(self.blame(*dumps, code=DIFFER, options=["--json"]))
            self.assertEqual([each["rank"] for each in report["first"]], [1])
            self.assertEqual(report["collectives"][0]["group"], "tp")
            verdicts = {(rank, op["op"]): op["verdict"] for rank, each in enumerate(report["ranks"]) for op in each["operators"]}
            self.assertEqual({key for key, verdict in verdicts.items() if verdict == "guilty"}, {(1, report["first"][0]["op"])})
            self.assertEqual((verdicts[0, "sum"], verdicts[1, "sum"]), ("clean", "clean"))

    def test_what_one_rank_sent_is_missing(self):
        """The other rank's dump says another input than what was summed up: as if a message had been lost."""
        dump = self.dump()
        for rank in range(2):
            for file in dump.rglob(f"{rank}/**/HcomAllReduce.sum.*"):
                header = read_dump.read(file)
                if not header.outputs:
                    continue
                # Only what rank 0 sent.
                sent = [read_dump.read(each) for each in dump.rglob("0/**/HcomAllReduce.sum.*")]
                alone = next(each.inputs[0].data for each in sent if each.inputs)
                content = file.read_bytes()
                if rank == 1:
                    file.write_bytes(content[:-len(alone)] + bytes(alone))
        text = self.blame(dump, code=DIFFER)
        self.assertIn("guilty: rank 1, HcomAllReduce sum", text)
        self.assertIn("cause: what rank 1 sent is missing in it", text)

    def test_one_dump_alone_says_that_it_takes_all_ranks(self):
        dump = self.dump()
        run_folder, = dump.iterdir()
        code, text = run(BELAY, "blame", run_folder / "0", self.models[0])
        self.assertEqual(code, AGREE, text)
        self.assertIn("not checkable: sum: ", text)
        self.assertIn("what it gives depends on other ranks; belay blame --ranks checks it", text)
        code, text = run(BELAY, "replay", run_folder / "0", self.models[0], "--op", "sum")
        self.assertNotEqual(code, AGREE, text)
        self.assertIn("belay blame --ranks", text)

    def test_wrong_use(self):
        dump = self.dump()
        run_folder, = dump.iterdir()
        self.assertIn("the dumps hold 2 ranks and there are 3 models", self.blame(dump, code=USAGE, models=self.models + self.models[:1]))
        self.assertIn("a dump came from one model", run(BELAY, "blame", run_folder / "0", *self.models)[1])
        text = self.blame(run_folder / "0", models=self.models[:1], code=BAD_INPUT)
        self.assertIn("missing: group tp has more ranks than the 1 in the dumps", text)
        self.assertIn("nobody is guilty in what the dumps hold", text)
        self.assertIn("not checkable: rank 0 sum: the other ranks of its group are not in the dumps", text)

    def test_files_that_are_gone_or_damaged(self):
        dump, clean = self.dump("damaged"), self.dump("clean")
        self.assertNotIn("missing", self.blame(dump))
        file, = dump.rglob("*/1/rank1/*/0/Add.bias.*")
        file.write_bytes(b"")
        code, text = run(BELAY, "compare", "--ranks", dump, clean)
        self.assertEqual(code, BAD_INPUT, text)
        self.assertIn("this is not a dump file: it has 0 bytes", text)
        file.unlink()
        text = self.blame(dump, code=BAD_INPUT)
        self.assertIn("missing: rank 1 has no record of Add bias, which rank 0 has", text)

    def test_an_output_file_of_the_collective_that_is_gone(self):
        dump = self.dump()
        self.collective(dump, 1)[1].unlink()
        text = self.blame(dump, code=BAD_INPUT)
        self.assertIn("missing: rank 1 has no record of the outputs of HcomAllReduce sum, which rank 0 has", text)
        self.assertIn("not checkable: rank 1 sum: its outputs were not dumped", text)
        self.assertIn("nobody is guilty in what the dumps hold", text)

    def test_nothing_that_could_be_checked(self):
        """Nothing is left but the inputs of the collective, on one rank and then on both."""
        dump = self.dump()
        for rank in (1, 0):
            before, _ = self.collective(dump, rank)
            for file in dump.rglob(f"*/{rank}/rank{rank}/*/0/*"):
                if file != before:
                    file.unlink()
            text = self.blame(dump, code=BAD_INPUT)
            self.assertIn(f"no operator of rank {rank} could be checked: is {self.ranks.folder}/rank{rank}.om the model", text)
        self.assertNotIn("missing", text)

    def test_input_and_output_of_the_collective_are_files_of_their_own(self):
        dump = self.dump()
        for rank in range(2):
            before, after = (read_dump.read(file) for file in self.collective(dump, rank))
            self.assertEqual([(len(each.inputs), len(each.outputs)) for each in (before, after)], [(1, 0), (0, 1)])
            half = slice(rank * HIDDEN // 2, (rank + 1) * HIDDEN // 2)
            np.testing.assert_allclose(np.frombuffer(before.inputs[0].data, np.float32).reshape(ROWS, OUT),
                                       np.maximum(X @ W1[:, half], 0) @ W2[half], rtol=1e-4, atol=1e-4)
            np.testing.assert_allclose(np.frombuffer(after.outputs[0].data, np.float32).reshape(ROWS, OUT), whole() - B2, rtol=1e-4, atol=1e-4)

    def test_compare_rank_by_rank(self):
        clean, again = self.dump("a"), self.dump("b", processes=True)
        code, text = run(BELAY, "compare", "--ranks", clean, again)
        self.assertEqual(code, AGREE, text)
        self.assertEqual(len(re.findall("agree: all [0-9]+ tensors are equal", text)), 2, text)
        broken = self.dump("c", BELAY_FAULT="stuck@bias:29; device=1")
        code, text = run(BELAY, "compare", "--ranks", broken, clean, f"--csv={WORK}/out.csv")
        self.assertEqual(code, DIFFER, text)
        first, second = text.split("\nrank 1\n")
        self.assertIn("agree: all", first)
        self.assertRegex(second, "differ in 1 of [0-9]+ tensors, first in bias output 0")
        self.assertTrue((pathlib.Path(WORK) / "out.rank1.csv").exists())
        run_folder, = broken.iterdir()
        code, text = run(BELAY, "compare", "--ranks", run_folder / "1", clean)
        self.assertEqual(code, BAD_INPUT, text)
        self.assertIn("has 1 ranks and", text)


if __name__ == "__main__":
    unittest.main()
