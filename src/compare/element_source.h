// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/status.h"
#include "graph/tensor/types.h"

namespace belay::compare {

// A tensor of one side as a sequence of elements in the row-major order of its logical shape: private formats are
// undone on the way. It is read piece by piece, so that tensors of any size need little memory. Any thread may read.
class ElementSource {
 public:
  virtual ~ElementSource() = default;

  graph::DataType type() const { return type_; }
  const graph::Shape& shape() const { return shape_; }  // the logical one; {} is a scalar
  int64_t count() const { return graph::element_count(shape_); }

  // Elements first .. first+count-1 in their own type. Borrowed from the source, or from `storage`, which the caller
  // keeps.
  virtual Result<std::span<const std::byte>> read(int64_t first, int64_t count,
                                                  std::vector<std::byte>& storage) const = 0;

 protected:
  ElementSource(graph::DataType type, graph::Shape shape) : type_(type), shape_(std::move(shape)) {}

 private:
  const graph::DataType type_;
  const graph::Shape shape_;
};

}  // namespace belay::compare
