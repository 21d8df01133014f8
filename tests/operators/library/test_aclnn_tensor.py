# SPDX-License-Identifier: Apache-2.0
"""aclnn functions that move, reduce and multiply tensors, against numpy."""
from aclnn_cases import *
from driver import UNDEFINED

FLOAT, INT64 = 0, 9


class Matrices(Case):
    def test_matmul_of_all_ranks(self):
        for left, right in [((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)), ((2, 3, 4), (4, 5)),
                            ((2, 3, 4), (2, 4, 5)), ((2, 1, 3, 4), (3, 4, 5)), ((3, 0), (0, 5))]:
            a, b = f32(*left), f32(*right)
            check("Matmul", a, b, Out(np.matmul(a, b), tolerance=1e-4), 0)

    def test_products(self):
        a, b, x, v = f32(3, 4), f32(4, 5), f32(3, 5), f32(4)
        for dtype, tolerance in {np.float32: 1e-4, np.float16: 1e-2, np.float64: 1e-9}.items():
            p, q = a.astype(dtype), b.astype(dtype)
            check("Mm", p, q, Out((p.astype(np.float64) @ q).astype(dtype), tolerance=tolerance), 0)
        check("Mm", a.T, a, Out(a.T @ a, tolerance=1e-4), 0)
        check("Addmm", x, a, b, 1.0, 1.0, Out(x + a @ b, tolerance=1e-4), 0)
        check("Addmm", x[0], a, b, 0.5, 2.0, Out(0.5 * x[0] + 2 * (a @ b), tolerance=1e-4), 0)
        check("Addmm", np.full_like(x, np.nan), a, b, 0.0, 1.0, Out(a @ b, tolerance=1e-4), 0)
        check("InplaceAddmm", InOut(x, x + a @ b, 1e-4), a, b, 1.0, 1.0, 0)
        check("Mv", a, v, Out(a @ v, tolerance=1e-4), 0)
        check("Dot", v, v + 1, Out(np.dot(v, v + 1), tolerance=1e-4))
        check("Ger", v, v[:3], Out(np.outer(v, v[:3])))
        check("Addmv", x[:, 0].copy(), a, v, 2.0, 0.5, Out(0.5 * x[:, 0] + 2 * (a @ v), tolerance=1e-4), 0)
        check("Addr", np.zeros((4, 3), np.float32), v, v[:3], 1.0, 1.0, Out(np.outer(v, v[:3])))
        check("Gemm", a, a, np.zeros((4, 4), np.float32), 1.0, 1.0, 1, 0, Out(a.T @ a, tolerance=1e-4), 0)
        c, d = f32(2, 3, 4), f32(2, 4, 5)
        check("BatchMatMul", c, d, Out(c @ d, tolerance=1e-4), 0)
        check("Baddbmm", np.stack([x, x]), c, d, 1.0, 1.0, Out(x + c @ d, tolerance=1e-4), 0)
        check("Addbmm", x, c, d, 1.0, 1.0, Out(x + (c @ d).sum(0), tolerance=1e-4), 0)

    def test_wrong_shapes(self):
        a = f32(3, 4)
        self.refused(161002, "2 dimensions", "Mm", a, f32(2, 4, 5), Out(f32(3, 5)), 0)
        self.refused(161002, "", "Mm", a, f32(3, 5), Out(f32(3, 5)), 0)
        self.refused(161002, "shape", "Mm", a, f32(4, 5), Out(f32(3, 6)), 0)


