# SPDX-License-Identifier: Apache-2.0
"""Statistics files against numpy: every type, special values in every place, nothing at all."""
import numpy as np
import read_dump
from dump_content import onnx_type
from dump_support import BOTH, DumpTest, helper, main, model

ALL = ["Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm"]


def shown(value, integer):
    return str(int(value)) if integer else "%g" % float(value)


def expected(values):
    """What the columns must show, by numpy, in the order of the file."""
    integer = not np.issubdtype(values.dtype, np.floating)
    wide = values.astype(np.float64)
    numbers = wide[~np.isnan(wide)]
    row = {"Count": str(values.size)}
    if values.size == 0:
        return {**row, "Max Value": "NA", "Min Value": "NA", "Avg Value": "NA", "Nan Count": "NA",
                "Negative Inf Count": "NA", "Positive Inf Count": "NA", "l2norm": "NA"}  # fmt: skip
    row["Max Value"] = shown(values[~np.isnan(wide)].max(), integer) if numbers.size else "nan"
    row["Min Value"] = shown(values[~np.isnan(wide)].min(), integer) if numbers.size else "nan"
    with np.errstate(invalid="ignore", over="ignore"):
        row["Avg Value"] = "%g" % wide.mean() if not np.isnan(wide.mean()) else "nan"
        norm = np.sqrt(np.sum(wide * wide))
    row["Nan Count"] = str(int(np.isnan(wide).sum()))
    row["Negative Inf Count"] = str(int(np.isneginf(wide).sum()))
    row["Positive Inf Count"] = str(int(np.isposinf(wide).sum()))
    row["l2norm"] = "%g" % norm if not np.isnan(norm) else "nan"
    return row


def special(kind, what):
    """A tensor with `what` at the first, a middle, the last place."""
    base = np.linspace(-3, 5, 1001).astype(kind)
    for place in (0, 500, 1000):
        values = base.copy()
        values[place] = what
        yield values


