// SPDX-License-Identifier: Apache-2.0
#include "backend/finite.h"

#include <cmath>
#include <vector>

#include "backend/layout.h"
#include "graph/tensor/finite.h"

namespace belay::backend {
namespace {

// Elements that the tensor's memory holds, padding included; 0 when there is nothing to look at.
uint64_t stored_elements(const Tensor& tensor) {
  const size_t each = graph::bits_of(tensor.type) / 8;
  if (!tensor.present || !tensor.data || each == 0 || tensor.count() <= 0) return 0;
  return storage_bytes(tensor.type, tensor.shape, tensor.layout) / each;
}

bool padded(const Tensor& tensor) { return stored_elements(tensor) != static_cast<uint64_t>(tensor.count()); }

// Of a tensor whose memory holds something that is not finite: it may be in what pads the blocks.
double largest_without_padding(const Tensor& tensor) {
  std::vector<std::byte> row_major(graph::bytes_of(tensor.type, tensor.count()));
  Tensor target{tensor.type, tensor.shape, Layout::Plain, row_major.data()};
  if (!reorder(tensor, target).ok()) return std::nan("");
  return graph::largest_magnitude(target.type, target.data, static_cast<uint64_t>(target.count()));
}

}  // namespace

double largest_magnitude(const Tensor& tensor) {
  const double most = graph::largest_magnitude(tensor.type, tensor.data, stored_elements(tensor));
  return std::isfinite(most) || !padded(tensor) ? most : largest_without_padding(tensor);
}

bool is_finite(const Tensor& tensor) { return std::isfinite(largest_magnitude(tensor)); }

bool saturate(const Tensor& tensor) {
  const uint64_t elements = stored_elements(tensor);
  if (graph::all_finite(tensor.type, tensor.data, elements)) return false;
  const bool counts = !padded(tensor) || !is_finite(tensor);
  return graph::saturate(tensor.type, tensor.data, elements) && counts;
}

}  // namespace belay::backend
