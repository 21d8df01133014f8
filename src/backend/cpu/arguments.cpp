// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/arguments.h"

#include "backend/cpu/element.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

using IntegersAndBool = TypeList<int64_t, int32_t, int8_t, int16_t, uint8_t, uint16_t, uint32_t, uint64_t, Bool>;

template <class To, class Types>
Result<std::vector<To>> widened(Types types, const Tensor& tensor) {
  return with_type(types, tensor.type, [&]<class T>() -> Result<std::vector<To>> {
    std::vector<To> all(static_cast<size_t>(tensor.count()));
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<To>(static_cast<compute_t<T>>(tensor.as<T>()[i]));
    return all;
  });
}

}  // namespace

std::string label_of(const graph::Node& node) { return node.type + " " + node.name; }

Status failed(const std::string& label, const std::string& why) {
  return {ACL_ERROR_RT_AICORE_EXCEPTION, label + ": " + why};
}

Result<std::vector<int64_t>> integers(const Tensor& tensor) { return widened<int64_t>(IntegersAndBool{}, tensor); }

Result<std::vector<double>> reals(const Tensor& tensor) { return widened<double>(AllTypes{}, tensor); }

Result<int64_t> integer(const Tensor& tensor) {
  const auto all = TRY(integers(tensor));
  if (all.empty()) return refuse("a number was expected, the tensor is empty");
  return all.front();
}

Status bad_index(const std::string& label, int64_t index, int64_t position, int64_t size, bool wrap) {
  return failed(label, formatted("index {} (element {} of the indices) is outside [{}, {}]", index, position,
                                 wrap ? -size : 0, size - 1));
}

Result<std::vector<int64_t>> indices_within(const std::string& label, const Tensor& indices, int64_t size, bool wrap) {
  auto all = TRY(integers(indices));
  const int64_t lowest = wrap ? -size : 0;
  for (size_t i = 0; i < all.size(); ++i) {
    if (all[i] < lowest || all[i] >= size) return bad_index(label, all[i], int64_t(i), size, wrap);
    if (all[i] < 0) all[i] += size;
  }
  return all;
}

Result<size_t> element_bytes(DataType type) {
  const size_t bits = graph::bits_of(type);
  if (bits == 0 || bits % 8) return refuse(formatted("type {} is not supported", graph::name_of(type)));
  return bits / 8;
}

int64_t product(const Shape& shape, size_t first, size_t last) {
  int64_t all = 1;
  for (size_t d = first; d < last; ++d) all *= shape[d];
  return all;
}

}  // namespace belay::backend::cpu
