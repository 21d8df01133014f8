# SPDX-License-Identifier: Apache-2.0
"""aclnn functions of neural networks, against plain numpy."""
from aclnn_cases import *
from driver import NCHW


def softmax(x, axis):
    e = np.exp(x - x.max(axis, keepdims=True))
    return e / e.sum(axis, keepdims=True)


def convolve(x, w, bias, stride, pad, dilation, groups):
    n, c, height, width = x.shape
    out, _, kh, kw = w.shape
    x = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (pad[0],) * 2, (pad[1],) * 2))
    oh = (x.shape[2] - dilation[0] * (kh - 1) - 1) // stride[0] + 1
    ow = (x.shape[3] - dilation[1] * (kw - 1) - 1) // stride[1] + 1
    y = np.zeros((n, out, oh, ow))
    per = c // groups
    for o in range(out):
        g = o // (out // groups)
        for i in range(kh):
            for j in range(kw):
                rows = slice(i * dilation[0], i * dilation[0] + stride[0] * (oh - 1) + 1, stride[0])
                columns = slice(j * dilation[1], j * dilation[1] + stride[1] * (ow - 1) + 1, stride[1])
                part = x[:, g * per : (g + 1) * per, rows, columns]
                y[:, o] += (part * w[o, :, i, j].reshape(1, per, 1, 1)).sum(1)
    return (y + (0 if bias is None else bias.reshape(1, out, 1, 1))).astype(np.float32)


def transpose_convolve(x, w, stride, pad, extra):
    n, c, height, width = x.shape
    _, out, kh, kw = w.shape
    y = np.zeros((n, out, (height - 1) * stride + kh + extra, (width - 1) * stride + kw + extra))
    for i in range(height):
        for j in range(width):
            y[:, :, i * stride : i * stride + kh, j * stride : j * stride + kw] += np.einsum("nc,cokl->nokl", x[:, :, i, j], w)
    return y[:, :, pad : y.shape[2] - pad, pad : y.shape[3] - pad].astype(np.float32)


