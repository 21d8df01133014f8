// SPDX-License-Identifier: Apache-2.0
#include "backend/layout.h"

#include <cstring>

#include "backend/cpu/arguments.h"
#include "backend/cpu/move/strided_copy.h"

namespace belay::backend {
namespace {

using namespace cpu;

class Reorder : public Kernel {
 public:
  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    return reorder(inputs[0], outputs[0]);
  }
};

}  // namespace

std::unique_ptr<Kernel> make_reorder() { return std::make_unique<Reorder>(); }

bool same_bytes(const Tensor& tensor, Layout layout) {
  if (tensor.layout == layout) return true;
  const Shape& shape = tensor.shape;
  if (shape.size() != 4 && shape.size() != 5) return false;
  return product(shape, 2, shape.size()) == 1 || shape[1] == 1;
}

Status reorder(const Tensor& from, Tensor& to) {
  if (from.layout == to.layout || from.shape.size() < 3) {
    const size_t bytes = from.bytes();
    if (bytes > 0) std::memcpy(to.data, from.data, bytes);  // else there may be no addresses
    return {};
  }
  const size_t bytes = TRY(element_bytes(from.type));
  if (from.count() == 0) return {};
  const int64_t channels = from.shape[1], places = product(from.shape, 2, from.shape.size());
  const bool plain = to.layout == Layout::Plain;
  const int64_t rows = plain ? channels : places, columns = plain ? places : channels;
  copy_strided(bytes, {from.shape[0], rows, columns}, to.data, {rows * columns, columns, 1}, from.data,
               {rows * columns, 1, rows});
  return {};
}

}  // namespace belay::backend