class Statistics(DumpTest):
    def dump(self, tensors, place, **keys):
        """The statistics of the tensors, which are inputs of Concat operators; rows of each."""
        (self.work / place).mkdir()
        kind = onnx_type(tensors[0].dtype.type)
        nodes = [helper.make_node("Concat", [f"in{i}"] * 2, [f"c{i}"], f"op{i}", axis=0) for i in range(len(tensors))]
        ins = [(f"in{i}", kind, list(t.shape)) for i, t in enumerate(tensors)]
        outs = [(f"c{i}", kind, [2 * t.shape[0], *t.shape[1:]]) for i, t in enumerate(tensors)]
        self.write(f"{place}.onnx", model(nodes, ins, outs))
        self.write(f"{place}.bin", b"".join(t.tobytes() for t in tensors))
        config = self.config(path=place, dump_list=[{}], dump_mode="all", dump_data="stats", **keys)
        self.drive(f"init={config}", f"input={place}.bin", f"load={place}.onnx", "run", "finalize")
        files = {e.op_name: read_dump.read_statistics(e.path) for e in self.entries(place) if e.op_type != "Data"}
        return [files.get(f"op{i}") for i in range(len(tensors))]

    def check(self, tensors, place):
        for values, rows in zip(tensors, self.dump(tensors, place, dump_stats=ALL)):
            self.assertEqual([(row["Input/Output"], row["Index"]) for row in rows],
                             [("Input", "0"), ("Input", "1"), ("Output", "0")])  # fmt: skip
            for row, tensor in zip(rows, (values, values, np.concatenate([values, values]))):
                self.assertEqual(row["Data Size"], str(tensor.nbytes))
                self.assertEqual(row["Shape"], "x".join(map(str, tensor.shape)))
                self.assertEqual({key: row[key] for key in expected(tensor)}, expected(tensor))

    def test_every_type(self):
        rng = np.random.default_rng(1)
        for kind in (np.float32, np.float16, np.float64, np.int8, np.uint8, np.int16, np.int32, np.int64, np.bool_):
            with self.subTest(kind.__name__):
                shapes = ((1,), (3, 5), (2, 3, 4, 5, 6), (70001,))
                self.check([(rng.standard_normal(shape) * 40).astype(kind) for shape in shapes], kind.__name__)

    def test_special_values_in_every_place(self):
        for kind in (np.float32, np.float16, np.float64):
            for what in (np.nan, np.inf, -np.inf):
                with self.subTest(f"{kind.__name__} {what}"):
                    self.check(list(special(kind, what)), f"{kind.__name__}{what}")
        mixed = np.linspace(0, 1, 99, dtype=np.float32)
        mixed[[3, 50, 98]] = np.nan, np.inf, -np.inf
        denormals = np.full(100, 1e-42, np.float32)
        self.check([mixed, denormals, np.full(7, np.nan, np.float32)], "mixed")

    def test_extremes_of_integers(self):
        for kind in (np.int8, np.int16, np.int32, np.int64):
            info = np.iinfo(kind)
            rows = self.dump([np.array([info.min, 0, info.max], kind)], kind.__name__)[0]
            self.assertEqual((rows[0]["Min Value"], rows[0]["Max Value"]), (str(info.min), str(info.max)))

    def test_usual_columns_and_a_selection(self):
        self.run_tiny(self.config(dump_list=[{"model_name": "tiny"}], dump_data="stats"))
        self.assertEqual(self.names(), BOTH)
        self.assertEqual(
            self.entries()[0].path.read_text(),
            "Input/Output,Index,Data Size,Data Type,Format,Shape,Max Value,Min Value,Avg Value,Count,Nan Count,"
            "Negative Inf Count,Positive Inf Count\nOutput,0,16,DT_FLOAT,NCHW,1x1x2x2,8,2,5,4,0,0,0\n")  # fmt: skip
        (self.work / "d2").mkdir()
        self.run_tiny(self.config(path="d2", dump_list=[{}], dump_data="stats", dump_stats=["L2norm", "Max"]))
        header = "Input/Output,Index,Data Size,Data Type,Format,Shape,Count,Max Value,l2norm\n"
        rows = ["Output,0,16,DT_FLOAT,NCHW,1x1x2x2,4,8,10.9545\n", "Output,0,16,DT_FLOAT,NCHW,1x1x2x2,4,4,5.47723\n",
                "Output,0,16,DT_FLOAT,NCHW,1x1x2x2,4,0.880797,1.25699\n"]  # fmt: skip
        self.assertEqual([entry.path.read_text() for entry in self.entries("d2")], [header + row for row in rows])
        self.assertTrue(all(entry.path.name.endswith(".csv") for entry in self.entries("d2")))

    def test_values_change_from_step_to_step(self):
        self.write("neg.onnx", model([helper.make_node("Neg", ["x"], ["y"], "neg")], [("x", 1, [4])], [("y", 1, [4])]))
        config = self.config(dump_list=[{}], dump_data="stats", dump_mode="all")
        self.write("one.bin", np.float32([1, 2, 3, 4]).tobytes())
        self.write("two.bin", np.float32([5, 6, 7, 8]).tobytes())
        self.drive(f"init={config}", "input=one.bin", "load=neg.onnx", "run", "input=two.bin", "load=neg.onnx", "run", "run",
                   "finalize")  # fmt: skip
        rows = [read_dump.read_statistics(e.path) for e in self.entries() if e.op_name == "neg"]
        self.assertEqual([r[0]["Max Value"] for r in rows], ["4", "8", "8"])
        self.assertEqual([r[1]["Max Value"] for r in rows], ["-1", "-5", "-5"])

    def write_chain(self):
        """Operators that may write over what they read; what each of them reads and gives."""
        names, functions = ["Neg", "Abs", "Exp", "Sqrt", "Neg"], [np.negative, np.abs, np.exp, np.sqrt, np.negative]
        values = [np.linspace(-2, 3, 5000, dtype=np.float32)]
        for function in functions:
            values.append(function(values[-1]))
        nodes = [helper.make_node(name, [f"v{i}"], [f"v{i + 1}"], f"op{i}") for i, name in enumerate(names)]
        self.write("chain.onnx", model(nodes, [("v0", 1, [5000])], [("v5", 1, [5000])]))
        self.write("chain.bin", values[0].tobytes())
        return values

    def test_an_operator_that_writes_over_its_input_has_the_statistics_of_both(self):
        values = self.write_chain()
        for number, layers in enumerate(({}, {"layer": ["op2"]})):  # the second: nobody measured what it reads
            (self.work / f"c{number}").mkdir()
            config = self.config(path=f"c{number}", dump_list=[layers], dump_mode="all", dump_data="stats")
            self.drive(f"init={config}", "input=chain.bin", "load=chain.onnx", "run=2", "finalize")
            entries = [e for e in self.entries(f"c{number}") if e.op_type != "Data"]
            self.assertEqual(len(entries), 2 if layers else 10)
            for entry in entries:
                i = int(entry.op_name[2:])
                rows = read_dump.read_statistics(entry.path)
                self.assertEqual([row["Input/Output"] for row in rows], ["Input", "Output"])
                for row, want in zip(rows, (values[i], values[i + 1])):
                    for column, number_of in (("Max Value", np.max), ("Min Value", np.min), ("Avg Value", np.mean)):
                        self.assertAlmostEqual(float(row[column]), float(number_of(want.astype(np.float64))), places=4)

    def test_a_later_configuration_finds_the_inputs_of_a_model_that_was_loaded_for_statistics(self):
        values = self.write_chain()
        (self.work / "tensors").mkdir()
        stats = self.config("stats.json", dump_list=[{}], dump_mode="all", dump_data="stats")
        tensors = self.config("tensors.json", path="tensors", dump_list=[{}], dump_mode="all")
        self.drive("init", "initdump", f"setdump={stats}", "input=chain.bin", "load=chain.onnx", f"setdump={tensors}", "run",
                   "finalizedump", "finalize")  # fmt: skip
        seen = {}
        for entry in self.entries("tensors"):
            dump = read_dump.read(entry.path)
            for side, found in (("in", dump.inputs), ("out", dump.outputs)):
                for tensor in found:
                    seen[entry.op_name, side] = tensor.array()
        for i in range(5):
            np.testing.assert_allclose(seen[f"op{i}", "in"], values[i], rtol=1e-5)
            np.testing.assert_allclose(seen[f"op{i}", "out"], values[i + 1], rtol=1e-5)


if __name__ == "__main__":
    main()
