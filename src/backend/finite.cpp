// SPDX-License-Identifier: Apache-2.0
#include "backend/finite.h"

#include <cmath>

#include "graph/tensor/finite.h"

namespace belay::backend {
namespace {

// 0 when there is nothing to look at.
uint64_t elements_of(const Tensor& tensor) {
  const bool nothing = !tensor.present || !tensor.data || graph::bits_of(tensor.type) < 8 || tensor.count() <= 0;
  return nothing ? 0 : static_cast<uint64_t>(tensor.count());
}

}  // namespace

double largest_magnitude(const Tensor& tensor) {
  return graph::largest_magnitude(tensor.type, tensor.data, elements_of(tensor));
}

bool is_finite(const Tensor& tensor) { return std::isfinite(largest_magnitude(tensor)); }

bool saturate(const Tensor& tensor) {
  const uint64_t elements = elements_of(tensor);
  return !graph::all_finite(tensor.type, tensor.data, elements) && graph::saturate(tensor.type, tensor.data, elements);
}

}  // namespace belay::backend
