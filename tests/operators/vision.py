# SPDX-License-Identifier: Apache-2.0
"""Sampling, pooling and suppression against plain loops in numpy."""
import itertools
import math

import numpy as np

from case import case, f32, refused, rng


def reflect(x, low, high):
    if high <= low:
        return low
    while x < low or x > high:
        x = 2 * low - x if x < low else 2 * high - x
    return x


def pixel(plane, index, padding, align):
    at = []
    for i, n in zip(index, plane.shape):
        if not 0 <= i < n:
            if padding == "zeros":
                return 0.0
            i = min(max(i, 0), n - 1) if padding == "border" else \
                int(min(max(np.rint(reflect(i, *((0, n - 1) if align else (-0.5, n - 0.5)))), 0), n - 1))
        at.append(int(i))
    return float(plane[tuple(at)])


def cubic(d, a=-0.75):
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def weights(x, n, mode, padding, align):
    """Places and weights along one dimension."""
    x = (x + 1) / 2 * (n - 1) if align else ((x + 1) * n - 1) / 2
    if mode != "bicubic":
        if padding == "border":
            x = min(max(x, 0), n - 1)
        if padding == "reflection":
            x = min(max(reflect(x, *((0, n - 1) if align else (-0.5, n - 0.5))), 0), n - 1)
    if mode == "nearest":
        return [(int(np.rint(x)), 1.0)]
    low = math.floor(x)
    if mode == "bilinear":
        return [(low, 1 - (x - low)), (low + 1, x - low)]
    return [(low + k, cubic(x - low - k)) for k in (-1, 0, 1, 2)]


def grid_sample(x, grid, mode, padding, align):
    y = np.zeros((*x.shape[:2], *grid.shape[1:-1]))
    for n in range(x.shape[0]):
        for place in np.ndindex(*grid.shape[1:-1]):
            taps = [weights(float(g), s, mode, padding, align) for g, s in zip(grid[n][place][::-1], x.shape[2:])]
            for c in range(x.shape[1]):
                y[(n, c, *place)] = sum(math.prod(w for _, w in mix) * pixel(x[n, c], [i for i, _ in mix], padding, align)
                                        for mix in itertools.product(*taps))
    return y


def grid_sampler():
    x, grid = f32(2, 3, 4, 5), rng.uniform(-1.6, 1.6, (2, 3, 4, 2)).astype(np.float32)
    volume, grid3 = f32(1, 2, 3, 4, 3), rng.uniform(-1.4, 1.4, (1, 2, 3, 2, 3)).astype(np.float32)
    for mode, padding, align in itertools.product(("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection"),
                                                  (False, True)):
        flags = {"interpolation_mode": mode, "padding_mode": padding, "align_corners": align}
        case("GridSampler2D", [x, grid], [grid_sample(x, grid, mode, padding, align).astype(np.float32)],
             f"GridSampler2D {mode} {padding} {align}", tolerance=1e-5, **flags)
        if mode != "bicubic":
            case("GridSampler3D", [volume, grid3], [grid_sample(volume, grid3, mode, padding, align).astype(np.float32)],
                 f"GridSampler3D {mode} {padding} {align}", tolerance=1e-5, **flags)
    wide, places = f32(1, 2, 6, 7), rng.uniform(-1.1, 1.1, (1, 20, 30, 2)).astype(np.float32)
    case("GridSampler2D", [wide, places], [grid_sample(wide, places, "bilinear", "zeros", False).astype(np.float32)],
         "GridSampler2D of many places", tolerance=1e-5)
    # Beside the grid there is nothing, whatever the first element is; half outside, half of the rest.
    odd, at = np.full((1, 1, 2, 2), 4, np.float32), np.array([[[[-9, -9], [np.nan, 0], [1, 0.5], [0.5, 0.5]]]], np.float32)
    odd[0, 0, 0, 0] = np.inf
    case("GridSampler2D", [odd, at], [np.array([[[[0, 0, 2, 4]]]], np.float32)], "GridSampler2D beside infinity")
    h, g = x.astype(np.float16), grid.astype(np.float16)
    case("GridSampler2D", [h, g], [grid_sample(h, g, "bilinear", "zeros", False).astype(np.float16)],
         "GridSampler2D of float16", tolerance=2e-3)
    refused("GridSampler2D", [x, f32(1, 2, 2, 2)], "the grid does not fit the image")
    refused("GridSampler3D", [f32(1, 1, 2, 2, 2, 2), f32(1, 2, 2, 2, 2, 4)], "more than three dimensions beside batch")
    refused("GridSampler2D", [x, grid], "interpolation_mode odd", interpolation_mode="odd")
    theta = f32(2, 2, 3)
    for align in (False, True):
        ys, xs = (np.linspace(-1, 1, n) if align else (2 * np.arange(n) + 1) / n - 1 for n in (3, 5))
        places = np.stack([np.tile(xs, (3, 1)), np.tile(ys[:, None], (1, 5)), np.ones((3, 5))], -1)
        case("AffineGrid", [theta, np.array([2, 7, 3, 5], np.int64)],
             [np.einsum("hwk,nik->nhwi", places, theta).astype(np.float32)], f"AffineGrid {align}", align_corners=align,
             tolerance=1e-5)


