// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compare/element_source.h"
#include "graph/tensor/private_format.h"

namespace belay::compare {

using Source = std::shared_ptr<const ElementSource>;

// Bytes that lie in memory or in a mapped file, and how.
struct StoredTensor {
  graph::DataType type = graph::DataType::Undefined;
  graph::TensorForm form;     // ND or the logical format itself: in the order of the logical shape
  bool columns = false;       // column-major, as Fortran keeps arrays
  graph::TensorForm logical;  // what it is read as
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;  // keeps the bytes alive
};

// 100006 when the bytes are fewer than the shape needs, 100026 for types without a fixed size, 1450xx when the two
// forms do not belong together.
Result<Source> make_stored_source(StoredTensor tensor);

// The same elements with their dimensions in the order of another plain format (NHWC, NCHW...). The source's own format
// must be plain. What is not stored, but computed, is read as a whole.
Result<Source> reordered(const Source& source, graph::Format format);

// A tensor of a private format, read as one of this shape, which its file did not tell.
Result<Source> with_logical(const Source& source, graph::Shape shape);

// A shape of one plain format as it is in another; empty when the formats have other axes, or the shape has not as many
// dimensions.
graph::Shape reordered_shape(const graph::Shape& shape, graph::Format from, graph::Format to);

}  // namespace belay::compare
