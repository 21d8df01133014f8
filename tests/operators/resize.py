# SPDX-License-Identifier: Apache-2.0
"""Resize against the interpolation of ONNX's own node tests."""
import functools
import itertools

import numpy as np

for alias, kind in (("float", float), ("int", int), ("bool", bool), ("object", object)):
    setattr(np, alias, kind)  # onnx was written for an older numpy

from onnx.backend.test.case.node.resize import cubic_coeffs, interpolate_nd, linear_coeffs, nearest_coeffs  # noqa: E402

from case import case, f32, refused, rng  # noqa: E402

NEAREST = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil")
COORDINATES = ("half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric")


def want(x, coeffs, scales=None, sizes=None, **options):
    scale_factors = None if scales is None else np.array(scales, np.float32)
    return interpolate_nd(x, coeffs, output_size=sizes, scale_factors=scale_factors, **options).astype(x.dtype)


def resize(x, coeffs, name, scales=None, sizes=None, roi=None, reference=None, tolerance=2e-6, **attributes):
    empty = np.zeros(0, np.float32)
    case("Resize", [x, empty if roi is None else np.array(roi, np.float32),
                    empty if scales is None else np.array(scales, np.float32),
                    None if sizes is None else np.array(sizes, np.int64)],
         [want(x, coeffs, scales, sizes, **(reference or {}))], "Resize " + name, tolerance=tolerance, **attributes)


x = f32(1, 2, 5, 6)
for factors in ((2.0, 2.0), (0.6, 0.7), (1.5, 0.5), (1.0, 3.0)):
    for mode in COORDINATES:
        scales = [1.0, 1.0, *factors]
        options = {"coordinate_transformation_mode": mode}
        for nearest in NEAREST:
            resize(x, functools.partial(nearest_coeffs, mode=nearest), f"nearest {nearest} {mode} {factors}", scales,
                   reference=options, mode="nearest", nearest_mode=nearest, **options)
        resize(x, linear_coeffs, f"linear {mode} {factors}", scales, reference=options, mode="linear", **options)
        for a, exclude in itertools.product((-0.75, -0.5), (0, 1)):
            resize(x, functools.partial(cubic_coeffs, A=a), f"cubic {a} exclude {exclude} {mode} {factors}", scales,
                   reference={**options, "exclude_outside": bool(exclude)}, mode="cubic", cubic_coeff_a=a,
                   exclude_outside=exclude, **options)
for sizes in ((7, 8), (3, 3), (1, 1), (5, 6)):
    for mode in COORDINATES:
        options = {"coordinate_transformation_mode": mode}
        resize(x, linear_coeffs, f"linear to {sizes} {mode}", sizes=[1, 2, *sizes], reference=options, mode="linear", **options)
        if mode == "pytorch_half_pixel" and sizes == (1, 1):
            continue  # the specification says place 0, the node tests -0.5
        resize(x, cubic_coeffs, f"cubic to {sizes} {mode}", sizes=[1, 2, *sizes], reference=options, mode="cubic", **options)
for coeffs, mode in ((linear_coeffs, "linear"), (cubic_coeffs, "cubic"), (nearest_coeffs, "nearest")):
    for roi in ([0, 0, 0.4, 0.6, 1, 1, 0.6, 0.8], [0, 0, 0.4, 0.6, 1, 1, 1.2, 1.7]):
        options = {"coordinate_transformation_mode": "tf_crop_and_resize", "extrapolation_value": 10.0}
        resize(x, coeffs, f"{mode} of a crop {roi}", sizes=[1, 2, 3, 4], roi=roi,
               reference={"roi": np.array(roi, np.float32), **options}, mode=mode, tolerance=1e-5, **options)
# Other types, ranks and axes.
for kind in ("float16", "float64"):
    h = f32(2, 3, 4, 4).astype(kind)
    y = want(h.astype(np.float64), linear_coeffs, [1, 1, 2, 1.5]).astype(kind)
    case("Resize", [h, None, np.array([1, 1, 2, 1.5], np.float32), None], [y], f"Resize linear of {kind}", mode="linear",
         tolerance=1e-3 if kind == "float16" else 1e-12)
for kind in ("uint8", "int32", "int64", "bool", "float16"):
    u = rng.integers(0, 2, (1, 1, 3, 4)).astype(kind)
    case("Resize", [u, None, np.array([1, 1, 2, 2], np.float32), None], [u.repeat(2, 2).repeat(2, 3)],
         f"Resize nearest of {kind}", mode="nearest", coordinate_transformation_mode="asymmetric", nearest_mode="floor")
line, volume = f32(2, 3, 7), f32(1, 2, 3, 4, 5)
resize(line, linear_coeffs, "linear of a line", [1, 1, 1.7], mode="linear")
resize(volume, linear_coeffs, "linear of a volume", [1, 1, 2, 1.5, 0.5], mode="linear")
case("Resize", [x, None, np.array([1.5, 2], np.float32), None], [want(x, linear_coeffs, [1, 1, 1.5, 2])],
     "Resize of chosen axes", mode="linear", axes=[2, 3])
for policy, sizes in (("not_larger", [10, 20]), ("not_smaller", [10, 3])):
    case("Resize", [x, None, None, np.array(sizes, np.int64)], [want(x, linear_coeffs, sizes=[1, 2, 10, 12])],
         f"Resize that keeps the ratio, {policy}", mode="linear", axes=[2, 3], keep_aspect_ratio_policy=policy)
case("Resize", [np.arange(1, 17, dtype=np.float32).reshape(1, 1, 4, 4), None, np.array([1, 1, 0.6, 0.6], np.float32), None],
     [np.array([[[[2.875, 4.5], [9.375, 11.0]]]], np.float32)], "Resize linear, antialiased", mode="linear", antialias=1)
refused("Resize", [x, None, np.array([1, 1, 2], np.float32), None], "a scale or a size for each axis")
refused("Resize", [x, None, np.array([1, 1, 2, 2], np.float32), None], "mode odd", mode="odd")

# The operators that take the size of rows and columns.
size = np.array([10, 9], np.int32)
for align, centres, mode in ((False, False, "asymmetric"), (True, False, "align_corners"), (False, True, "half_pixel")):
    flags = {"align_corners": align, "half_pixel_centers": centres}
    case("ResizeBilinearV2", [x, size], [want(x, linear_coeffs, sizes=[1, 2, 10, 9], coordinate_transformation_mode=mode)],
         f"ResizeBilinearV2 {mode}", tolerance=2e-6, **flags)
rows, columns = (np.arange(10) * 5 // 10), (np.arange(9) * 6 // 9)
case("ResizeNearestNeighborV2", [x, size], [x[:, :, rows][..., columns]])
rows, columns = np.floor((np.arange(10) + 0.5) * 5 / 10).astype(int), np.floor((np.arange(9) + 0.5) * 6 / 9).astype(int)
case("ResizeNearestNeighborV2", [x, size], [x[:, :, rows][..., columns]], "ResizeNearestNeighborV2 at centres",
     half_pixel_centers=True)
case("ResizeBilinearV2D", [x], [want(x, linear_coeffs, sizes=[1, 2, 4, 3], coordinate_transformation_mode="half_pixel")],
     size=[4, 3], half_pixel_centers=True, tolerance=2e-6)
case("ResizeBicubicV2", [x, size], [want(x, cubic_coeffs, sizes=[1, 2, 10, 9], coordinate_transformation_mode="half_pixel")],
     tolerance=2e-6)