class Reductions(Case):
    def test_sums_and_means(self):
        x = f32(2, 3, 4)
        for dims in ([0], [1, 2], [-1], [], [0, 1, 2]):
            axes = tuple(dims) if dims else None
            for keep in (False, True):
                check("ReduceSum", x, dims, keep, FLOAT, Out(x.sum(axes, keepdims=keep), tolerance=1e-4))
                check("Mean", x, dims, keep, FLOAT, Out(x.mean(axes, keepdims=keep), tolerance=1e-4))
                check("Amax", x, dims, keep, Out(x.max(axes, keepdims=keep)))
                check("Amin", x, dims, keep, Out(x.min(axes, keepdims=keep)))
        i = ints(np.int32, 3, 4)
        check("ReduceSum", i, [0], False, INT64, Out(i.sum(0, dtype=np.int64)))
        check("ReduceSum", i, [0], False, FLOAT, Out(i.sum(0).astype(np.float32)))
        check("Mean", i, [1], False, FLOAT, Out(i.mean(1).astype(np.float32)))
        check("ReduceSum", np.zeros((0, 3), np.float32), [0], False, FLOAT, Out(np.zeros(3, np.float32)))
        check("Prod", x, FLOAT, Out(np.prod(x), tolerance=1e-4))
        check("ProdDim", x, 1, False, FLOAT, Out(np.prod(x, 1), tolerance=1e-4))
        check("Max", x, Out(x.max()))
        check("Min", i, Out(i.min()))
        check("MaxV2", x, [0, 2], True, False, Out(x.max((0, 2), keepdims=True)))
        check("MaxV2", x, [], False, True, Out(x))
        check("MaxV2", x, [], False, False, Out(x.max()))
        check("MeanV2", x, [], True, True, Out(x))
        check("Aminmax", x, [1], False, Out(x.min(1)), Out(x.max(1)))
        check("AminmaxDim", x, 2, True, Out(x.min(2, keepdims=True)), Out(x.max(2, keepdims=True)))
        check("MeanV2", x, [1], True, False, Out(x.mean(1, keepdims=True), tolerance=1e-4))
        holes = np.where(x > 1, np.float32(np.nan), x)
        check("ReduceNansum", holes, [0], False, FLOAT, Out(np.nansum(holes, 0), tolerance=1e-4))
        check("AminmaxAll", x, Out(x.min()), Out(x.max()))
        self.refused(161002, "outside", "Amax", x, [3], False, Out(x[0]))
        self.refused(161002, "twice", "Amax", x, [0, 0], False, Out(x[0]))

    def test_extremes_and_their_places(self):
        for dtype in (np.float32, np.float16, np.int32, np.int64):
            x = rng.permutation(24).reshape(2, 3, 4).astype(dtype)
            for dim in (0, 1, -1):
                check("MaxDim", x, dim, False, Out(x.max(dim)), Out(x.argmax(dim)))
                check("MinDim", x, dim, True, Out(x.min(dim, keepdims=True)), Out(np.expand_dims(x.argmin(dim), dim)))
                check("ArgMax", x, dim, False, Out(x.argmax(dim)))
                check("ArgMin", x, dim, True, Out(np.expand_dims(x.argmin(dim), dim)))

    def test_truth(self):
        x = np.array([[0, 1, 2], [3, 0, 0]], np.float32)
        for name, f in {"All": np.all, "Any": np.any}.items():
            check(name, x, [0], False, Out(f(x, 0)))
            check(name, x, [1], True, Out(f(x, 1, keepdims=True)))
            check(name, x.astype(bool), [0, 1], False, Out(f(x)))

    def test_moments_and_norms(self):
        x = f32(3, 4, 5)
        check("Var", x, [1], True, False, Out(x.var(1, ddof=1), tolerance=1e-4))
        check("Var", x, [0, 2], False, True, Out(x.var((0, 2), ddof=0, keepdims=True), tolerance=1e-4))
        check("VarMean", x, [2], 1, False, Out(x.var(2, ddof=1), tolerance=1e-4), Out(x.mean(2), tolerance=1e-4))
        check("VarCorrection", x, [1], 2, False, Out(x.var(1, ddof=2), tolerance=1e-4))
        check("StdMeanCorrection", x, [2], 1, True, Out(x.std(2, ddof=1, keepdims=True), tolerance=1e-4),
              Out(x.mean(2, keepdims=True), tolerance=1e-4))
        check("Std", x, [1], 1, False, Out(x.std(1, ddof=1), tolerance=1e-4))
        for p in (0.0, 1.0, 2.0, 3.0, float("inf"), float("-inf")):
            want = np.linalg.norm(x.astype(np.float64), p, 1).astype(np.float32)
            check("Norm", x, p, [1], False, Out(want, tolerance=1e-4))
            check("LinalgVectorNorm", x, p, [1], False, FLOAT, Out(want, tolerance=1e-4))
        check("LogSumExp", x, [1], False, Out(np.log(np.exp(x).sum(1)), tolerance=1e-4))

    def test_running_sums(self):
        x, i = f32(3, 4), ints(np.int32, 3, 4)
        check("Cumsum", x, 1, FLOAT, Out(x.cumsum(1), tolerance=1e-4))
        check("Cumsum", i, 0, INT64, Out(i.cumsum(0)))
        check("CumsumV2", x, 0, False, True, Out(x[::-1].cumsum(0)[::-1], tolerance=1e-4))
        check("Cumprod", x, 1, FLOAT, Out(x.cumprod(1), tolerance=1e-4))

    def test_losses(self):
        x, y = f32(3, 4), f32(3, 4)
        for reduction, f in enumerate((lambda d: d, np.mean, np.sum)):
            check("MseLossOut", x, y, reduction, Out(f((x - y) ** 2), tolerance=1e-4))
            check("MseLoss", x, y, reduction, Out(f((x - y) ** 2), tolerance=1e-4))
            d = np.abs(x - y)
            check("SmoothL1Loss", x, y, reduction, 0.7, Out(f(np.where(d < 0.7, d * d / 1.4, d - 0.35)), np.float32, 1e-4))
            p, t = 1 / (1 + np.exp(-x)), (y > 0).astype(np.float32)
            entropy = -(t * np.log(p) + (1 - t) * np.log(1 - p))
            check("BinaryCrossEntropy", p, t, None, reduction, Out(f(entropy), np.float32, 1e-4))
            check("BinaryCrossEntropyWithLogits", x, t, None, None, reduction, Out(f(entropy), np.float32, 1e-4))
            check("L1Loss", x, y, reduction, Out(f(np.abs(x - y)), tolerance=1e-4))


