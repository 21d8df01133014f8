# SPDX-License-Identifier: Apache-2.0
"""Every collective operator inside models, over 2 and 3 ranks and all types, against numpy: bit by bit.

usage: test_models.py ATC PROGRAM BELAY DIRECTORY
"""
import functools
import os
import sys
import unittest

import numpy as np

from rank_models import Bfloat16, Ranks, helper, hcom, onnx_type
from places import rank_table

ATC, PROGRAM, BELAY, WORK = (os.path.abspath(sys.argv.pop(1)) for _ in range(4))
REDUCED = ["float32", "float16", "bfloat16", "int8", "int16", "int32", "int64"]
MOVED = REDUCED + ["uint8", "uint16", "uint32", "uint64", "float64"]
RANDOM = np.random.default_rng(17)


def stored(kind):
    return np.dtype("uint16" if kind == "bfloat16" else kind)


def numbers(kind, *shape):
    if kind == "bfloat16":
        return Bfloat16.narrow(RANDOM.standard_normal(shape))
    if np.dtype(kind).kind == "f":
        return RANDOM.standard_normal(shape).astype(kind)
    return RANDOM.integers(np.iinfo(kind).min, np.iinfo(kind).max, shape, dtype=kind, endpoint=True)


def reduced(kind, op, arrays):
    """In the order of the ranks, rounded after each."""
    function = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}[op]
    if kind == "bfloat16":
        return functools.reduce(lambda a, b: Bfloat16.narrow(function(Bfloat16.wide(a), Bfloat16.wide(b))), arrays)
    with np.errstate(over="ignore"):
        return functools.reduce(lambda a, b: function(a, b).astype(kind), arrays)


