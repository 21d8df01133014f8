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
  // What the dimensions of the shape stand for: NCHW, NHWC...; ND when that is not told.
  graph::Format format() const { return format_; }

  // Elements first .. first+count-1 in their own type. Borrowed from the source, or from `storage`, which the caller
  // keeps. Elements of less than a byte come one to a byte: integers as the int8 or uint8 of their value, floats as
  // their bits. ACL_ERROR_INVALID_PARAM for elements that the tensor does not have.
  virtual Result<std::span<const std::byte>> read(int64_t first, int64_t count,
                                                  std::vector<std::byte>& storage) const = 0;

  // Gives back the memory that earlier reads took, where that can be done; they stay readable, a little slower. Whoever
  // reads a large tensor calls it now and then.
  virtual void forget() const {}

 protected:
  ElementSource(graph::DataType type, graph::Shape shape, graph::Format format = graph::Format::ND)
      : type_(type), shape_(std::move(shape)), format_(format) {}

 private:
  const graph::DataType type_;
  const graph::Shape shape_;
  const graph::Format format_;
};

}  // namespace belay::compare