def bilinear(plane, y, x):
    h, w = plane.shape
    if not (-1 <= y <= h and -1 <= x <= w):
        return [0.0]
    y, x = min(max(y, 0), h - 1), min(max(x, 0), w - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, h - 1), min(left + 1, w - 1)
    dy, dx = y - top, x - left
    return [(1 - dy) * (1 - dx) * plane[top, left], (1 - dy) * dx * plane[top, right], dy * (1 - dx) * plane[bottom, left],
            dy * dx * plane[bottom, right]]


def roi_align(x, rois, scale, size, samples, mode, end_mode):
    y = np.zeros((len(rois), x.shape[1], *size))
    for r, (image, *box) in enumerate(rois):
        half, more = (0.5 if end_mode == 2 else 0), (1 if end_mode == 1 else 0)
        x1, y1, x2, y2 = (v * scale - half for v in (box[0], box[1], box[2] + more, box[3] + more))
        w, h = x2 - x1, y2 - y1
        if end_mode != 2:
            w, h = max(w, 1), max(h, 1)
        bh, bw = h / size[0], w / size[1]
        nh, nw = (samples or math.ceil(bh)), (samples or math.ceil(bw))
        for c, i, j in itertools.product(range(x.shape[1]), *map(range, size)):
            parts = [bilinear(x[int(image), c], y1 + (i + (a + 0.5) / nh) * bh, x1 + (j + (b + 0.5) / nw) * bw)
                     for a in range(nh) for b in range(nw)]
            y[r, c, i, j] = max(max(p) for p in parts) if mode == "max" else sum(map(sum, parts)) / (nh * nw)
    return y


