# SPDX-License-Identifier: Apache-2.0
"""Gradients of pooling, resizing, convolution, tables and group norms: what each element of the input would add to the
result, by plain functions in numpy."""
import itertools
import unittest

from aclnn_cases import *
from driver import NCHW


def through(f, x, g):
    """The gradient of sum(g * f(x)) for an f that is linear: an element at a time."""
    made = np.zeros(x.size)
    for i in range(x.size):
        one = np.zeros(x.size)
        one[i] = 1
        made[i] = (g * f(one.reshape(x.shape))).sum()
    return made.reshape(x.shape)


def convolve(x, w, stride, padding, dilation, groups):
    n, c, h, wide = x.shape
    o, each, kh, kw = w.shape
    full = np.pad(x, ((0, 0), (0, 0), (padding[0],) * 2, (padding[1],) * 2))
    high, across = ((s + 2 * p - d * (k - 1) - 1) // t + 1 for s, p, d, k, t in zip((h, wide), padding, dilation, (kh, kw), stride))
    y = np.zeros((n, o, high, across))
    for f, i, j in itertools.product(range(o), range(high), range(across)):
        first = f // (o // groups) * each
        part = full[:, first : first + each, i * stride[0] : i * stride[0] + dilation[0] * (kh - 1) + 1 : dilation[0],
                    j * stride[1] : j * stride[1] + dilation[1] * (kw - 1) + 1 : dilation[1]]
        y[:, f, i, j] = (part * w[f]).sum((1, 2, 3))
    return y


def average(x, kernel, stride, padding, ceil, counts, divisor):
    h, w = x.shape[-2:]
    sizes = []
    for s, k, t, p in zip((h, w), kernel, stride, padding):
        n = -(-(s + 2 * p - k) // t) + 1 if ceil else (s + 2 * p - k) // t + 1
        sizes.append(n - 1 if ceil and (n - 1) * t >= s + p else n)
    y = np.zeros((*x.shape[:-2], *sizes))
    for i, j in itertools.product(*map(range, sizes)):
        r0, c0 = i * stride[0] - padding[0], j * stride[1] - padding[1]
        r1, c1 = min(r0 + kernel[0], h + padding[0]), min(c0 + kernel[1], w + padding[1])
        part = x[..., max(r0, 0) : min(r1, h), max(c0, 0) : min(c1, w)]
        size = divisor or ((r1 - r0) * (c1 - c0) if counts else part.shape[-1] * part.shape[-2])
        y[..., i, j] = part.sum((-2, -1)) / size
    return y


def largest(x, kernel, stride, padding, dilation, ceil):
    """The maximum of each window and its place in the plane; the first of equal ones."""
    h, w = x.shape[-2:]
    sizes = []
    for s, k, t, p, d in zip((h, w), kernel, stride, padding, dilation):
        room = s + 2 * p - d * (k - 1) - 1
        n = (-(-room // t) if ceil else room // t) + 1
        sizes.append(n - 1 if ceil and (n - 1) * t >= s + p else n)
    y, places = np.zeros((*x.shape[:-2], *sizes), x.dtype), np.zeros((*x.shape[:-2], *sizes), np.int64)
    for i, j in itertools.product(*map(range, sizes)):
        rows = [r for r in (i * stride[0] - padding[0] + a * dilation[0] for a in range(kernel[0])) if 0 <= r < h]
        columns = [c for c in (j * stride[1] - padding[1] + b * dilation[1] for b in range(kernel[1])) if 0 <= c < w]
        part = x[..., rows, :][..., columns].reshape(*x.shape[:-2], -1)
        best = part.argmax(-1)
        y[..., i, j] = part.max(-1)
        places[..., i, j] = np.array(rows)[best // len(columns)] * w + np.array(columns)[best % len(columns)]
    return y, places


def torch_place(size, out, at, exact=False, scale=0.0):
    """compute_scales_value<float> and nearest_neighbor(_exact)_compute_source_index of torch's UpSample.h."""
    step = np.float32(1.0 / scale) if scale > 0 else np.float32(size) / np.float32(out)
    place = np.float32((at + 0.5) * np.float64(step)) if exact else np.float32(at) * step
    return min(int(np.floor(place)), size - 1)


def resize(x, sizes, mode, align, scales=()):
    for d, out in enumerate(sizes, 2):
        size = x.shape[d]
        step = 1 / scales[d - 2] if scales else size / out
        rows = []
        for o in range(out):
            if mode == "linear":
                at = o * (size - 1) / (out - 1) if align and out > 1 else 0 if align else max(0.0, (o + 0.5) * step - 0.5)
                low = min(int(at), size - 1)
                share = at - low
                rows.append(x.take(low, d) * (1 - share) + x.take(min(low + 1, size - 1), d) * share)
            else:
                rows.append(x.take(torch_place(size, out, o, mode == "exact", scales[d - 2] if scales else 0), d))
        x = np.stack(rows, d)
    return x


def reflect(v, n, align):
    low, high = (0.0, n - 1.0) if align else (-0.5, n - 0.5)
    while v < low or v > high:
        v = 2 * low - v if v < low else 2 * high - v
    return v


def padded(v, n, padding, align):
    if padding == 2:
        v = reflect(v, n, align)
    return v if padding == 0 else min(max(v, 0.0), n - 1.0)


def line(g, n, mode, padding, align):
    """(pixel, weight) along one dimension, by the definition."""
    v = (g + 1) / 2 * (n - 1) if align else ((g + 1) * n - 1) / 2
    if mode == 2:
        a, low = -0.75, int(np.floor(v))
        made = []
        for k in range(low - 1, low + 3):
            d = abs(v - k)
            w = (a + 2) * d**3 - (a + 3) * d**2 + 1 if d <= 1 else a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a
            made.append((int(padded(float(k), n, padding, align)), w))
        return [(p, w) for p, w in made if 0 <= p < n]
    v = padded(v, n, padding, align)
    low = int(np.floor(v))
    made = [(int(np.rint(v)), 1.0)] if mode == 1 else [(low, 1 - (v - low)), (low + 1, v - low)]
    return [(p, w) for p, w in made if 0 <= p < n]


def sample(x, grid, mode, padding, align):
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for at in np.ndindex(*grid.shape[:-1]):
        lines = [line(g, n, mode, padding, align) for g, n in zip(grid[at], x.shape[:1:-1])]
        for taps in itertools.product(*lines):
            place = tuple(p for p, _ in reversed(taps))
            y[(at[0], slice(None), *at[1:])] += x[(at[0], slice(None), *place)] * np.prod([w for _, w in taps])
    return y


class Windows(Case):
    def test_grids(self):
        for spatial, mode, padding, align in itertools.product((2, 3), (0, 1, 2), (0, 1, 2), (False, True)):
            if spatial == 3 and mode == 2:
                continue
            x, grid = f32(1, 2, *(4, 5, 3)[:spatial]), (rng.random((1, 2, 3, 1)[:spatial + 1] + (spatial,)) * 3 - 1.5).astype(np.float32)
            f = lambda v, at: sample(v, at, mode, padding, align)
            g = f32(*f(x, grid).shape)
            dx, dgrid, h = through(lambda v: f(v, grid.astype(float)), x, g), np.zeros(grid.shape), 1e-6
            for i in range(grid.size if mode != 1 else 0):
                step = np.zeros(grid.size)
                step[i] = h
                step = step.reshape(grid.shape)
                dgrid.reshape(-1)[i] = (g * (f(x.astype(float), grid + step) - f(x.astype(float), grid - step))).sum() / (2 * h)
            name = f"GridSampler{spatial}DBackward"
            outs = Out(dx, np.float32, 1e-4), Out(dgrid, np.float32, 1e-3)
            check(name, g, x, grid, mode, padding, align, [True, True], *outs)
            check(name, g, x, grid, mode, padding, align, [True, False], outs[0], None)
        self.refused(161002, "interpolationMode", name, g, x, grid, 3, 0, True, [True, True], *outs)
        self.refused(161002, "do not fit", name, g, x, grid[:, :1], 0, 0, True, [True, True], *outs)

    def test_convolution(self):
        for stride, padding, dilation, groups in (((1, 1), (0, 0), (1, 1), 1), ((2, 1), (1, 2), (1, 2), 2), ((1, 2), (0, 1), (2, 1), 1)):
            x, w = f32(2, 4, 5, 6), f32(6, 4 // groups, 2, 3)
            shape = convolve(x, w, stride, padding, dilation, groups).shape
            g = f32(*shape)
            dx = through(lambda v: convolve(v, w, stride, padding, dilation, groups), x, g)
            dw = through(lambda v: convolve(x, v, stride, padding, dilation, groups), w, g)
            numbers = [list(stride), list(padding), list(dilation), False, [0, 0], groups]
            outs = [Out(dx, np.float32, 1e-4), Out(dw, np.float32, 1e-4), Out(g.sum((0, 2, 3)), np.float32, 1e-4)]
            check("ConvolutionBackward", g, x, w, [6], *numbers, [True] * 3, 0, *outs)
            check("ConvolutionBackward", g, x, w, None, *numbers, [True, False, False], 0, outs[0], None, None)
            turned = [list(stride), list(padding), list(dilation), True, [0, 0], groups]  # the forward is dx of the plain one
            fits = all((o - 1) * s - 2 * p + d * (k - 1) + 1 == i for o, s, p, d, k, i in zip(shape[2:], stride, padding, dilation, (2, 3), (5, 6)))
            if fits:
                forward = convolve(x, w, stride, padding, dilation, groups)
                dw = through(lambda v: convolve(x, v, stride, padding, dilation, groups), w, g)
                check("ConvolutionBackward", x, g, w, [4], *turned, [True] * 3, 0, Out(forward, np.float32, 1e-4), Out(dw, np.float32, 1e-4), Out(x.sum((0, 2, 3)), np.float32, 1e-4))
        line, taps = f32(2, 3, 7), f32(4, 3, 3)
        one = lambda v, k: convolve(v[:, :, None], k[:, :, None], (1, 2), (0, 1), (1, 1), 1)[:, :, 0]
        g = f32(*one(line, taps).shape)
        outs = [Out(through(lambda v: one(v, taps), line, g), np.float32, 1e-4), Out(through(lambda v: one(line, v), taps, g), np.float32, 1e-4)]
        check("ConvolutionBackward", g, line, taps, [4], [2], [1], [1], False, [0], 1, [True] * 3, 0, *outs, Out(g.sum((0, 2)), np.float32, 1e-4))
        self.refused(161002, "do not fit", "ConvolutionBackward", g, line, f32(4, 2, 3), [4], [2], [1], [1], False, [0], 1, [True] * 3, 0, *outs, Out(f32(4)))

    def test_pools(self):
        for kernel, stride, padding, ceil, counts, divisor in (((2, 2), (2, 2), (0, 0), False, True, 0), ((3, 2), (2, 1), (1, 1), True, False, 0), ((3, 3), (2, 2), (1, 0), True, True, 0), ((2, 3), (1, 2), (0, 1), False, True, 5)):
            x = f32(2, 3, 5, 6)
            f = lambda v: average(v, kernel, stride, padding, ceil, counts, divisor)
            g = f32(*f(x).shape)
            numbers = [list(kernel), list(stride), list(padding), ceil, counts, divisor]
            check("AvgPool2dBackward", g, x, *numbers, 0, Out(through(f, x, g), np.float32, 1e-4))
            check("AvgPool2dBackward", g[0], x[0], *numbers, 0, Out(through(f, x, g)[0], np.float32, 1e-4))
        self.refused(161002, "does not follow", "AvgPool2dBackward", f32(2, 3, 9, 9), x, *numbers, 0, Out(x))
        x, g = f32(2, 3, 4, 6), f32(2, 3, 2, 3)
        places = np.zeros(g.shape, np.int32)
        want = np.zeros(x.shape)
        for n, c, i, j in itertools.product(*map(range, g.shape)):
            window = x[n, c, 2 * i : 2 * i + 2, 2 * j : 2 * j + 2]
            r, s = np.unravel_index(window.argmax(), window.shape)
            places[n, c, i, j] = (2 * i + r) * 6 + 2 * j + s
            want[n, c, 2 * i + r, 2 * j + s] += g[n, c, i, j]
        for kind in (np.int32, np.int64):
            check("MaxPool2dWithIndicesBackward", g, x, places.astype(kind), [2, 2], [2, 2], [0, 0], [1, 1], False, Out(want, np.float32))
            check("AdaptiveMaxPool2dBackward", g, x, places.astype(kind), Out(want, np.float32))
        self.refused(161002, "indices are", "MaxPool2dWithIndicesBackward", g, x, places[:1], [2, 2], [2, 2], [0, 0], [1, 1], False, Out(x))

    def test_largest_of_padded_windows(self):
        cases = 0
        for kernel, stride, padding, dilation, ceil in itertools.product(
                ((3, 3), (2, 2), (2, 3), (1, 4)), ((2, 2), (1, 2), (3, 3)), ((1, 1), (0, 1), (1, 0), (0, 0)), ((1, 1), (2, 1), (1, 2)), (False, True)):
            if any(2 * p > k for p, k in zip(padding, kernel)):
                continue
            x = rng.permutation(2 * 2 * 8 * 7).reshape(2, 2, 8, 7).astype(np.float32)
            y, places = largest(x, kernel, stride, padding, dilation, ceil)
            numbers = [list(kernel), list(stride), list(padding), list(dilation), ceil]
            check("MaxPool2dWithIndices", x, *numbers, Out(y), Out(places, np.int32))
            g, back = f32(*y.shape), np.zeros((2, 2, 56))
            for plane in np.ndindex(2, 2):
                np.add.at(back[plane], places[plane].reshape(-1), g[plane].reshape(-1))
            check("MaxPool2dWithIndicesBackward", g, x, places.astype(np.int32), *numbers, Out(back.reshape(x.shape), np.float32, 1e-4))
            cases += 1
        self.assertGreater(cases, 150)
        x = f32(3, 9, 8)  # without a batch; one number for both sides; a stride that is the kernel's
        y, places = largest(x, (3, 3), (3, 3), (1, 1), (1, 1), False)
        check("MaxPool2dWithIndices", x, [3], [], [1], [1], False, Out(y), Out(places, np.int64))
        self.refused(161002, "half of the kernel", "MaxPool2dWithIndices", x, [3], [], [2], [1], False, Out(y), Out(places, np.int64))
        self.refused(161002, "half of the kernel", "MaxPool2dWithIndices", x, [3], [], [0, -1], [1], False, Out(y), Out(places, np.int64))

    def test_nearest_neighbours_are_those_of_torch(self):
        """Many sizes, among them those where a place is the border of two elements, or float's rounding makes it so."""
        differs = 0
        for size, out in itertools.chain(itertools.product(range(1, 14), range(1, 40)), ((41, 1722), (49, 98 * 7), (100, 300), (93, 651), (640, 480), (1000, 777))):
            x, g = np.arange(size, dtype=np.float32)[None, None], f32(1, 1, out)
            for exact, name in ((False, "UpsampleNearest1d"), (True, "UpsampleNearestExact1d")):
                for scale in (0.0, out / size, (out + 0.5) / size, (out + 1 / 3) / size):
                    index = [torch_place(size, out, o, exact, scale) for o in range(out)]
                    plain = [min(int((o + exact / 2) / (scale or out / size)), size - 1) for o in range(out)]
                    differs += index != plain
                    want = np.zeros_like(x, np.float64)
                    np.add.at(want[0, 0], index, g[0, 0].astype(np.float64))
                    check(name + "Backward", g, [out], [1, 1, size], scale, Out(want, np.float32, 1e-5))
                    if exact:
                        check(name, x, [out], scale, Out(x[..., index]))
                    elif scale == 0:
                        check(name, x, [out], Out(x[..., index]))
                    else:
                        narrow = float(np.float32(scale))  # of this one the parameter is a float
                        index = [torch_place(size, out, o, False, narrow) for o in range(out)]
                        check(name + "V2", x, [out], narrow, Out(x[..., index]))
        self.assertGreater(differs, 10)
        x, g = f32(2, 2, 5, 7), f32(2, 2, 35, 21)
        for scales in ((0.0, 0.0), (7.0, 3.0)):
            rows, columns = ([torch_place(size, out, o, False, scale) for o in range(out)] for size, out, scale in zip((5, 7), (35, 21), scales))
            check("UpsampleNearest2dV2", x, [35, 21], *scales, Out(x[:, :, rows][..., columns]), form=NCHW)
            check("UpsampleNearest2dBackward", g, [35, 21], [2, 2, 5, 7], *scales,
                  Out(through(lambda v: v[:, :, rows][..., columns], x, g), np.float32, 1e-4), form=NCHW)

    def test_resizing(self):
        for sizes, to in (((5,), (8,)), ((7,), (3,)), ((4, 5), (7, 3)), ((4, 5), (4, 10)), ((2, 3, 4), (3, 5, 2))):
            x = f32(2, 2, *sizes)
            names = {1: ("1d", "Linear1d"), 2: ("2d", "Bilinear2d"), 3: ("3d", "Trilinear3d")}[len(sizes)]
            for mode, name in (("nearest", "Nearest" + names[0]), ("exact", "NearestExact" + names[0]), ("linear", names[1])):
                for align in (False, True) if mode == "linear" else (False,):
                    f = lambda v: resize(v, to, mode, align)
                    g = f32(2, 2, *to)
                    flags = [align] if mode == "linear" else []
                    check(f"Upsample{name}Backward", g, list(to), list(x.shape), *flags, *[0.0] * len(sizes), Out(through(f, x, g), np.float32, 1e-4))
                    if name == "Bilinear2d":
                        check("UpsampleBilinear2dBackwardV2", g, list(to), list(x.shape), align, 0.0, 0.0, Out(through(f, x, g), np.float32, 1e-4))
        for scales, to in (((1.5,), (10,)), ((0.7,), (4,)), ((1.5, 2.3), (10, 11)), ((1.25, 1.5, 1.3), (8, 7, 3))):
            x = f32(2, 2, *(7, 5, 3)[: len(to)])
            names = {1: ("1d", "Linear1d"), 2: ("2d", "Bilinear2d"), 3: ("3d", "Trilinear3d")}[len(to)]
            for mode, name in (("nearest", "Nearest" + names[0]), ("exact", "NearestExact" + names[0]), ("linear", names[1])):
                f = lambda v: resize(v, to, mode, False, scales)
                g, flags = f32(2, 2, *to), [False] if mode == "linear" else []
                check(f"Upsample{name}" + ("V2" if mode == "nearest" and len(to) < 3 else ""), x, list(to), *flags, *scales, Out(f(x), np.float32, 1e-4))
                check(f"Upsample{name}Backward", g, list(to), list(x.shape), *flags, *scales, Out(through(f, x, g), np.float32, 1e-4))
        self.refused(161002, "do not fit", "UpsampleNearest1dBackward", f32(2, 2, 5), [6], [2, 2, 3], 0.0, Out(f32(2, 2, 3)))

    def test_padding(self):
        for spatial, pads in ((1, [2, 1]), (2, [1, 2, 0, 2]), (3, [1, 0, 2, 1, 0, 2])):
            x = f32(2, 2, *(4, 3, 5)[:spatial])
            widths = [(0, 0)] * 2 + [(pads[2 * (spatial - 1 - d)], pads[2 * (spatial - 1 - d) + 1]) for d in range(spatial)]
            for name, mode in (("ReflectionPad", "reflect"), ("ReplicationPad", "edge"), ("CircularPad", "wrap")):
                if name == "CircularPad" and spatial == 1:
                    continue
                f = lambda v: np.pad(v, widths, mode)
                g = f32(*f(x).shape)
                check(f"{name}{spatial}dBackward", g, x, pads, Out(through(f, x, g), np.float32, 1e-4))
                check(f"{name}{spatial}dBackward", g[0], x[0], pads, Out(through(f, x, g)[0], np.float32, 1e-4))
                if mode == "wrap":
                    check(f"{name}{spatial}d", x, pads, Out(f(x)))
        self.refused(161002, "padding", "ReflectionPad1dBackward", f32(2, 2, 14), f32(2, 2, 4), [5, 5], Out(f32(2, 2, 4)))
        self.refused(161002, "has 6 elements, not 9", "ReplicationPad1dBackward", f32(2, 2, 9), f32(2, 2, 4), [1, 1], Out(f32(2, 2, 4)))

    def test_averages(self):
        def adaptive(v, sizes):
            for d, out in enumerate(sizes, 2):
                n = v.shape[d]
                v = np.stack([v.take(range(o * n // out, -(-(o + 1) * n // out)), d).mean(d) for o in range(out)], d)
            return v

        for sizes, to in (((5, 6), (3, 4)), ((4, 3), (1, 7)), ((5, 4, 3), (2, 4, 2))):
            x, f = f32(2, 2, *sizes), lambda v: adaptive(v, to)
            g, d = f32(2, 2, *to), len(to)
            check(f"AdaptiveAvgPool{d}dBackward", g, x, Out(through(f, x, g), np.float32, 1e-4))
            if d == 3:
                check("AdaptiveAvgPool3d", x, list(to), Out(f(x.astype(float)), np.float32, 1e-5))
                self.refused(161002, "outputSize", "AdaptiveAvgPool3d", x, [9, 9, 9], Out(f(x)))

        def average3(v, kernel, stride, padding, ceil, counts, divisor):
            for d in range(3):
                size, rows = v.shape[2 + d], []
                n = -(-(size + 2 * padding - kernel) // stride) + 1 if ceil else (size + 2 * padding - kernel) // stride + 1
                n -= ceil and (n - 1) * stride >= size + padding
                for o in range(n):
                    begin = o * stride - padding
                    end = min(begin + kernel, size + padding)
                    part = v.take(range(max(begin, 0), min(end, size)), 2 + d)
                    rows.append(part.sum(2 + d) / (1 if divisor else end - begin if counts else part.shape[2 + d]))
                v = np.stack(rows, 2 + d)
            return v / (divisor or 1)

        for numbers in ((2, 2, 0, False, True, 0), (3, 2, 1, True, False, 0), (3, 2, 1, True, True, 0), (2, 1, 0, False, True, 5)):
            x, f = f32(1, 2, 5, 4, 3), lambda v: average3(v, *numbers)
            g = f32(*f(x).shape)
            kernel, stride, padding, *rest = numbers
            check("AvgPool3dBackward", g, x, [kernel] * 3, [stride] * 3, [padding] * 3, *rest, Out(through(f, x, g), np.float32, 1e-4))

    def test_cubic(self):
        def cubic(v, sizes, align):
            a = -0.75
            for d, out in enumerate(sizes, 2):
                n, rows = v.shape[d], []
                for o in range(out):
                    at = o * (n - 1) / (out - 1) if align and out > 1 else 0.0 if align else (o + 0.5) * n / out - 0.5
                    low, sum_ = int(np.floor(at)), 0
                    for k in range(low - 1, low + 3):
                        t = abs(at - k)
                        w = (a + 2) * t**3 - (a + 3) * t**2 + 1 if t <= 1 else a * t**3 - 5 * a * t**2 + 8 * a * t - 4 * a
                        sum_ = sum_ + w * v.take(min(max(k, 0), n - 1), d)
                    rows.append(sum_)
                v = np.stack(rows, d)
            return v

        for sizes, to, align in itertools.product(((4, 5), (3, 2)), ((7, 3), (4, 10)), (False, True)):
            x, f = f32(1, 2, *sizes), lambda v: cubic(v, to, align)
            g = f32(1, 2, *to)
            check("UpsampleBicubic2dBackward", g, list(to), list(x.shape), align, 0.0, 0.0, Out(through(f, x, g), np.float32, 1e-4))
        self.refused(161002, "not the end", "UpsampleBicubic2dBackward", g, [3, 3], list(x.shape), False, 0.0, 0.0, Out(x))

    def test_tables_and_groups(self):
        g, index = f32(2, 5, 4), np.int64([[0, 3, 3, 1, 6], [3, 0, 0, 5, 1]])
        for padding, scaled in itertools.product((-1, 3), (False, True)):
            want = np.zeros((7, 4))
            for at, row in zip(index.reshape(-1), g.reshape(-1, 4)):
                want[at] += row / ((index == at).sum() if scaled else 1)
            if padding == 3:
                want[3] = 0
            check("EmbeddingDenseBackward", g, index, 7, padding % 2**64, scaled, Out(want, np.float32))
        self.refused(161002, "do not fit", "EmbeddingDenseBackward", g, index, 7, 0, False, Out(f32(7, 5)))
        n, c, groups, space = 2, 6, 3, 4
        x, g, gamma = f32(n, c, 2, 2), f32(n, c, 2, 2), f32(c)
        rows = x.reshape(n, groups, -1)
        mean, rstd = rows.mean(2), 1 / np.sqrt(rows.var(2) + 1e-5)
        for given in (gamma, None):
            w = np.ones(c) if given is None else given
            xh = ((rows - mean[..., None]) * rstd[..., None]).reshape(n, c, space)
            gg = (g.reshape(n, c, space) * w[:, None]).reshape(n, groups, -1)
            xr = xh.reshape(n, groups, -1)
            dx = rstd[..., None] * (gg - gg.mean(2, keepdims=True) - xr * (gg * xr).mean(2, keepdims=True))
            flat = g.reshape(n, c, space)
            outs = [Out(dx.reshape(x.shape), np.float32, 1e-4), Out((flat * xh).sum((0, 2)), np.float32, 1e-4), Out(flat.sum((0, 2)), np.float32, 1e-4)]
            check("GroupNormBackward", g, x, mean, rstd, given, n, c, space, groups, [True] * 3, *outs)
        check("GroupNormBackward", g, x, mean, rstd, None, n, c, space, groups, [True, False, False], outs[0], None, None)

    def test_assignments(self):
        x, mask = f32(3, 4), rng.random((3, 4)) < 0.5
        source = f32(12)
        want = x.copy()
        want[mask] = source[: mask.sum()]
        check("InplaceMaskedScatter", InOut(x, want), mask, source)
        value = f32(2, 2)
        want = x.copy()
        want[0:3:2, 1:3] = value
        check("StridedSliceAssignV2", InOut(x, want), value, [0, 1], [3, 3], [2, 1], None)


if __name__ == "__main__":
    main()