class Operators(unittest.TestCase):
    """One model with all of them; each rank's outputs are computed here from what all ranks put in."""

    def ranks(self, name):
        return Ranks(os.path.join(WORK, name), ATC, PROGRAM, BELAY)

    def counts(self, size):
        return [[(3 * i + 2 * j) % 5 for j in range(size)] for i in range(size)]

    def make(self, kind, size, group="tp"):
        """The models, and the results that numpy expects, by rank."""
        ranks = self.ranks(f"{kind}_{size}")
        rows, counts = 2 * size, self.counts(size)
        parts = [size - i for i in range(size)]  # of the V forms in which all know all counts
        begins = [1 + sum(parts[:i]) + i for i in range(size)]
        reach = begins[-1] + parts[-1]
        x = [numbers(kind, rows, 3) for _ in range(size)]
        v = [numbers(kind, sum(counts[i]) + 2) for i in range(size)]
        g = [numbers(kind, parts[i]) for i in range(size)]
        s = [numbers(kind, reach) for _ in range(size)]
        ops = ["sum", "max", "min"] + ["prod"] * (kind not in ("int16", "bfloat16")) if kind in REDUCED else []
        want = []
        for rank in range(size):
            nodes, outputs, expected, constants = [], {}, [], {}

            def give(op, inputs, shape, result, **attributes):
                name = f"{op}_{len(nodes)}"
                nodes.append(hcom(op, inputs, [name], group=group, **attributes))
                outputs[name] = (kind, shape)
                expected.append(result)

            def constant(name, values):
                constants[name] = np.array(values, np.int64)
                return name

            for op in ops:
                everything = reduced(kind, op, x)
                give("HcomAllReduce", ["x"], (rows, 3), everything, reduction=op)
                give("HcomReduceScatter", ["x"], (2, 3), everything[2 * rank:2 * rank + 2], reduction=op, rank_size=size)
                give("HcomReduce", ["x"], (rows, 3), everything if rank == 1 else np.zeros((rows, 3), stored(kind)), reduction=op, root_rank=1)
                if op == "sum":
                    at = slice(begins[rank], begins[rank] + parts[rank])
                    give("HcomReduceScatterV", ["s", constant("own_s", [parts[rank]]), constant("parts", parts), constant("begins", begins)],
                         (parts[rank],), reduced(kind, op, s)[at], reduction=op)
            give("HcomAllGather", ["x"], (rows * size, 3), np.concatenate(x), rank_size=size)
            give("HcomBroadcast", ["x"], (rows, 3), x[size - 1], root_rank=size - 1)
            give("HcomAllToAll", ["x"], (rows, 3), np.concatenate([x[i][2 * rank:2 * rank + 2] for i in range(size)]), rank_size=size)
            gathered = np.zeros(reach, stored(kind))
            for i in range(size):
                gathered[begins[i]:begins[i] + parts[i]] = g[i]
            give("HcomAllGatherV", ["g", constant("own_g", [parts[rank]]), constant("parts", parts), constant("begins", begins)], (reach,), gathered)
            give("HcomAllGatherV", ["g", "own_g", "parts"], (sum(parts),), np.concatenate(g))
            row, column = counts[rank], [counts[i][rank] for i in range(size)]
            taken = [v[i][sum(counts[i][:rank]):sum(counts[i][:rank + 1])] for i in range(size)]
            give("HcomAllToAllVC", ["v", constant("matrix", counts)], (sum(column),), np.concatenate(taken), rank=rank)
            # The parts that arrive are laid in reverse order, with a gap before each.
            spread, at, places = [], 0, [0] * size
            for i in reversed(range(size)):
                places[i] = at + 1
                spread += [np.zeros(1, stored(kind)), taken[i]]
                at += 1 + column[i]
            while len(spread) > 1 and not len(spread[-1]):
                spread = spread[:-2]  # a part without elements reaches nowhere
            reachable = np.concatenate(spread)
            give("HcomAllToAllV", ["v", constant("give", row), constant("give_at", np.cumsum([0] + row[:-1])), constant("take", column),
                                   constant("take_at", places)], (len(reachable),), reachable)
            # Round in a circle; rank 0 sends first.
            after, before = (rank + 1) % size, (rank - 1) % size
            send = hcom("HcomSend", ["x"], [], name="send", group=group, dest_rank=after, sr_tag=7)
            receive = hcom("HcomReceive", [], ["received"], group=group, src_rank=before, sr_tag=7, shape=[rows, 3], dtype=onnx_type(kind))
            nodes += [send, receive] if rank == 0 else [receive, send]
            outputs["received"] = (kind, (rows, 3))
            expected.append(x[before])
            ranks.add(nodes, {name: (kind, array[rank]) for name, array in zip("xvgs", (x, v, g, s)) if name != "s" or ops}, outputs, constants)
            want.append((list(outputs), expected))
        return ranks, want

    def check(self, ranks, want, **variables):
        self.assertEqual(ranks.run(**variables), 0, ranks.printed)
        for rank, (names, expected) in enumerate(want):
            for name, result, should in zip(names, ranks.results(rank), expected):
                self.assertEqual(result.tobytes(), should.tobytes(), f"rank {rank}, {name}:\n{result}\nshould be\n{should}")

    def test_all_types_as_threads(self):
        for kind in MOVED:
            for size in (2, 3):
                with self.subTest(kind=kind, size=size):
                    self.check(*self.make(kind, size))

    def test_as_processes(self):
        for kind, size in (("float32", 2), ("float16", 3), ("int8", 2)):
            with self.subTest(kind=kind, size=size):
                self.check(*self.make(kind, size), processes=True)

    def test_executed_often(self):
        self.check(*self.make("float32", 3), REPEAT="5")

    def test_the_world_of_a_rank_table(self):
        ranks, want = self.make("float32", 2, group="hccl_world_group")
        self.addCleanup((ranks.folder / "table.json").unlink)  # other tests use the folder
        (ranks.folder / "table.json").write_text(rank_table(2))
        for processes in (False, True):
            self.check(ranks, want, processes=processes)

    def test_large_tensors(self):
        ranks, x = self.ranks("large"), [numbers("float32", 3, 70001) for _ in range(3)]
        for rank in range(3):
            ranks.add([hcom("HcomAllReduce", ["x"], ["y"]), hcom("HcomAllGather", ["x"], ["z"], rank_size=3)], {"x": x[rank]},
                      {"y": ("float32", (3, 70001)), "z": ("float32", (9, 70001))})
        want = [(["y", "z"], [reduced("float32", "sum", x), np.concatenate(x)])] * 3
        for processes in (False, True):
            self.check(ranks, want, processes=processes)

    def test_a_group_of_some_ranks(self):
        """Ranks 1 and 2 have one of their own."""
        ranks, x = self.ranks("half"), [numbers("float32", 4) for _ in range(3)]
        want = []
        for rank in range(3):
            nodes, outputs = [hcom("HcomAllReduce", ["x"], ["all"])], {"all": ("float32", (4,))}
            expected = [reduced("float32", "sum", x)]
            if rank:
                nodes.append(hcom("HcomAllReduce", ["all"], ["some"], group="half", reduction="max"))
                outputs["some"] = ("float32", (4,))
                nodes.append(hcom("HcomAllGather", ["x"], ["both"], group="half", rank_size=2))
                outputs["both"] = ("float32", (8,))
                expected += [expected[0], np.concatenate(x[1:])]
            ranks.add(nodes, {"x": x[rank]}, outputs)
            want.append((list(outputs), expected))
        for processes in (False, True):
            self.check(ranks, want, processes=processes, SPLIT="1")

    def test_counts_that_only_the_run_tells(self):
        counts = [[1, 2], [3, 4]]
        ranks, x = self.ranks("late"), [numbers("int32", sum(counts[i])) for i in range(2)]
        for rank in range(2):
            ranks.add([hcom("HcomAllToAllVC", ["x", "matrix"], ["y"], rank=rank)], {"x": x[rank], "matrix": np.array(counts, np.int64)},
                      {"y": ("int32", ("n",))})
        self.check(ranks, [(["y"], [np.concatenate([x[0][:1], x[1][:3]])]), (["y"], [np.concatenate([x[0][1:], x[1][3:]])])])

    def test_one_rank_alone(self):
        ranks, x = self.ranks("alone"), numbers("float32", 4)
        ranks.add([hcom("HcomAllReduce", ["x"], ["y"]), hcom("HcomAllGather", ["x"], ["z"], rank_size=1)], {"x": x},
                  {"y": ("float32", (4,)), "z": ("float32", (4,))})
        self.check(ranks, [(["y", "z"], [x, x])])

    def test_constants_are_not_computed_alone(self):
        """What is gathered of a constant depends on the other rank; what nobody reads is done all the same."""
        ranks, x = self.ranks("constant"), numbers("float32", 2)
        for rank in range(2):
            weight = np.full(2, rank + 1, np.float32)
            ranks.add([hcom("HcomAllReduce", ["w"], ["s"]), hcom("HcomAllReduce", ["x"], ["unread"]), helper.make_node("Add", ["x", "s"], ["y"])],
                      {"x": x}, {"y": ("float32", (2,))}, {"w": weight})
        self.check(ranks, [(["y"], [x + np.float32(3)])] * 2)

    def test_half_precision(self):
        ranks, x = self.ranks("forced"), [numbers("float32", 5) for _ in range(2)]
        for rank in range(2):
            ranks.add([hcom("HcomAllReduce", ["x"], ["y"])], {"x": x[rank]}, {"y": ("float32", (5,))}, options=["--precision_mode=force_fp16"])
        halves = reduced("float16", "sum", [each.astype(np.float16) for each in x]).astype(np.float32)
        self.check(ranks, [(["y"], [halves])] * 2)


