# SPDX-License-Identifier: Apache-2.0
"""Convolutions, normalisation, pooling, losses and resizing through aclop against numpy."""
from aclop_cases import *
from driver import NCDHW, NCHW, Type


def convolve(x, w, groups=1):
    """Stride 1, no padding, any number of dimensions behind batch and channels."""
    n, c = x.shape[:2]
    room = [a - b + 1 for a, b in zip(x.shape[2:], w.shape[2:])]
    y = np.zeros((n, w.shape[0], *room), np.float64)
    per_in, per_out = c // groups, w.shape[0] // groups
    for place in np.ndindex(*room):
        window = x[(slice(None), slice(None), *(slice(p, p + k) for p, k in zip(place, w.shape[2:])))]
        for g in range(groups):
            part = window[:, g * per_in : (g + 1) * per_in].reshape(n, -1)
            kernel = w[g * per_out : (g + 1) * per_out].reshape(per_out, -1)
            y[(slice(None), slice(g * per_out, (g + 1) * per_out), *place)] = part @ kernel.T
    return y.astype(np.float32)


def spread(x, w, stride):
    """The transposed convolution, without padding: w is [in, out, ...]."""
    size = [(a - 1) * stride + b for a, b in zip(x.shape[2:], w.shape[2:])]
    y = np.zeros((x.shape[0], w.shape[1], *size), np.float64)
    for place in np.ndindex(*x.shape[2:]):
        at = tuple(slice(p * stride, p * stride + k) for p, k in zip(place, w.shape[2:]))
        y[(slice(None), slice(None), *at)] += np.tensordot(x[(slice(None), slice(None), *place)], w, 1)
    return y.astype(np.float32)


class Convolutions(unittest.TestCase):
    flat = {"strides": [1, 1, 1, 1], "pads": [0, 0, 0, 0], "data_format": "NCHW"}
    deep = {"strides": [1, 1, 1, 1, 1], "pads": [0, 0, 0, 0, 0, 0], "data_format": "NCDHW"}

    def test_forward(self):
        x, w, bias = f32(2, 4, 6, 5), f32(6, 4, 3, 3), f32(6)
        run("Conv2D", [x, w, bias], convolve(x, w) + bias[:, None, None], NCHW, 1e-4, **self.flat)
        w = f32(6, 2, 3, 3)
        run("Conv2D", [x, w], convolve(x, w, 2), NCHW, 1e-4, groups=2, **self.flat)
        x, w = f32(1, 2, 4, 5, 6), f32(3, 2, 2, 3, 2)
        run("Conv3D", [x, w], convolve(x, w), NCDHW, 1e-4, **self.deep)

    def test_depthwise(self):
        x, w = f32(1, 3, 5, 5), f32(3, 1, 3, 3)
        run("DepthwiseConv2D", [x, w], convolve(x, w, 3), NCHW, 1e-4, **self.flat)

    def test_transposed(self):
        x, w = f32(1, 3, 4, 4), f32(3, 2, 3, 3)
        want = spread(x, w, 2)
        size = list(want.shape)
        by_two = {**self.flat, "strides": [1, 1, 2, 2]}
        run("Conv2DTranspose", [np.int64(size), x, w], want, NCHW, 1e-4, **by_two)
        run("Conv2DTransposeD", [x, w], want, NCHW, 1e-4, input_size=size, **by_two)
        run("Conv2DBackpropInput", [np.int64(size), w, x], want, NCHW, 1e-4, **by_two)
        run("Conv2DBackpropInputD", [w, x], want, NCHW, 1e-4, input_size=size, **by_two)
        run("Deconvolution", [x, w], want, NCHW, 1e-4, strides=[2, 2], pads=[0, 0, 0, 0], data_format="NCHW")
        x, w = f32(1, 2, 2, 3, 2), f32(2, 3, 2, 2, 2)
        want = spread(x, w, 1)
        run("Conv3DTranspose", [np.int64(want.shape), x, w], want, NCDHW, 1e-4, **self.deep)
        run("Conv3DTransposeD", [x, w], want, NCDHW, 1e-4, input_size=list(want.shape), **self.deep)