class Shapes(Case):
    def test_joining_and_splitting(self):
        for dtype in (np.float32, np.float16, np.int64, np.bool_):
            x = rng.integers(0, 9, (2, 6, 3)).astype(dtype)
            check("Cat", [x, x[:, :2].copy(), x], 1, Out(np.concatenate([x, x[:, :2], x], 1)))
            check("Stack", [x, x], -1, Out(np.stack([x, x], -1)))
            check("SplitTensor", x, 4, 1, [Out(x[:, :4]), Out(x[:, 4:])])
            check("SplitWithSize", x, [1, 2, 3], 1, [Out(x[:, :1]), Out(x[:, 1:3]), Out(x[:, 3:])])
        check("Cat", [np.zeros(0, np.float32), f32(2, 3) * 0 + 1], 0, Out(np.ones((2, 3), np.float32)))
        check("Cat", [np.ones(2, np.int32), np.ones(2, np.float32)], 0, Out(np.ones(4, np.float32)))
        self.refused(161002, "2 tensors", "SplitTensor", f32(6), 2, 0, [Out(f32(2)), Out(f32(2))])

    def test_slices(self):
        x = f32(5, 6)
        check("Slice", x, 1, 1, 5, 2, Out(x[:, 1:5:2]))
        check("Slice", x, 0, -3, 2**62, 1, Out(x[-3:]))
        check("SliceV2", x, [1, 0], [4, 6], [0, 1], [2, 3], Out(x[1:4:2, 0:6:3]))
        check("StridedSlice", x, [1, 2], [4, 5], [1, 2], 0, 0, 0, 0, 0, Out(x[1:4, 2:5:2]))
        self.refused(161002, "step", "Slice", x, 1, 0, 4, 0, Out(x))

    def test_order_and_repetition(self):
        x = f32(2, 3, 4)
        check("Permute", x, [2, 0, 1], Out(x.transpose(2, 0, 1)))
        check("Permute", x, [-1, 1, 0], Out(x.transpose(2, 1, 0)))
        check("Expand", x[:, :1].copy(), [5, -1, 3, 4], Out(np.broadcast_to(x[:, :1], (5, 2, 3, 4))))
        check("Repeat", x, [2, 1, 2], Out(np.tile(x, (2, 1, 2))))
        check("Repeat", x, [2, 1, 1, 3], Out(np.tile(x, (2, 1, 1, 3))))
        check("RepeatInterleaveInt", x, 3, 72, Out(np.repeat(x, 3)))
        check("RepeatInterleaveIntWithDim", x, 2, 1, 6, Out(np.repeat(x, 2, 1)))
        check("Flip", x, [0, 2], Out(np.flip(x, (0, 2))))
        check("Roll", x, [1, -1], [0, 2], Out(np.roll(x, (1, -1), (0, 2))))
        check("Roll", x, [5], [], Out(np.roll(x, 5)))
        check("Flatten", x, 1, Out(x.reshape(2, 12)))
        check("Triu", x, 1, Out(np.triu(x, 1)))
        check("Tril", x, -1, Out(np.tril(x, -1)))
        check("InplaceTriu", InOut(x, np.triu(x)), 0)
        self.refused(161002, "every dimension", "Permute", x, [0, 1], Out(x))

    def test_padding(self):
        x = f32(1, 2, 4, 5)
        check("ConstantPadNd", x, [1, 2, 3, 0], 7.0, Out(np.pad(x, ((0, 0), (0, 0), (3, 0), (1, 2)), constant_values=7)))
        check("ReflectionPad2d", x, [1, 2, 3, 1], Out(np.pad(x, ((0, 0), (0, 0), (3, 1), (1, 2)), "reflect")))
        check("ReplicationPad2d", x, [1, 2, 3, 1], Out(np.pad(x, ((0, 0), (0, 0), (3, 1), (1, 2)), "edge")))
        check("ReplicationPad1d", x[0, :, 0].copy(), [1, 2], Out(np.pad(x[0, :, 0], ((0, 0), (1, 2)), "edge")))
        cube = f32(1, 2, 3, 4, 5)
        sides = ((0, 0), (0, 0), (2, 1), (1, 2), (1, 0))
        check("ReflectionPad3d", cube, [1, 0, 1, 2, 2, 1], Out(np.pad(cube, sides, "reflect")))
        check("ReplicationPad3d", cube, [1, 0, 1, 2, 2, 1], Out(np.pad(cube, sides, "edge")))
        check("ReflectionPad1d", x[0, :, 0].copy(), [1, 2], Out(np.pad(x[0, :, 0], ((0, 0), (1, 2)), "reflect")))