class Refusals(unittest.TestCase):
    def pair(self, name, nodes_of, kind="float32", shape=(4,), out=(4,)):
        ranks = Ranks(os.path.join(WORK, name), ATC, PROGRAM, BELAY)
        for rank in range(2):
            ranks.add(nodes_of(rank), {"x": np.ones(shape, kind)}, {"y": (kind, out)})
        return ranks

    def test_no_communicator_names_the_group_and_what_makes_it(self):
        ranks = self.pair("none", lambda rank: [hcom("HcomAllReduce", ["x"], ["y"], name="ar")])
        self.assertEqual(ranks.run(GROUP="-"), 1, ranks.printed)
        for rank in range(2):
            self.assertIn(f"rank {rank}: 507015", ranks.printed)
        self.assertIn('HcomAllReduce ar: device 1 has no communicator of group "tp"; make it before the model runs, with HcomCreateGroup', ranks.printed)
        world = self.pair("world", lambda rank: [hcom("HcomAllReduce", ["x"], ["y"], group="hccl_world_group")])
        self.assertEqual(world.run(GROUP="-"), 1, world.printed)
        self.assertIn("from a rank table with HcclCommInitClusterInfo", world.printed)

    def test_ranks_that_do_not_agree_are_told_so(self):
        ranks = self.pair("disagree", lambda rank: [hcom("HcomAllReduce", ["x"], ["y"], reduction="sum" if rank else "max")])
        for processes in (False, True):
            self.assertNotEqual(ranks.run(processes=processes), 0, ranks.printed)
            self.assertIn("507048, asynchronous error 1", ranks.printed)
            self.assertRegex(ranks.printed, "the ranks do not agree on operation 1: op is (sum|max) on rank [01] and (sum|max) on rank [01]")

    def test_counts_that_do_not_agree_are_named(self):
        ranks = Ranks(os.path.join(WORK, "counts"), ATC, PROGRAM, BELAY)
        for rank, parts in enumerate(([4, 3], [4, 2])):
            ranks.add([hcom("HcomAllGatherV", ["x", "own", "parts"], ["y"])], {"x": np.ones(4, np.float32)}, {"y": ("float32", (sum(parts),))},
                      {"own": np.array([parts[rank]], np.int64), "parts": np.array(parts, np.int64)})
        for processes in (False, True):
            self.assertNotEqual(ranks.run(processes=processes), 0, ranks.printed)
            self.assertRegex(ranks.printed, r"recv_counts\[1\] is (3 on rank 0 and 2 on rank 1|2 on rank 1 and 3 on rank 0)")

    def test_tags_of_messages_must_agree(self):
        def nodes(rank):
            if rank == 0:
                return [hcom("HcomSend", ["x"], [], name="send", dest_rank=1, sr_tag=3), helper.make_node("Relu", ["x"], ["y"])]
            return [hcom("HcomReceive", [], ["y"], src_rank=0, sr_tag=4, shape=[4], dtype=1)]
        ranks = self.pair("tags", nodes)
        self.assertNotEqual(ranks.run(), 0, ranks.printed)
        self.assertRegex(ranks.printed, "the ranks do not agree: sr_tag is 4 on rank 1 and 3 on rank 0")

    def test_types_that_are_not_reduced(self):
        ranks = self.pair("double", lambda rank: [hcom("HcomAllReduce", ["x"], ["y"])], "float64")
        self.assertNotEqual(ranks.run(), 0, ranks.printed)
        self.assertIn("elements of type DT_DOUBLE have no sum over ranks", ranks.printed)

    def test_a_model_for_another_number_of_ranks(self):
        ranks = self.pair("three", lambda rank: [hcom("HcomAllGather", ["x"], ["y"], rank_size=3)], out=(12,))
        self.assertNotEqual(ranks.run(), 0, ranks.printed)
        self.assertIn('the model was made for 3 ranks, and group "tp" has 2', ranks.printed)

    def test_what_atc_refuses(self):
        for node, why in ((hcom("HcomAllGather", ["x"], ["y"]), "the attribute rank_size is missing"),
                          (hcom("HcomReduceScatter", ["x"], ["y"], rank_size=3), "dimension 0 of x is 4, which 3 ranks cannot share evenly"),
                          (hcom("HcomAllReduce", ["x"], ["y"], reduction="mean"), 'reduction is "mean"; it must be sum, prod, max or min'),
                          (hcom("HcomRemoteRead", ["x"], ["y"]), "no GE operator is known for it")):
            with self.assertRaisesRegex(AssertionError, why):
                self.pair("refused", lambda rank: [node])

    def test_another_operator_that_fails_ends_the_others(self):
        ranks = self.pair("fails", lambda rank: [helper.make_node("Relu", ["x"], ["r"], "r"), hcom("HcomAllReduce", ["r"], ["y"])])
        for processes in (False, True):
            self.assertNotEqual(ranks.run(processes=processes, BELAY_FAULT="fail@r; device=1"), 0, ranks.printed)
            self.assertRegex(ranks.printed, "rank 1: 5070(15|48), .*Relu r: it fails because BELAY_FAULT")  # or its next operation's
            self.assertRegex(ranks.printed, 'rank 0: 507048, asynchronous error 21: .*rank 1 of group "tp" cannot go on: its model failed: Relu r: ')

    def test_a_model_that_is_dropped_before_it_runs_ends_the_others(self):
        ranks = self.pair("dropped", lambda rank: [hcom("HcomAllReduce", ["x"], ["y"])])
        for processes in (False, True):
            self.assertNotEqual(ranks.run(processes=processes, DROP="1"), 0, ranks.printed)
            self.assertRegex(ranks.printed, r'rank 0: 507048, asynchronous error 21: .*rank 1 of group "tp" did not run its model: its stream was aborted')


if __name__ == "__main__":
    unittest.main()
