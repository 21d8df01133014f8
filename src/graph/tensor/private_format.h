// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/tensor/types.h"

namespace belay::graph {

// How a tensor's elements lie in memory. `shape` is the stored one: of a private format with its C0 and padding.
struct TensorForm {
  Format format = Format::ND;
  Shape shape;
  int64_t groups = 1;  // of FRACTAL_Z
};

// NC1HWC0, FRACTAL_Z, FRACTAL_NZ...: orders that only the device knows.
bool is_private(Format format);

// The channels that the device takes at a time: 32 for one-byte integers, 16 for most types.
int64_t default_c0(DataType type);

// The stored shape that a tensor gets in a private format. `origin` is its logical form (NCHW, NHWC, HWCN, ND...).
Result<Shape> private_shape(DataType type, Format format, int64_t groups, const TensorForm& origin, int64_t c0 = 0);

// The same tensor in another form: one of the two is private, or neither. Padding is zero. C0 is taken from the stored
// shape. ACL_ERROR_GE_FORMAT_INVALID for formats whose order is not known, ACL_ERROR_GE_SHAPE_INVALID when the shapes
// do not belong together; the message has both.
Result<std::vector<std::byte>> convert_form(DataType type, std::span<const std::byte> bytes, const TensorForm& from,
                                            const TensorForm& to);

}  // namespace belay::graph