class Normalisation(unittest.TestCase):
    def setUp(self):
        self.x, self.gamma, self.beta = f32(2, 4, 3, 5), f32(4), f32(4)
        self.along = lambda v: v[:, None, None]

    def test_batches(self):
        mean, variance = f32(4), abs(f32(4)) + np.float32(0.5)
        want = (self.x - self.along(mean)) / np.sqrt(self.along(variance) + 1e-4) * self.along(self.gamma) + self.along(self.beta)
        run("BNInfer", [self.x, self.gamma, self.beta, mean, variance], want, NCHW, 1e-4, epsilon=1e-4)

        without = (self.x - self.along(mean)) / np.sqrt(self.along(variance) + 1e-4)
        run("BNInferenceD", [self.x, mean, variance], without, NCHW, 1e-4, epsilon=1e-4)
        given = [self.x, self.gamma, self.beta, mean, variance]
        outputs = [np.zeros_like(self.x), *(np.zeros(4, np.float32) for _ in range(5))]  # what the last holds is not told
        aclop(stream, "BatchNorm", given, outputs, NCHW, epsilon=1e-4, data_format="NCHW", is_training=False)
        for got, wanted in zip(outputs, [want, mean, variance, mean, variance]):
            np.testing.assert_allclose(got, wanted, 1e-4, 1e-4)
        deep = [self.x[:, :, None], *given[1:]]
        run("BatchNorm3D", deep, [want[:, :, None], mean, variance, mean, variance], NCDHW, 1e-4, epsilon=1e-4, is_training=False)

    def test_groups(self):
        grouped = self.x.reshape(2, 2, 30)
        mean, variance = grouped.mean(2), grouped.var(2)
        plain = ((grouped - mean[..., None]) / np.sqrt(variance[..., None] + 1e-5)).reshape(self.x.shape)
        y = plain * self.along(self.gamma) + self.along(self.beta)
        run("GroupNorm", [self.x, self.gamma, self.beta], [y, mean, variance], NCHW, 1e-4, num_groups=2, eps=1e-5, data_format="NCHW")
        rstd = 1 / np.sqrt(variance + 1e-5)
        run("GroupNormV2", [self.x, self.gamma, self.beta], [y, mean, rstd], NCHW, 1e-4, num_groups=2, eps=1e-5, data_format="NCHW")

    def test_instances_and_axes(self):
        mean, variance = self.x.mean((2, 3), keepdims=True), self.x.var((2, 3), keepdims=True)
        y = (self.x - mean) / np.sqrt(variance + 1e-6) * self.along(self.gamma) + self.along(self.beta)
        run("InstanceNorm", [self.x, self.gamma, self.beta], [y, mean, variance], NCHW, 1e-4, data_format="NCHW", epsilon=1e-6)
        away = self.x - self.x.mean((0, 2, 3), keepdims=True)
        run("MVNV2", [self.x], away / (np.sqrt((away**2).mean((0, 2, 3), keepdims=True)) + 1e-9), NCHW, 1e-4, axes=[0, 2, 3])

    def test_sums(self):
        a, b, gamma, beta = f32(4, 8), f32(4, 8), f32(8), f32(8)
        x = a + b
        mean, rstd = x.mean(1, keepdims=True), 1 / np.sqrt(x.var(1, keepdims=True) + 1e-5)
        y = (x - mean) * rstd * gamma + beta
        run("AddLayerNorm", [a, b, gamma, beta], [y, mean, rstd, x], tolerance=1e-4, epsilon=1e-5, additional_output=True)

    def test_scales(self):
        run("Bias", [self.x, self.beta], self.x + self.along(self.beta), NCHW)
        run("Scale", [self.x, self.gamma, self.beta], self.x * self.along(self.gamma) + self.along(self.beta), NCHW)