class Layers(Case):
    def test_softmax(self):
        x = f32(3, 4, 5)
        for dim in (0, 1, -1):
            check("Softmax", x, dim, Out(softmax(x, dim)))
            check("LogSoftmax", x, dim, Out(np.log(softmax(x, dim)), tolerance=1e-4))
        h = x.astype(np.float16)
        check("Softmax", h, 1, Out(softmax(h.astype(np.float32), 1).astype(np.float16)))

    def test_layer_norm(self):
        x, w, b = f32(2, 3, 8), f32(8), f32(8)
        mean, var = x.mean(-1, keepdims=True), x.var(-1, keepdims=True)
        y, rstd = (x - mean) / np.sqrt(var + 1e-5), 1 / np.sqrt(var + 1e-5)
        check("LayerNorm", x, [8], w, b, 1e-5, Out(y * w + b, tolerance=1e-4), Out(mean, tolerance=1e-4), Out(rstd, tolerance=1e-4))
        check("LayerNorm", x, [8], None, None, 1e-5, Out(y, tolerance=1e-4), None, None)
        check("FastLayerNorm", x, [8], w, b, 1e-5, Out(y * w + b, tolerance=1e-4), None, None)
        check("LayerNormWithImplMode", x, [8], w, b, 1e-5, Out(y * w + b, tolerance=1e-4), None, None, 0)
        self.refused(161002, "normalizedShape", "LayerNorm", x, [7], None, None, 1e-5, Out(y), None, None)

    def test_add_rms_norm(self):
        a, b, g = f32(2, 8), f32(2, 8), f32(8)
        x = a + b
        rstd = 1 / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-6)
        check("AddRmsNorm", a, b, g, 1e-6, Out(x * rstd * g, tolerance=1e-4), Out(rstd, tolerance=1e-4), Out(x))

    def test_group_norm(self):
        x, g, b = f32(2, 6, 3, 4), f32(6), f32(6)
        parts = x.reshape(2, 3, -1)
        mean, var = parts.mean(2), parts.var(2)
        y = ((parts - mean[..., None]) / np.sqrt(var[..., None] + 1e-5)).reshape(x.shape) * g.reshape(1, 6, 1, 1) + b.reshape(1, 6, 1, 1)
        check("GroupNormSilu", x, g, b, 3, 1e-5, Out(y / (1 + np.exp(-y)), tolerance=1e-4), Out(mean, tolerance=1e-4),
              Out(1 / np.sqrt(var + 1e-5), tolerance=1e-4))
        check("GroupNorm", x, g, b, 2, 6, 12, 3, 1e-5, Out(y, tolerance=1e-4), Out(mean, tolerance=1e-4),
              Out(1 / np.sqrt(var + 1e-5), tolerance=1e-4))

    def test_batch_norm(self):
        x, w, b, m, v = f32(4, 3, 2, 2), f32(3), f32(3), f32(3), np.abs(f32(3)) + 1
        shape = (1, 3, 1, 1)
        y = (x - m.reshape(shape)) / np.sqrt(v.reshape(shape) + 1e-5) * w.reshape(shape) + b.reshape(shape)
        aside = Out(np.zeros(3, np.float32), tolerance=1e9)
        check("BatchNorm", x, w, b, InOut(m, m), InOut(v, v), False, 0.1, 1e-5, Out(y, tolerance=1e-4), aside, aside)
        mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
        y = (x - mean.reshape(shape)) / np.sqrt(var.reshape(shape) + 1e-5) * w.reshape(shape) + b.reshape(shape)
        check("BatchNorm", x, w, b, InOut(m, 0.9 * m + 0.1 * mean, 1e-4), InOut(v, 0.9 * v + 0.1 * var * 16 / 15, 1e-4),
              True, 0.1, 1e-5, Out(y, tolerance=1e-4), Out(mean, tolerance=1e-4), Out(1 / np.sqrt(var + 1e-5), tolerance=1e-4))

    def test_convolution(self):
        for stride, pad, dilation, groups in [((1, 1), (0, 0), (1, 1), 1), ((2, 1), (1, 2), (1, 1), 1), ((1, 1), (1, 1), (2, 2), 2), ((1, 1), (1, 1), (1, 1), 4)]:
            x, w, b = f32(2, 4, 7, 8), f32(8, 4 // groups, 3, 3), f32(8)
            want = convolve(x, w, b, stride, pad, dilation, groups)
            check("Convolution", x, w, b, list(stride), list(pad), list(dilation), False, [0, 0], groups,
                  Out(want, tolerance=1e-4), 0, form=NCHW)
        check("Convolution", x, w, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 4,
              Out(convolve(x, w, None, (1, 1), (1, 1), (1, 1), 4), tolerance=1e-4), 0, form=NCHW)
        line, v = f32(2, 4, 9), f32(5, 4, 3)
        want = convolve(line[:, :, None], v[:, :, None], None, (1, 2), (0, 1), (1, 1), 1)[:, :, 0]
        check("Convolution", line, v, None, [2], [1], [1], False, [0], 1, Out(want, tolerance=1e-4), 0)

    def test_depthwise_convolution(self):
        x, w = f32(1, 4, 6, 6), f32(4, 1, 3, 3)
        check("ConvDepthwise2d", x, w, [3, 3], None, [1, 1], [1, 1], [1, 1],
              Out(convolve(x, w, None, (1, 1), (1, 1), (1, 1), 4), tolerance=1e-4), 0, form=NCHW)

    def test_rotary_embedding(self):
        x, cos, sin = f32(2, 3, 4, 8), f32(1, 3, 1, 8), f32(1, 3, 1, 8)
        turned = np.concatenate([-x[..., 4:], x[..., :4]], -1)
        check("RotaryPositionEmbedding", x, cos, sin, 0, Out(x * cos + turned * sin, tolerance=1e-4))

    def test_grid_sampling_at_the_corners(self):
        x = f32(1, 2, 3, 3)
        grid = np.array([[[[-1, -1], [1, -1]], [[-1, 1], [1, 1]]]], np.float32)
        check("GridSampler2D", x, grid, 0, 0, True, Out(x[:, :, ::2, ::2], tolerance=1e-4), form=NCHW)

    def test_transposed_convolution(self):
        x, w = f32(2, 3, 4, 5), f32(3, 4, 3, 3)
        check("Convolution", x, w, None, [2, 2], [1, 1], [1, 1], True, [0, 0], 1,
              Out(transpose_convolve(x, w, 2, 1, 0), tolerance=1e-4), 0, form=NCHW)
        check("Convolution", x, w, None, [2, 2], [0, 0], [1, 1], True, [1, 1], 1,
              Out(transpose_convolve(x, w, 2, 0, 1), tolerance=1e-4), 0, form=NCHW)

    def test_pooling(self):
        x = rng.permutation(2 * 3 * 6 * 8).reshape(2, 3, 6, 8).astype(np.float32)
        tiles = x.reshape(2, 3, 3, 2, 4, 2).transpose(0, 1, 2, 4, 3, 5).reshape(2, 3, 3, 4, 4)
        best = tiles.argmax(-1)
        rows, columns = np.meshgrid(np.arange(3), np.arange(4), indexing="ij")
        places = (rows * 2 + best // 2) * 8 + columns * 2 + best % 2
        check("MaxPool2dWithIndices", x, [2, 2], [2, 2], [0, 0], [1, 1], False, Out(tiles.max(-1)),
              Out(places, np.int64), form=NCHW)
        check("MaxPool", x, [2, 2], [2, 2], 0, [0, 0, 0, 0], [1, 1], 0, Out(tiles.max(-1)), form=NCHW)
        check("AvgPool2d", x, [2, 2], [2, 2], [0, 0], False, True, 0, 0, Out(tiles.mean(-1)), form=NCHW)
        padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
        means = padded.reshape(2, 3, 4, 2, 5, 2).mean((3, 5))
        check("AvgPool2d", x, [2, 2], [2, 2], [1, 1], False, True, 0, 0, Out(means), form=NCHW)
        check("AdaptiveAvgPool2d", x, [3, 4], Out(tiles.mean(-1), tolerance=1e-4), form=NCHW)
        want = np.stack([np.stack([x[:, :, i * 6 // 4 : -(-(i + 1) * 6 // 4), j * 8 // 3 : -(-(j + 1) * 8 // 3)].mean((2, 3))
                                   for j in range(3)], -1) for i in range(4)], -2)
        check("AdaptiveAvgPool2d", x, [4, 3], Out(want, tolerance=1e-4), form=NCHW)
        self.refused(161002, "dilations", "MaxPool", x, [2, 2], [2, 2], 0, [0, 0, 0, 0], [2, 2], 0, Out(tiles.max(-1)))
        self.refused(161002, "autoPad", "MaxPool", x, [2, 2], [2, 2], 1, [0, 0, 0, 0], [1, 1], 0, Out(tiles.max(-1)))
        check("GlobalMaxPool", x, Out(x.max((2, 3), keepdims=True)), form=NCHW)
        cube = x.reshape(1, 6, 2, 3, 8)
        check("AvgPool3d", cube, [2, 3, 2], [2, 3, 2], [0, 0, 0], False, True, 0,
              Out(cube.reshape(1, 6, 1, 2, 1, 3, 4, 2).mean((3, 5, 7)), tolerance=1e-4), form=30)
        check("GlobalAveragePool", x, Out(x.mean((2, 3), keepdims=True), tolerance=1e-4), form=NCHW)

    def test_upsampling(self):
        x = f32(1, 2, 3, 4)
        check("UpsampleNearest2d", x, [6, 8], Out(x.repeat(2, 2).repeat(2, 3)), form=NCHW)
        rows, columns = np.arange(5) * 3 // 5, np.arange(7) * 4 // 7
        check("UpsampleNearest2d", x, [5, 7], Out(x[:, :, rows][:, :, :, columns]), form=NCHW)
        check("UpsampleNearest2dV2", x, [6, 8], 2.0, 2.0, Out(x.repeat(2, 2).repeat(2, 3)), form=NCHW)
        check("UpsampleNearest1dV2", x[0], [8], 2.0, Out(x[0].repeat(2, 2)))
        check("UpsampleNearest3d", x[None], [4, 6, 8], 0.0, 0.0, 0.0, Out(x[None].repeat(2, 2).repeat(2, 3).repeat(2, 4)), form=30)
        exact = lambda size, new: np.minimum(((np.arange(new) + 0.5) * size / new).astype(int), size - 1)
        check("UpsampleNearestExact2d", x, [5, 7], 0.0, 0.0, Out(x[:, :, exact(3, 5)][:, :, :, exact(4, 7)]), form=NCHW)
        check("UpsampleNearestExact1d", x[0], [7], 0.0, Out(x[0][:, :, exact(4, 7)]))
        check("UpsampleNearestExact3d", x[None], [3, 5, 7], 0.0, 0.0, 0.0,
              Out(x[None][:, :, exact(2, 3)][:, :, :, exact(3, 5)][..., exact(4, 7)]), form=30)
        check("UpsampleNearest1d", x[0], [8], Out(x[0].repeat(2, 2)))

        self.refused(161002, "scale", "UpsampleBilinear2d", x, [5, 7], False, 3.0, 0.0, Out(np.zeros((1, 2, 5, 7), np.float32)))

        def cubic(size, new, align):
            at = np.arange(new) * (size - 1) / (new - 1) if align else (np.arange(new) + 0.5) * size / new - 0.5
            low, a = np.floor(at).astype(int), -0.75
            m = np.zeros((new, size))
            for k in range(-1, 3):
                d = np.abs(at - (low + k))
                w = np.where(d <= 1, (a + 2) * d**3 - (a + 3) * d**2 + 1, a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a)
                np.add.at(m, (np.arange(new), np.clip(low + k, 0, size - 1)), w)
            return m

        def linear(size, new, align):
            at = np.arange(new) * (size - 1) / (new - 1) if align else np.clip((np.arange(new) + 0.5) * size / new - 0.5, 0, None)
            low = np.minimum(np.floor(at).astype(int), size - 1)
            high, part = np.minimum(low + 1, size - 1), at - low
            m = np.zeros((new, size))
            m[np.arange(new), low] += 1 - part
            m[np.arange(new), high] += part
            return m

        for align in (False, True):
            want = linear(3, 5, align) @ x.astype(np.float64) @ linear(4, 7, align).T
            check("UpsampleBilinear2d", x, [5, 7], align, 0.0, 0.0, Out(want.astype(np.float32), tolerance=1e-4), form=NCHW)
            deep = np.einsum("ad,ncdhw->ncahw", linear(2, 3, align), x[None].astype(np.float64))
            want = linear(3, 5, align) @ deep @ linear(4, 7, align).T
            check("UpsampleTrilinear3d", x[None], [3, 5, 7], align, 0.0, 0.0, 0.0, Out(want.astype(np.float32), tolerance=1e-4), form=30)
            want = cubic(3, 5, align) @ x.astype(np.float64) @ cubic(4, 7, align).T
            check("UpsampleBicubic2d", x, [5, 7], align, 0.0, 0.0, Out(want.astype(np.float32), tolerance=1e-4), form=NCHW)
            want = x[0].astype(np.float64) @ linear(4, 7, align).T
            check("UpsampleLinear1d", x[0], [7], align, 0.0, Out(want.astype(np.float32), tolerance=1e-4))

    def test_dropout_without_chance(self):
        x = f32(4, 5)
        check("Dropout", x, 0.5, False, 0, 0, Out(x), Out(np.full(16, 255, np.uint8)))
        self.refused(161002, "p is 1.5", "Dropout", x, 1.5, True, 0, 0, Out(x), Out(np.zeros(16, np.uint8)))


class Attention(Case):
    def test_prompt_attention_in_all_layouts(self):
        q, k, v = f32(2, 4, 3, 8), f32(2, 2, 5, 8), f32(2, 2, 5, 8)
        mask = rng.integers(0, 2, (3, 5)).astype(bool)
        mask[:, 0] = False
        full = [np.repeat(t, 2, 1) for t in (k, v)]
        scores = q @ full[0].transpose(0, 1, 3, 2) * np.float32(0.3)
        want = softmax(np.where(mask, -np.inf, scores), -1) @ full[1]
        flat = lambda t: t.transpose(0, 2, 1, 3).reshape(t.shape[0], t.shape[2], -1).copy()
        swap = lambda t: t.transpose(0, 2, 1, 3).copy()
        for layout, f in {"BNSD": lambda t: t, "BSND": swap, "BSH": flat}.items():
            check("PromptFlashAttentionV2", f(q), f(k), f(v), None, mask, None, None, None, None, None, None, None, 4, 0.3,
                  2**31 - 1, 2**31 - 1, layout, 2, 0, Out(f(want), tolerance=1e-4))
            check("PromptFlashAttentionV3", f(q), f(k), f(v), None, mask, None, None, None, None, None, None, None, 4, 0.3,
                  2**31 - 1, 2**31 - 1, layout, 2, 0, 0, Out(f(want), tolerance=1e-4))
            check("IncreFlashAttention", f(q), [f(k)], [f(v)], None, mask, None, 4, 0.3, layout, 2, Out(f(want), tolerance=1e-4))
            check("IncreFlashAttentionV2", f(q), [f(k)], [f(v)], None, mask, None, None, None, None, None, None, 4, 0.3,
                  layout, 2, Out(f(want), tolerance=1e-4))
            check("PromptFlashAttention", f(q), f(k), f(v), None, mask, None, 4, 0.3, 2**31 - 1, 2**31 - 1, layout, 2,
                  Out(f(want), tolerance=1e-4))
        self.refused(161002, "inputLayout", "PromptFlashAttention", q, k, v, None, mask, None, 4, 0.3, 0, 0, "XYZ", 2, Out(want))

    def test_flash_attention_score_gives_its_sums(self):
        q, k, v = f32(1, 2, 4, 8), f32(1, 2, 6, 8), f32(1, 2, 6, 8)
        scores = q @ k.transpose(0, 1, 3, 2) * np.float32(0.5)
        most = scores.max(-1, keepdims=True)
        total = np.exp(scores - most).sum(-1, keepdims=True)
        check("FlashAttentionScoreV2", q, k, v, None, None, None, None, None, None, None, 0.5, 1.0, 2**31 - 1, 2**31 - 1, 2,
              "BNSD", 0, 0, 1, Out(np.repeat(most, 8, -1), tolerance=1e-4), Out(np.repeat(total, 8, -1), tolerance=1e-4), None,
              Out(softmax(scores, -1) @ v, tolerance=1e-4))
        check("FlashAttentionScore", q, k, v, None, None, None, None, None, 0.5, 1.0, 2**31 - 1, 2**31 - 1, 2, "BNSD", 0, 0,
              Out(np.repeat(most, 8, -1), tolerance=1e-4), Out(np.repeat(total, 8, -1), tolerance=1e-4), None,
              Out(softmax(scores, -1) @ v, tolerance=1e-4))


if __name__ == "__main__":
    main()
