# SPDX-License-Identifier: Apache-2.0
"""GroupNormalization: one scale and bias for each group (18), for each channel (21)."""
import numpy as np

from case import case, f32


def normalized(x, groups, epsilon):
    wide = x.astype(np.float64).reshape(x.shape[0], groups, -1)
    return ((wide - wide.mean(2, keepdims=True)) / np.sqrt(wide.var(2, keepdims=True) + epsilon)).reshape(x.shape)


def along_channels(values, x):
    return values.reshape(1, -1, *[1] * (x.ndim - 2))


def cases_group_normalization():
    for shape in ((2, 6, 4, 5), (3, 6, 7), (1, 6, 2, 3, 2)):
        x, groups = f32(*shape), 3
        for epsilon in (1e-5, 1e-2):
            plain = normalized(x, groups, epsilon)
            few, many = (f32(groups), f32(groups)), (f32(6), f32(6))
            name = f"{len(shape)}_{epsilon}"
            by_group = plain * along_channels(np.repeat(few[0], 2), x) + along_channels(np.repeat(few[1], 2), x)
            by_channel = plain * along_channels(many[0], x) + along_channels(many[1], x)
            for constants in ((1, 2), ()):
                where = "constant" if constants else "computed"
                case(f"GroupNormalization_18_{name}_{where}", "GroupNormalization", [x, *few], [by_group.astype(np.float32)], 18, constants,
                     1e-4, 1e-5, num_groups=groups, epsilon=epsilon)
                case(f"GroupNormalization_21_{name}_{where}", "GroupNormalization", [x, *many], [by_channel.astype(np.float32)], 21, constants,
                     1e-4, 1e-5, num_groups=groups, epsilon=epsilon)
