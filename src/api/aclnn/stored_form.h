// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "api/aclnn/objects.h"
#include "base/status.h"
#include "operators/composition.h"

// Tensors whose elements do not lie in the order of their dimensions.
namespace belay::api {

// The matrix that a view of a weight was stored as: the view itself, or its transpose where its last two strides are
// exchanged.
struct StoredMatrix {
  int64_t rows = 0, columns = 0, c0 = 0;
  bool turned = false;

  static StoredMatrix of(const TensorView& view);
  int64_t across() const { return (columns + c0 - 1) / c0; }
  int64_t down() const { return (rows + 15) / 16; }
  int64_t padded() const { return across() * down() * 16 * c0; }
  bool fills_fractals() const { return rows * columns == padded(); }
};

// Whether the bytes of a tensor lie in another order than its strides say. In FRACTAL_NZ those of a matrix that does
// not fill whole fractals do so only when its storage shape has room for the padding: aclnnTransMatmulWeight leaves
// such a matrix in order, for there is no room.
bool is_rearranged(const TensorView& view, operators::Form form);

// The view of a matrix that lies, or is to lie, in fractals must have its rows or its columns one after another, and
// its matrices within the storage; 161002.
Status check_strides(const TensorView& view, operators::Form form);

// After aclnnTransMatmulWeight: the tensor's format is FRACTAL_NZ, and its storage shape has it where the bytes do.
void label_as_fractals(TensorView& view);

// What a tensor in a private format may be turned into; 161002 or 361001 when its form is not known.
Status check_form(const TensorView& view, const TensorView& other);

// The elements in the order of the view, one after the other. `other` is the tensor on the other side of a change of
// format: its letters tell the order of the dimensions.
Status unpack(const TensorView& view, const TensorView& other, std::byte* to);
// The reverse; padding becomes 0.
Status pack(const std::byte* from, const TensorView& view, const TensorView& other);

}  // namespace belay::api
