// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/tensor/private_format.h"

namespace belay::graph {

namespace order {
class StoredOrder;
}

// Reads a tensor that lies in memory in one form in the order of another, any part of it at a time. Any thread may
// read.
class FormReader {
 public:
  // From a private format to its logical form, or between plain ones (NHWC to NCHW). The errors of convert_form.
  static Result<FormReader> make(DataType type, size_t bytes, const TensorForm& stored, const TensorForm& logical);
  // Row-major from column-major, as Fortran keeps arrays. The shape is known and all of it is there.
  static FormReader columns(DataType type, const Shape& shape);

  // The logical elements first .. first+count-1, which exist. Those of less than a byte come one to a byte, as
  // small_element gives them.
  void read(const std::byte* stored, int64_t first, int64_t count, std::byte* out) const;

 private:
  struct Axis {
    int64_t size = 0;
    int64_t stride = 0;              // where `positions` is empty
    std::vector<int64_t> positions;  // where each index begins
    size_t order_axis = 0;           // of order_, where that is asked
  };
  explicit FormReader(DataType type);
  int64_t position(const Axis& axis, int64_t index) const;
  int64_t position(const Shape& indices) const;
  template <class Copy>
  void walk(int64_t first, int64_t count, Copy copy) const;

  DataType type_;
  size_t bits_;
  std::vector<Axis> axes_;
  std::shared_ptr<const order::StoredOrder> order_;  // null for columns
};

}  // namespace belay::graph
