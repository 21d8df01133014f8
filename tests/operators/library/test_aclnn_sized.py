# SPDX-License-Identifier: Apache-2.0
"""Results whose size only the run tells: the tensor's view shape says it afterwards."""
import ctypes as c
import unittest

from aclnn_cases import *
from driver import AclnnCall, Memory, call, lib, pointer


def view_shape(handle):
    dims, rank = c.POINTER(c.c_int64)(), c.c_uint64()
    call("aclGetViewShape", pointer(handle), c.byref(dims), c.byref(rank))
    return tuple(dims[i] for i in range(rank.value))


def run(name, *arguments):
    """Both phases; the view shapes of the tensors afterwards, in the order in which they were given."""
    made = AclnnCall()
    converted = [made.convert(kind, value) for (kind, _), value in zip(PROTOTYPES[name], arguments)]
    size, executor, workspace = c.c_uint64(), c.c_void_p(), c.c_void_p()
    call(name + "GetWorkspaceSize", *converted, c.byref(size), c.byref(executor))
    if size.value:
        call("aclrtMalloc", c.byref(workspace), size, 0)
    call(name, workspace, size, executor, stream)
    call("aclrtSynchronizeStream", stream)
    made.fetch()
    counts[name] += 1
    return [view_shape(handle) for handle in made.tensors]


class Sized(Case):
    def expect(self, name, inputs, outputs, rest=()):
        """Outputs: (room, what must lie at its front)."""
        for layout in (np.ascontiguousarray, strided):
            given = [layout(v) if isinstance(v, np.ndarray) else v for v in inputs]
            rooms = [None if o is None else np.full(o[0], 77, o[1].dtype) for o in outputs]
            shapes = run(name, *given, *rest, *rooms)
            told = shapes[len(shapes) - sum(r is not None for r in rooms) :]
            for room, wanted, shape in zip([r for r in rooms if r is not None], [o[1] for o in outputs if o is not None], told):
                self.assertEqual(shape, wanted.shape, name)
                np.testing.assert_array_equal(room.reshape(-1)[: wanted.size], wanted.reshape(-1))
                self.assertTrue((room.reshape(-1)[wanted.size :] == 77).all() or room.dtype == bool)

    def test_masked_select(self):
        for dtype in (np.float32, np.int64, np.float16):
            x = ints(np.int32, 4, 5).astype(dtype)
            for mask in (rng.random((4, 5)) < 0.5, rng.random((4, 1)) < 0.5, np.zeros((4, 5), bool), np.ones((4, 5), bool)):
                self.expect("aclnnMaskedSelect", [x, mask], [((20,), x[np.broadcast_to(mask, x.shape)])])
        x, mask = f32(5), rng.random((3, 1)) < 0.5
        self.expect("aclnnMaskedSelect", [x, mask], [((15,), np.broadcast_to(x, (3, 5))[np.broadcast_to(mask, (3, 5))])])
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnMaskedSelect", f32(4, 5), np.ones((4, 5), bool), np.zeros(7, np.float32))
        self.assertIn("room for 20", caught.exception.message)

    def test_nonzero(self):
        for shape in ((4, 5), (7,), (2, 3, 4)):
            x = (rng.random(shape) < 0.4).astype(np.float32)
            want = np.argwhere(x)
            self.expect("aclnnNonzero", [x], [((x.size, x.ndim), want)])
            self.expect("aclnnNonzeroV2", [x], [((x.ndim, x.size), np.ascontiguousarray(want.T))])
        self.expect("aclnnNonzero", [np.zeros((3, 2), np.int32)], [((6, 2), np.zeros((0, 2), np.int64))])

    def test_unique(self):
        x = ints(np.int32, 4, 6, low=0, high=5)
        for dtype in (np.int32, np.float32, np.int8):
            x = x.astype(dtype)
            values, inverse, sizes = np.unique(x, return_inverse=True, return_counts=True)
            inverse = inverse.reshape(x.shape)
            self.expect("aclnnUnique2", [x], [((24,), values), (x.shape, inverse), ((24,), sizes)], (True, True, True))
            self.expect("aclnnUnique", [x], [((24,), values), (x.shape, inverse)], (True, True))
        self.expect("aclnnUnique2", [x], [((24,), values), None, None], (False, False, False))
        for dim in (0, 1, -1):
            y = np.concatenate([x, x], dim)
            values, inverse, sizes = np.unique(y, axis=dim, return_inverse=True, return_counts=True)
            self.expect("aclnnUniqueDim", [y], [(y.shape, values), ((y.shape[dim],), inverse.reshape(-1)), ((y.shape[dim],), sizes)], (True, True, dim))
        line = np.int64([3, 3, 1, 1, 1, 3, 2])
        outs = [((7,), np.int64([3, 1, 3, 2])), ((7,), np.int64([0, 0, 1, 1, 1, 2, 3])), ((7,), np.int64([2, 3, 1, 1]))]
        self.expect("aclnnUniqueConsecutive", [line], outs, (True, True, 1000))
        rows = np.int64([[1, 2], [1, 2], [0, 2]])
        outs = [((3, 2), np.int64([[1, 2], [0, 2]])), ((3,), np.int64([0, 0, 1])), ((3,), np.int64([2, 1]))]
        self.expect("aclnnUniqueConsecutive", [rows], outs, (True, True, 0))

    def test_repeats(self):
        x, times = f32(3, 4), np.int64([2, 0, 3, 1])
        check("RepeatInterleaveWithDim", x, times, 1, 6, Out(np.repeat(x, times, 1)))
        check("RepeatInterleaveWithDim", x, np.int64([2]), 0, 6, Out(np.repeat(x, 2, 0)))
        check("RepeatInterleave", x.reshape(-1)[:4], times, 6, Out(np.repeat(x.reshape(-1)[:4], times)))
        self.refused(161002, "out is", "RepeatInterleaveWithDim", x, times, 1, 7, Out(np.repeat(x, times, 1)))
        self.refused(507015, "do not add up", "RepeatInterleaveWithDim", x, np.int64([2, 2**63 - 1, 1, 0])[: len(times)], 1, 6, Out(np.repeat(x, times, 1)))
        with self.assertRaises(Refused) as caught:
            aclnn(stream, "aclnnRepeatInterleaveWithDim", x, times, 1, 7, np.zeros((3, 7), np.float32))
        self.assertIn("add up to 6", caught.exception.message)


if __name__ == "__main__":
    main()
