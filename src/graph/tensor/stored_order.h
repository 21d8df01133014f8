// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/tensor/private_format.h"

// Where a format puts the elements of a tensor: shared by what converts tensors and what reads parts of them.
namespace belay::graph::order {

constexpr int64_t kFractal = 16;  // rows of a fractal

// The axes that formats speak of. A tensor of the fractal matrix formats has B (all leading dimensions), H and W.
enum AxisName { N, C, D, H, W, B, kAxes };
using Extents = std::array<int64_t, kAxes>;

int64_t cdiv(int64_t a, int64_t b);
std::optional<AxisName> axis_of(char letter);
bool is_fractal_matrix(Format format);
// Whether the name of the format is its order: NCHW, HWCN.
bool is_plain(Format format);

Status unknown_order(Format format);
Status shapes_differ(const TensorForm& stored, const TensorForm& logical);

// A logical tensor: which axis each of its dimensions is.
struct Logical {
  std::vector<AxisName> axes;
  Shape shape;

  Extents extents() const;
};

// The last two dimensions are rows and columns, the others one batch. A vector is a row, unless it was stored as a
// column.
Logical as_matrix(const Shape& shape, const Shape& stored);
Result<Logical> logical_view(const TensorForm& stored, const TensorForm& logical);

// The numbers of FRACTAL_Z with groups: so many groups are packed together that channels fill whole fractals.
struct GroupPacking {
  GroupPacking(const Extents& e, int64_t groups, int64_t c0);
  int64_t cin, cout, together, packs, c1, padded_cout;
};

// A stored dimension: an axis, or a part of one that is split.
struct StoredDim {
  AxisName axis;
  int64_t size;
  int64_t divide = 1, modulo = 0;  // index / divide, then % modulo unless that is 0
  int64_t stride = 0;
};

// The position of an element is a sum over its axes.
class StoredOrder {
 public:
  // `stored` decides the order: a private format, or a plain one whose shape follows from the logical tensor.
  static Result<StoredOrder> find(const TensorForm& stored, const TensorForm& logical);

  const Logical& logical() const { return logical_; }
  int64_t stored_count() const { return stored_count_; }
  // Of FRACTAL_Z; 1 for all others. Each has so many of the indices along N.
  int64_t groups() const { return groups_; }
  int64_t outputs_of_group() const { return packing_ ? packing_->cout : 0; }
  // `index` along N counts from the beginning of the group.
  int64_t position(AxisName axis, int64_t index, int64_t group) const;

 private:
  StoredOrder(Logical logical, std::vector<StoredDim> dims);
  StoredOrder(Logical logical, int64_t groups, int64_t c0);

  Logical logical_;
  Extents extents_;
  std::vector<StoredDim> dims_;  // empty with groups
  int64_t groups_ = 1, c0_ = 0;
  std::optional<GroupPacking> packing_;
  int64_t stored_count_ = 1;
};

}  // namespace belay::graph::order