class Others(unittest.TestCase):
    def test_pools(self):
        x = f32(1, 2, 4, 6)
        windows = x.reshape(1, 2, 2, 2, 3, 2).transpose(0, 1, 2, 4, 3, 5).reshape(1, 2, 2, 3, 4)
        rows, columns = np.meshgrid(np.arange(2), np.arange(3), indexing="ij")
        inside = windows.argmax(-1)
        places = (2 * rows + inside // 2) * 6 + 2 * columns + inside % 2
        run("MaxPoolWithArgmaxV3", [x], [windows.max(-1), places.astype(np.int32)], NCHW, ksize=[2, 2], strides=[2, 2], pads=[0, 0])
        wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (0, 0)), constant_values=-np.inf)  # one number for both sides, or one for each
        most = np.lib.stride_tricks.sliding_window_view(wide, (2, 2), (2, 3))[:, :, ::2, ::2]
        best = most.reshape(*most.shape[:4], 4).argmax(-1)
        rows, columns = (np.arange(n)[:, None] * 2 for n in best.shape[2:])
        where = (rows + best // 2 - 1) * x.shape[3] + columns.T + best % 2
        for pads in ([1, 0], [1, 1, 0, 0]):
            run("MaxPoolWithArgmaxV3", [x], [most.max((4, 5)), where.astype(np.int32)], NCHW, ksize=[2, 2], strides=[2, 2], pads=pads)
        run("Pooling", [x], windows.max(-1), NCHW, mode=0, window=[2, 2], stride=[2, 2])
        run("Pooling", [x], windows.mean(-1), NCHW, mode=1, window=[2, 2], stride=[2, 2])
        run("GlobalLpPool", [x], np.sqrt((x**2).sum((2, 3), keepdims=True)), NCHW, p=2.0)
        deep = f32(1, 2, 4, 4, 4)
        blocks = deep.reshape(1, 2, 2, 2, 2, 2, 2, 2).transpose(0, 1, 2, 4, 6, 3, 5, 7).reshape(1, 2, 2, 2, 2, 8)
        sizes = {"ksize": [1, 1, 2, 2, 2], "strides": [1, 1, 2, 2, 2], "pads": [0] * 6, "data_format": "NCDHW"}
        run("AvgPool3D", [deep], blocks.mean(-1), NCDHW, **sizes)
        run("MaxPool3D", [deep], blocks.max(-1), NCDHW, padding="VALID", **sizes)

        run("MaxPoolExt2", [x], windows.max(-1), NCHW, ksize=[1, 1, 2, 2], strides=[1, 1, 2, 2], padding="VALID", data_format="NCHW")
        inside = blocks.argmax(-1)
        z, y, w = (index for index in np.indices((2, 2, 2)))
        places = ((2 * z + inside // 4) * 4 + 2 * y + inside // 2 % 2) * 4 + 2 * w + inside % 2
        run("MaxPool3DWithArgmaxV2", [deep], [blocks.max(-1), places.astype(np.int32)], NCDHW, ksize=[2, 2, 2], strides=[2, 2, 2], pads=[0] * 3)

    def test_boxes_that_overlap_a_better_one_are_left_out(self):
        boxes = np.float32([[0, 0, 2, 2], [0, 0, 2, 1.9], [3, 3, 4, 4], [0, 0, 1, 1]])
        scores = np.float32([0.8, 0.9, 0.7, 0.95])
        best = np.int32([3, 1, 2])  # 0 is 0.95 of 1; 3 is only a quarter of it
        run("NonMaxSuppression", [boxes, scores, np.int32(9)], best, iou_threshold=0.5)
        run("NonMaxSuppressionV2", [boxes, scores, np.int32(9), np.float32(0.5)], best)
        run("NonMaxSuppressionV2", [boxes, scores, np.int32(2), np.float32(0.5)], best[:2])

    def test_losses(self):
        scores, target = f32(5, 4), np.int32([0, 3, 1, 1, 2])
        logs = scores - np.log(np.exp(scores).sum(1, keepdims=True))
        picked = -logs[np.arange(5), target]
        run("NLLLoss", [logs, target], [picked.mean(), np.float32(5)], tolerance=1e-4, reduction="mean")
        run("SoftmaxCrossEntropyLoss", [scores, target], [picked.sum(), logs], tolerance=1e-4, reduction="sum", ignore_index=-1)

    def test_activations(self):
        x = f32(3, 4)
        run("Celu", [x], np.where(x > 0, x, np.expm1(x)), tolerance=1e-4)
        run("Threshold", [x], (x > 0.25).astype(np.float32), threshold=0.25)
        run("ThresholdV2", [x, np.float32(0.25), np.float32(-7)], np.where(x > 0.25, x, np.float32(-7)))

    def test_the_first_of_a_sort(self):
        x = f32(3, 6)
        order = np.argsort(-x, 1, kind="stable")[:, :2]
        help = np.arange(12, dtype=np.float16)  # the original needs it; what is in it does not matter
        run("TopKD", [x, help], [np.take_along_axis(x, order, 1), order.astype(np.int32)], k=2)
        run("TopKV2D", [x, np.int32([2]), help], [np.take_along_axis(x, order, 1), order.astype(np.int32)])

    def test_sizes(self):
        x = f32(1, 2, 3, 4)
        nearest = x[:, :, [0, 0, 1, 1, 2, 2]][..., [0, 0, 1, 1, 2, 2, 3, 3]]
        run("ResizeNearestNeighborV2D", [x], nearest, NCHW, size=[6, 8])
        line = f32(1, 2, 3)
        cube = f32(1, 2, 2, 3, 2)
        twice = cube.repeat(2, 2).repeat(2, 3).repeat(2, 4)
        run("UpsampleNearest3d", [cube], twice, NCDHW, output_size=[4, 6, 4])
        run("UpsampleNearest1d", [line], line[..., [0, 0, 1, 1, 2, 2]], output_size=[6])

    def test_random_numbers_have_the_distribution(self):
        for op, mean, deviation in (("RandomUniform", 0.5, 12**-0.5), ("RandomStandardNormal", 0, 1)):
            out = np.zeros(40000, np.float32)
            aclop(stream, op, [np.int64([40000])], [out], dtype=Type(0), seed=3, seed2=5)
            self.assertAlmostEqual(out.mean(), mean, delta=0.02)
            self.assertAlmostEqual(out.std(), deviation, delta=0.02)


if __name__ == "__main__":
    unittest.main()