def roi():
    x = f32(2, 3, 10, 12)
    rois = np.array([[0, 0, 0, 9, 9], [1, 2.5, 3, 8, 7], [0, 5, 1, 5.2, 1.1], [1, 4, 4, 11, 9]], np.float32)
    for samples, mode, end_mode in itertools.product((0, 2), ("avg", "max"), (0, 1, 2)):
        case("ROIAlign", [x, rois], [roi_align(x, rois, 0.9, (3, 4), samples, mode, end_mode).astype(np.float32)],
             f"ROIAlign {mode} of {samples} samples, end mode {end_mode}", tolerance=1e-5, spatial_scale=0.9,
             pooled_height=3, pooled_width=4, sample_num=samples, roi_end_mode=end_mode, pool_mode=mode)
    refused("ROIAlign", [x, np.array([[2, 0, 0, 1, 1]], np.float32)], "index 2 (element 0 of the indices) is outside [0, 1]",
            spatial_scale=1.0, pooled_height=1, pooled_width=1)
    want = np.zeros((2, 3, 2, 2), np.float32)
    boxes = np.array([[0, 1, 2, 6, 9], [1, 0, 0, 3, 3]], np.float32)
    for r, (image, x1, y1, x2, y2) in enumerate(boxes.astype(int)):
        h, w = y2 - y1 + 1, x2 - x1 + 1
        for i, j in np.ndindex(2, 2):
            rows = slice(y1 + i * h // 2, y1 + -(-(i + 1) * h // 2))
            columns = slice(x1 + j * w // 2, x1 + -(-(j + 1) * w // 2))
            want[r, :, i, j] = x[image, :, rows, columns].max((1, 2))
    case("ROIPooling", [x, boxes], [want], pooled_h=2, pooled_w=2, spatial_scale_h=1.0, spatial_scale_w=1.0)


def overlap(a, b):
    area = [(q[2] - q[0]) * (q[3] - q[1]) for q in (a, b)]
    h, w = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return 0 if h <= 0 or w <= 0 else h * w / (sum(area) - h * w)


def suppression():
    corners = np.sort(rng.uniform(0, 1, (2, 20, 2, 2)), 2).reshape(2, 20, 4).astype(np.float32)  # y1 x1 y2 x2
    scores = rng.uniform(0, 1, (2, 3, 20)).astype(np.float32)
    rows = []
    for b, c in np.ndindex(2, 3):
        kept = []
        for i in np.argsort(-scores[b, c], kind="stable"):
            if scores[b, c, i] > 0.3 and len(kept) < 4 and all(overlap(corners[b, i], corners[b, k]) <= 0.4 for k in kept):
                kept.append(i)
        rows += [(b, c, i) for i in kept]
    limits = [np.array([4], np.int64), np.array([0.4], np.float32), np.array([0.3], np.float32)]
    case("NonMaxSuppressionV6", [corners, scores, *limits], [np.array(rows, np.int32)])
    flipped = corners[..., [2, 3, 0, 1]]
    case("NonMaxSuppressionV6", [flipped, scores, *limits], [np.array(rows, np.int32)], "NonMaxSuppressionV6 of flipped corners")
    centred = np.stack([(corners[..., 1] + corners[..., 3]) / 2, (corners[..., 0] + corners[..., 2]) / 2,
                        corners[..., 3] - corners[..., 1], corners[..., 2] - corners[..., 0]], -1)
    case("NonMaxSuppressionV6", [centred, scores, *limits], [np.array(rows, np.int32)], "NonMaxSuppressionV6 of centres",
         center_point_box=1)
    case("NonMaxSuppressionV6", [corners, scores], [np.zeros((0, 3), np.int32)], "NonMaxSuppressionV6 of none")
    kept = np.array([r[2] for r in rows if r[:2] == (0, 0)], np.int32)
    case("NonMaxSuppressionV3", [corners[0], scores[0, 0], *limits], [kept])


def crop_and_resize():
    x = f32(2, 3, 5, 6)
    boxes = np.array([[0.1, 0.2, 0.9, 0.7], [0, 0, 1.2, 1], [0.8, 0.1, 0.2, 0.9]], np.float32)
    index = np.array([1, 0, 1], np.int32)
    want = np.full((3, 3, 4, 3), 7, np.float32)
    for r in range(3):
        for i, j in np.ndindex(4, 3):
            y = (boxes[r, 0] + i * (boxes[r, 2] - boxes[r, 0]) / 3) * 4
            z = (boxes[r, 1] + j * (boxes[r, 3] - boxes[r, 1]) / 2) * 5
            if 0 <= y <= 4 and 0 <= z <= 5:
                for c in range(3):
                    want[r, c, i, j] = sum(bilinear(x[index[r], c], y, z))
    case("CropAndResize", [x, boxes, index, np.array([4, 3], np.int32)], [want], extrapolation_value=7.0, tolerance=1e-5)
    refused("CropAndResize", [x, boxes, np.array([1, 2, 0], np.int32), np.array([4, 3], np.int32)], "index 2")


for family in (grid_sampler, roi, suppression, crop_and_resize):
    family()
