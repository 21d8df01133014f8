# SPDX-License-Identifier: Apache-2.0
"""LpPool with dilations and ceil_mode (18), AveragePool with dilations (19)."""
import math

import numpy as np

from case import case, f32


def windows(x, kernel, strides, pads, dilations, ceil):
    """For each output: the elements under its window, and how many places of it are not beyond the padding."""
    rank = len(kernel)
    outs = []
    for d in range(rank):
        span = x.shape[2 + d] + pads[d] + pads[d + rank] - dilations[d] * (kernel[d] - 1) - 1
        out = (math.ceil if ceil else math.floor)(span / strides[d]) + 1
        if ceil and (out - 1) * strides[d] >= x.shape[2 + d] + pads[d]:
            out -= 1  # a window must not begin in the padding behind
        outs.append(out)
    for at in np.ndindex(*outs):
        inside, padded = [], 0
        for k in np.ndindex(*kernel):
            p = [at[d] * strides[d] + k[d] * dilations[d] - pads[d] for d in range(rank)]
            if all(0 <= p[d] < x.shape[2 + d] for d in range(rank)):
                inside.append(x[(slice(None), slice(None), *p)].astype(np.float64))
            if all(p[d] < x.shape[2 + d] + pads[d + rank] for d in range(rank)):
                padded += 1
        yield tuple(outs), at, inside, padded


def pooled(x, kernel, strides, pads, dilations, ceil, of):
    y = None
    for outs, at, inside, padded in windows(x, kernel, strides, pads, dilations, ceil):
        if y is None:
            y = np.zeros((*x.shape[:2], *outs))
        y[(slice(None), slice(None), *at)] = of(inside, padded)
    return y.astype(np.float32)


FORMS = {
    "plain": ((1, 2, 6, 7), (2, 3), (1, 2), (0, 0, 0, 0), (1, 1)),
    "pads": ((1, 2, 6, 7), (3, 3), (2, 2), (1, 0, 1, 1), (1, 1)),
    "dilated": ((2, 2, 9, 8), (2, 3), (1, 1), (0, 0, 0, 0), (2, 3)),
    "dilated_pads": ((1, 2, 9, 8), (3, 2), (2, 1), (1, 1, 2, 0), (2, 3)),
    "one_dimension": ((1, 3, 11), (3,), (2,), (1, 1), (1,)),
    "one_dimension_dilated": ((1, 3, 12), (3,), (2,), (1, 0), (2,)),
    "volume_dilated": ((1, 2, 6, 5, 5), (2, 2, 2), (1, 2, 1), (1, 0, 0, 0, 1, 0), (2, 1, 3)),
}


def cases_average_pool():
    for name, (shape, kernel, strides, pads, dilations) in FORMS.items():
        for ceil in (0, 1):
            for include in (0, 1):
                x = f32(*shape)
                want = pooled(x, kernel, strides, pads, dilations, ceil,
                              lambda inside, padded: sum(inside) / (padded if include else len(inside)))
                case(f"AveragePool_{name}_ceil_{ceil}_include_{include}", "AveragePool", [x], [want], 19, kernel_shape=kernel, strides=strides,
                     pads=pads, dilations=dilations, ceil_mode=ceil, count_include_pad=include)


def cases_lp_pool():
    for name, (shape, kernel, strides, pads, dilations) in FORMS.items():
        for ceil in (0, 1):
            for p in (1, 2, 3):
                x = f32(*shape)
                want = pooled(x, kernel, strides, pads, dilations, ceil,
                              lambda inside, padded: sum(np.abs(one)**p for one in inside)**(1 / p))
                case(f"LpPool_{name}_ceil_{ceil}_p_{p}", "LpPool", [x], [want], rtol=1e-4, kernel_shape=kernel, strides=strides, pads=pads,
                     dilations=dilations, ceil_mode=ceil, p=p)
    x = f32(1, 2, 5, 5)
    same = pooled(x, (3, 2), (2, 2), (1, 0, 1, 1), (1, 1), 0, lambda inside, padded: sum(one**2 for one in inside)**0.5)
    case("LpPool_same_upper", "LpPool", [x], [same], rtol=1e-4, kernel_shape=[3, 2], strides=[2, 2], auto_pad="SAME_UPPER")
