# SPDX-License-Identifier: Apache-2.0
"""Reductions, shapes, products, normalisation and pooling through aclop against numpy."""
from aclop_cases import *
from driver import NCHW, Type, aclnn

INT32, INT64 = Type(3), Type(9)


def pooled(x, size, stride, f):
    """Windows without padding, over the last two dimensions."""
    rows, columns = ((n - size) // stride + 1 for n in x.shape[-2:])
    windows = np.empty((*x.shape[:-2], rows, columns), x.dtype)
    for i in range(rows):
        for j in range(columns):
            windows[..., i, j] = f(x[..., i * stride : i * stride + size, j * stride : j * stride + size], (-2, -1))
    return windows


class Reductions(unittest.TestCase):
    def test_over_axes_that_are_inputs_or_attributes(self):
        x = f32(3, 4, 5)
        numbers = {"ReduceMax": np.max, "ReduceMin": np.min, "ReduceMean": np.mean, "ReduceProd": np.prod, "ReduceSum": np.sum,
                   "EuclideanNorm": lambda x, a, keepdims: np.sqrt((x**2).sum(a, keepdims=keepdims))}  # fmt: skip
        for op, f in numbers.items():
            for axes in ((1,), (0, 2), (-1,), (0, 1, 2)):
                for keep in (False, True):
                    want = f(x, axes, keepdims=keep)
                    with self.subTest(f"{op} {axes} {keep}"):
                        run(op, [x, np.int64(axes)], want, tolerance=1e-4, keep_dims=keep)
                        run(op + "D", [x], want, tolerance=1e-4, axes=list(axes), keep_dims=keep)

    def test_logarithms_and_squares(self):
        x = abs(f32(3, 4)) + np.float32(0.1)
        run("ReduceLogSum", [x, np.int64([1])], np.log(x.sum(1)), keep_dims=False)
        run("ReduceLogSumExp", [x, np.int64([1])], np.log(np.exp(x).sum(1)), keep_dims=False)
        run("SquareSumV1", [x], (x**2).sum(1), axis=[1], keep_dims=False)
        run("LpNormV2", [x], (x**3).sum(1) ** (1 / 3), tolerance=1e-4, p=3.0, axes=[1], keepdim=False)
        run("LpNorm", [x], np.sqrt((x**2).sum(1)), p=2, axes=[1], keepdim=False)
        run("L2Normalize", [x], x / np.sqrt((x**2).sum(1, keepdims=True)), tolerance=1e-4, axis=[1], eps=1e-12)

    def test_truth(self):
        x = rng.integers(0, 2, (3, 4)).astype(bool)
        for op, f in {"ReduceAll": np.all, "ReduceAny": np.any}.items():
            run(op, [x, np.int64([1])], f(x, 1), keep_dims=False)
            run(op + "D", [x], f(x, 0, keepdims=True), axes=[0], keep_dims=True)

    def test_places_of_the_extremes(self):
        x = f32(4, 6)
        run("ArgMin", [x, np.int64(1)], x.argmin(1), dtype=INT64)
        run("ArgMaxD", [x], x.argmax(0), dimension=0, dtype=INT64)
        run("ArgMinD", [x], x.argmin(0), dimension=0, dtype=INT64)
        run("ArgMaxWithValue", [x], [x.argmax(1).astype(np.int32), x.max(1)], dimension=1, keep_dims=False)
        run("ArgMinWithValue", [x], [x.argmin(1).astype(np.int32), x.min(1)], dimension=1, keep_dims=False)

    def test_running_sums_and_products(self):
        x = f32(3, 5)
        run("Cumsum", [x, np.int32(1)], x.cumsum(1), exclusive=False, reverse=False)
        run("Cumsum", [x, np.int32(1)], np.flip(np.flip(x, 1).cumsum(1), 1), exclusive=False, reverse=True)
        run("CumsumD", [x], x.cumsum(0) - x, axis=0, exclusive=True, reverse=False)
        run("Cumprod", [x, np.int32(0)], x.cumprod(0), exclusive=False, reverse=False)
        run("CumprodD", [x], x.cumprod(1), axis=1, exclusive=False, reverse=False)


class Shapes(unittest.TestCase):
    def test_what_fills_and_spreads(self):
        x = f32(1, 3)
        run("BroadcastTo", [x, np.int64([4, 3])], np.broadcast_to(x, (4, 3)))
        run("BroadcastToD", [x], np.broadcast_to(x, (4, 3)), shape=[4, 3])
        run("Expand", [x, np.int64([4, 1])], np.broadcast_to(x, (4, 3)))
        run("ExpandD", [x], np.broadcast_to(x, (4, 3)), shape=[4, 3])
        run("Fill", [np.int64([2, 3]), np.float32(1.5)], np.full((2, 3), 1.5, np.float32))
        run("FillD", [np.float32(1.5)], np.full((2, 3), 1.5, np.float32), dims=[2, 3])
        run("FillV2D", [], np.full((2, 3), 1.5, np.float32), value=1.5, dims=[2, 3])
        run("Range", [np.int32(2), np.int32(11), np.int32(3)], np.int32([2, 5, 8]))

    def test_what_asks_for_shapes(self):
        x = f32(2, 3, 4)
        run("Shape", [x], np.int32([2, 3, 4]))
        run("ShapeN", [x, x[0]], [np.int32([2, 3, 4]), np.int32([3, 4])])
        run("Rank", [x], np.int32(3))
        run("Size", [x], np.int32(24))

    def test_what_turns_joins_and_pads(self):
        x, y = f32(2, 3, 4), f32(2, 1, 4)
        run("TransposeD", [x], x.transpose(2, 0, 1), perm=[2, 0, 1])
        run("Permute", [x], x.transpose(1, 2, 0), order=[1, 2, 0])
        run("ConcatV2D", [x, y], np.concatenate([x, y], 1), concat_dim=1, N=2)
        run("PadV3D", [x], np.pad(x, ((0, 1), (2, 0), (1, 1))), paddings=[[0, 1], [2, 0], [1, 1]])
        run("PadV2D", [x, np.float32(7)], np.pad(x, ((0, 1), (2, 0), (1, 1)), constant_values=7), paddings=[[0, 1], [2, 0], [1, 1]])
        run("StridedSliceV3", [x, np.int64([0, 1]), np.int64([2, 3]), np.int64([0, 2])], x[0:2, :, 1:3])

    def test_what_chooses(self):
        x = f32(3, 4)
        mask = x > 0
        run("MaskedSelectV2", [x, mask], x[mask])
        run("HardMax", [x], (x == x.max(-1, keepdims=True)).astype(np.float32), axis=-1)


class Products(unittest.TestCase):
    def test_matrices(self):
        a, b, bias = f32(4, 6), f32(6, 5), f32(5)
        for op in ("MatMul", "MatMulV3"):
            run(op, [a, b], a @ b)
            run(op, [a.T.copy(), b.T.copy(), bias], a @ b + bias, transpose_x1=True, transpose_x2=True)
        left, right = f32(2, 1, 4, 6), f32(3, 6, 5)
        run("BatchMatMul", [left[:, 0], f32(2, 6, 5) * 0 + 1], left[:, 0] @ np.ones((2, 6, 5), np.float32))
        for op in ("BatchMatMulV2", "BatchMatMulV3"):
            run(op, [left, right], left @ right)
            run(op, [left.transpose(0, 1, 3, 2).copy(), right], left @ right, adj_x1=True)
        c = f32(4, 5)
        run("GEMM", [a, b, c, np.float32([0.5]), np.float32([2])], np.float32(0.5) * (a @ b) + 2 * c)


class Normalisation(unittest.TestCase):
    def test_rows(self):
        x, gamma, beta = f32(4, 8), f32(8), f32(8)
        mean, variance = x.mean(1, keepdims=True), x.var(1, keepdims=True)
        y = (x - mean) / np.sqrt(variance + 1e-5) * gamma + beta
        run("LayerNorm", [x, gamma, beta], [y, mean, variance], tolerance=1e-4, begin_norm_axis=1, begin_params_axis=-1, epsilon=1e-5)
        rstd = 1 / np.sqrt(variance + 1e-5)
        run("LayerNormV3", [x, gamma, beta], [y, mean, rstd], tolerance=1e-4, begin_norm_axis=1, begin_params_axis=-1, epsilon=1e-5)
        run("LayerNormV4", [x, np.int64([8]), gamma, beta], [y, mean, rstd], tolerance=1e-4, epsilon=1e-5)
        root = 1 / np.sqrt((x**2).mean(1, keepdims=True) + 1e-6)
        run("RmsNorm", [x, gamma], [x * root * gamma, root], tolerance=1e-4, epsilon=1e-6)
        other = f32(4, 8)
        both = x + other
        root = 1 / np.sqrt((both**2).mean(1, keepdims=True) + 1e-6)
        run("AddRmsNorm", [x, other, gamma], [both * root * gamma, root, both], tolerance=1e-4, epsilon=1e-6)
        for dtype in (np.float32, np.float16):
            for width in (1, 7, 64, 770):
                x, other, gamma = (f32(5, width).astype(dtype) for _ in range(3))
                gamma = gamma[0].copy()
                both = (x.astype(np.float64) + other).astype(dtype)  # what is normed is what is kept
                root = 1 / np.sqrt((both.astype(np.float64) ** 2).mean(1, keepdims=True) + 1e-6)
                normed = (both * root).astype(dtype)
                y = (normed.astype(np.float64) * gamma).astype(dtype)
                step = 2.0 ** -23 if dtype == np.float32 else 2.0 ** -10
                # A norm that ends on the other neighbour carries one step, the product half of one.
                made = [np.empty_like(x), np.empty((5, 1), np.float32), np.empty_like(x)]
                aclop(stream, "AddRmsNorm", [x, other, gamma], made, epsilon=1e-6)
                for got, want in zip(made, (y, root, both)):
                    np.testing.assert_allclose(got.astype(np.float64), want.astype(np.float64), 2 * step, 0)
                np.testing.assert_allclose(made[1], root, 2.0 ** -21)  # of the sum as it was: a part of 2048
                called = [np.empty_like(part) for part in made]
                aclnn(stream, "aclnnAddRmsNorm", x, other, gamma, 1e-6, *called)
                for ours, theirs in zip(made, called):
                    np.testing.assert_array_equal(ours, theirs)  # both doors, bit by bit
        x = f32(4, 8)
        run("LogSoftmaxV2", [x], x - np.log(np.exp(x).sum(1, keepdims=True)), tolerance=1e-4, axes=[-1])

    def test_groups(self):
        x, gamma, beta = f32(2, 4, 3, 3), f32(4), f32(4)
        grouped = x.reshape(2, 2, 18)
        mean, variance = grouped.mean(2), grouped.var(2)
        plain = ((grouped - mean[..., None]) / np.sqrt(variance[..., None] + 1e-5)).reshape(x.shape)
        y = plain * gamma[:, None, None] + beta[:, None, None]
        rstd = 1 / np.sqrt(variance + 1e-5)
        run("GroupNormSilu", [x, gamma, beta], [y / (1 + np.exp(-y)), mean, rstd], NCHW, 1e-4, num_groups=2, eps=1e-5)
        run("GroupNormSwish", [x, gamma, beta], [y / (1 + np.exp(-y)), mean, rstd], NCHW, 1e-4, num_groups=2, eps=1e-5)


class Pooling(unittest.TestCase):
    def test_windows(self):
        x = f32(1, 2, 6, 8)
        most, mean = pooled(x, 2, 2, np.max), pooled(x, 2, 2, np.mean)
        sizes = {"ksize": [1, 1, 2, 2], "strides": [1, 1, 2, 2], "data_format": "NCHW"}
        run("MaxPool", [x], most, NCHW, padding="VALID", **sizes)
        run("AvgPool", [x], mean, NCHW, padding="VALID", **sizes)
        run("MaxPoolV3", [x], most, NCHW, padding_mode="CALCULATED", pads=[0, 0, 0, 0], **sizes)
        run("AvgPoolV2", [x], mean, NCHW, padding_mode="CALCULATED", pads=[0, 0, 0, 0], **sizes)
        run("GlobalAveragePool", [x], x.mean((2, 3), keepdims=True), NCHW)


if __name__ == "__main__":
    unittest.main()