class Indices(Case):
    def test_gathering(self):
        x = f32(4, 5, 6)
        for itype in (np.int32, np.int64):
            i = rng.integers(0, 5, 7).astype(itype)
            check("IndexSelect", x, 1, i, Out(x[:, i]))
            j = rng.integers(0, 5, (3, 2, 6)).astype(np.int64)
            check("Gather", x, 1, j, Out(np.take_along_axis(x[:3], j, 1)))
            check("Embedding", x[0].copy(), rng.integers(0, 5, (2, 3)).astype(itype) * 0 + 2, Out(np.broadcast_to(x[0, 2], (2, 3, 6))))
        check("GatherV2", x, 0, np.array([[1, 3]], np.int64), Out(x[[[1, 3]]]))
        check("GatherNd", x, np.array([[1, 2], [3, 4]], np.int64), False, Out(x[[1, 3], [2, 4]]))
        check("Take", x, np.array([0, 119, 7], np.int64), Out(np.take(x, [0, 119, 7])))

    def test_advanced_indexing(self):
        x = f32(4, 5, 6)
        a, b = np.array([0, 3, 1], np.int64), np.array([[4], [-1]], np.int64)
        check("Index", x, [a], Out(x[a]))
        check("Index", x, [a, b], Out(x[a, b]))
        check("Index", x, [None, a], Out(x[:, a]))
        check("Index", x, [a, None, b], Out(x[a, :, b]))
        check("Index", x, [None, a, b], Out(x[:, a, b]))
        want = x.copy()
        want[a] = 5
        check("IndexPutImpl", InOut(x, want), [a], np.array(5, np.float32), False, False)
        want = x.copy()
        np.add.at(want, (np.array([1, 1]), np.array([2, 2])), np.float32(3))
        check("IndexPutImpl", InOut(x, want, 1e-5), [np.array([1, 1], np.int64), np.array([2, 2], np.int64)],
              np.array(3, np.float32), True, False)

    def test_scattering(self):
        x, src = f32(3, 5), f32(2, 5)
        i = np.array([[0, 1, 2, 0, 0], [2, 0, 1, 2, 1]], np.int64)
        want, added = x.copy(), x.copy()
        for r in range(2):
            for k in range(5):
                want[i[r, k], k] = src[r, k]
                added[i[r, k], k] += src[r, k]
        check("Scatter", x, 0, i, src, 0, Out(want))
        check("Scatter", x, 0, i, src, 1, Out(added, tolerance=1e-5))
        check("ScatterAdd", x, 0, i, src, Out(added, tolerance=1e-5))
        check("InplaceScatter", InOut(x, want), 0, i, src, 0)
        filled = x.copy()
        np.put_along_axis(filled, i, np.float32(4), 0)
        check("ScatterValue", x, 0, i, 4.0, 0, Out(filled))
        rows = np.array([2, 0], np.int64)
        want = x.copy()
        want[rows] += 2 * src
        check("IndexAdd", x, 0, rows, src, 2.0, Out(want, tolerance=1e-5))

    def test_putting_behind_other_dimensions(self):
        x = f32(3, 4, 5, 2)
        i, j = np.array([[2], [0]]), np.array([1, 3, 0])
        whole = slice(None)
        for given, place in (([None, i], (whole, i)), ([None, None, j], (whole, whole, j)), ([None, i, j], (whole, i, j)), ([i, None, j], (i, whole, j)),
                             ([None, i, None, np.array([1, 0])], (whole, i, whole, np.array([1, 0]))), ([i], i), ([i, j], (i, j))):  # fmt: skip
            shape = x[place].shape
            for values in (f32(*shape), f32(*shape[-1:]), f32(1)):
                want = x.copy()
                np.add.at(want, place, np.broadcast_to(values, shape))
                check("IndexPutImpl", InOut(x, want, 1e-5), given, values, True, False)
                want = x.copy()
                want[place] = values
                check("IndexPutImpl", InOut(x, want), given, values, False, False)
            check("Index", x, given, Out(x[place]))

    def test_putting_where_a_mask_is_true(self):
        x = f32(3, 4, 5)
        for mask in (rng.random(3) < 0.6, rng.random((3, 4)) < 0.5, rng.random((3, 4, 5)) < 0.5, np.array([True, False, True])):
            shape = x[mask].shape
            for values in (f32(*shape), f32(*shape[1:]), f32(1), f32(1, *shape[1:])):
                want, more = x.copy(), x.copy()
                want[mask] = values
                more[mask] += values
                check("IndexPutImpl", InOut(x, want), [mask], values, False, False)
                check("IndexPutImpl", InOut(x, more, 1e-6), [mask], values, True, False)
        self.refused(161002, "does not fit", "IndexPutImpl", InOut(x, x), [np.ones((4, 4), bool)], f32(1), False, False)
        zeros = np.full((3, 2), -0.0, np.float32)  # adding nothing leaves the sign
        want = zeros.copy()
        want[0] = [1, 2]
        selfs = zeros.copy()
        aclnn(stream, "aclnnIndexPutImpl", selfs, [np.array([True, False, False])], np.array([[1, 2]], np.float32), True, False)
        np.testing.assert_array_equal(np.signbit(selfs), np.signbit(want))

    def masked_places(self):
        """Indices with masks among them, and the same as numpy wants them."""
        def true(*shape, count=None):
            mask = rng.random(shape) < 0.5
            if count is not None:
                mask.reshape(-1)[:] = False
                mask.reshape(-1)[rng.permutation(mask.size)[:count]] = True
            return mask

        whole = slice(None)
        three, pair = np.array([2, 0, 1]), np.array([[1], [-1]])
        yield from (([m], (m,)) for m in (true(4), true(4, 5), true(4, 5, 3), true(4, 5, 3, 2), true(4, count=0), true(4, count=1), np.ones(4, bool)))
        yield from (([None, m], (whole, m)) for m in (true(5), true(5, 3), true(5, 3, 2), true(5, count=0)))
        yield from (([None, None, m], (whole, whole, m)) for m in (true(3), true(3, 2)))
        a, b, c, d = true(4, count=3), true(5, count=3), true(3, count=3), true(5, 3, count=3)
        yield [a, b], (a, b)
        yield [a, None, c], (a, whole, c)
        yield [a, d], (a, d)
        yield [a, true(5, count=1)], None
        yield [true(4, count=1), d], None
        yield [a, three], (a, three)
        yield [three, b], (three, b)
        yield [three, None, c], (three, whole, c)
        yield [None, three, c], (whole, three, c)
        yield [pair, b], (pair, b)
        yield [a, None, None, pair], (a, whole, whole, pair)
        yield [np.array(1), b], (1, b)
        yield [a, np.array([2])], (a, np.array([2]))
        yield [true(4, count=1), three], None
        yield [np.array([[2], [0]]), true(5, 3, count=4)], None
        yield [np.array([[2, 1, 0, -1], [0, 1, 3, 3]]), true(5, 3, count=4)], None

    def test_indexing_by_masks(self):
        for dtype in (np.float32, np.float16, np.int64, np.int8, np.complex128):
            x = rng.integers(-90, 90, (4, 5, 3, 2)).astype(dtype)
            for given, place in self.masked_places():
                place = place or tuple(given)
                given = [i if i is None or i.dtype == bool else i.astype(np.int64) for i in given]
                check("Index", x, given, Out(x[place]))
        as_bytes = np.array([0, 3, 0, 255], np.uint8)
        check("Index", x, [as_bytes], Out(x[as_bytes != 0]))
        check("Index", f32(0, 3), [np.zeros(0, bool)], Out(f32(0, 3)))

    def test_putting_by_masks_among_indices(self):
        x = f32(4, 5, 3, 2)
        for dtype, tolerance in ((np.float32, 1e-5), (np.float16, 2e-3), (np.int32, 0)):
            x = rng.integers(-90, 90, (4, 5, 3, 2)).astype(dtype)
            for given, place in self.masked_places():
                place = place or tuple(given)
                given = [i if i is None or i.dtype == bool else i.astype(np.int64) for i in given]
                shape = x[place].shape
                one = tuple(1 if len(shape) == 4 and i < 1 else n for i, n in enumerate(shape))
                for values in (shape, shape[-1:], (1,), one):
                    values = rng.integers(-90, 90, values).astype(dtype)
                    if np.broadcast_shapes(values.shape, shape) != shape:
                        continue
                    want, more = x.copy(), x.copy()
                    want[place] = values
                    np.add.at(more, place, np.broadcast_to(values, shape))
                    check("IndexPutImpl", InOut(x, want), given, values, False, False)
                    check("IndexPutImpl", InOut(x, more, tolerance), given, values, True, False)

    def test_masks_that_select_another_number(self):
        x = f32(4, 5)
        mask, other = np.array([True, False, True, True]), np.array([True, True, False, False, False])
        for room in (2, 4, 1, 0):
            if room:
                self.refused(507015, "select 3", "Index", x, [mask], f32(room, 5))
            if room != 1:
                self.refused(507015, "for the 3 that", "IndexPutImpl", x, [mask], f32(room, 5), False, False)
                self.refused(507015, "for the 3 that", "IndexPutImpl", x, [mask], f32(room, 5), True, False)
        self.refused(507015, "select 1 ", "Index", x, [np.array([True, False, False, False])], f32(5, 5))
        self.refused(507015, "selects 2 elements, which do not go with the 3", "Index", x, [mask, other], f32(3))
        self.refused(507015, "selects 2 elements, which do not go with the 3", "IndexPutImpl", x, [mask, other], f32(3), False, False)
        self.refused(507015, "outside", "Index", x, [mask, np.array([1, 2, 5])], f32(3))
        check("Index", x, [mask], Out(x[mask]))  # the stream goes on

    def test_masks_that_do_not_fit(self):
        x, mask = f32(4, 5), np.array([True, False, True, True])
        self.refused(161002, "a mask of shape [4] does not fit [4,5] at dimension 1", "Index", x, [None, mask], Out(f32(4, 3)))
        self.refused(161002, "more indices than dimensions", "Index", x, [mask, x > 0], Out(f32(3)))
        self.refused(161002, "out has shape [3]", "Index", x, [mask], Out(f32(3)))
        self.refused(161002, "dimension 1 of out is 4", "Index", x, [mask], Out(f32(3, 4)))
        self.refused(161002, "cannot be stored", "Index", x, [mask], Out(np.zeros((3, 5), np.int32)))
        self.refused(161001, "out", "Index", x, [mask], None)
        self.refused(161001, "self", "Index", None, [mask], Out(f32(3, 5)))
        self.refused(161002, "indices has no tensor", "Index", x, [None, None], Out(x))
        self.refused(161002, "", "IndexPutImpl", InOut(x, x), [mask], f32(3, 4), False, False)
        self.refused(161002, "values has shape", "IndexPutImpl", InOut(x, x), [mask], f32(1, 1, 3, 5), False, False)

    def test_order(self):
        for dtype in (np.float32, np.float16, np.int32, np.int64):
            x = rng.permutation(30).reshape(5, 6).astype(dtype)
            order = np.argsort(x, 1)
            check("Sort", x, True, 1, False, Out(np.sort(x, 1)), Out(order))
            check("Sort", x, True, -1, True, Out(np.sort(x, 1)[:, ::-1]), Out(order[:, ::-1]))
            check("Topk", x, 2, 1, True, True, Out(np.sort(x, 1)[:, ::-1][:, :2]), Out(order[:, ::-1][:, :2]))
            check("Topk", x, 3, 0, False, True, Out(np.sort(x, 0)[:3]), Out(np.argsort(x, 0)[:3]))
            check("Argsort", x, 0, False, Out(np.argsort(x, 0)))
        self.refused(161002, "k is 9", "Topk", x, 9, 1, True, True, Out(x), Out(order))

    def test_filling_and_copying_by_index(self):
        x, rows, src = f32(4, 5), np.array([3, 0], np.int64), f32(2, 5)
        want = x.copy()
        want[rows] = 9
        check("IndexFill", x, 0, rows, 9.0, Out(want))
        check("IndexFillTensor", x, 0, [3, 0], 9.0, Out(want))
        check("InplaceIndexFill", InOut(x, want), 0, rows, 9.0)
        want = x.copy()
        want[rows] = src
        check("IndexCopy", x, 0, rows, src, Out(want))
        check("IndexAddV2", x, 0, rows, src, 1.0, 0, Out(x + (want - x) * 0 + np.stack([src[1], 0 * src[0], 0 * src[0], src[0]]), tolerance=1e-5))
        check("ScatterNd", x, rows[:, None].copy(), src, Out(want))
        check("GatherV3", x, 0, rows, 0, 0, Out(x[rows]))
        check("InplaceIndexCopy", InOut(x, want), 0, rows, src)
        check("SearchSorted", np.array([1, 3, 5], np.float32), np.array([0, 3, 4, 9], np.float32), False, False, None,
              Out(np.searchsorted([1, 3, 5], [0, 3, 4, 9])))
        check("Bucketize", np.array([0, 3, 4, 9], np.float32), np.array([1, 3, 5], np.float32), False, True,
              Out(np.searchsorted([1, 3, 5], [0, 3, 4, 9], "right")))
        check("Einsum", [f32(3, 4) * 0 + 1, f32(4, 2) * 0 + 2], "ij,jk->ik", Out(np.full((3, 2), 8, np.float32)))

    def test_one_hot(self):
        i = np.array([1, 0, 2], np.int32)
        check("OneHot", i, 3, np.array(1, np.float32), np.array(0, np.float32), -1, Out(np.eye(3, dtype=np.float32)[i]))


if __name__ == "__main__":
    main()
