// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/read_numbers.h"

#include "backend/cpu/element.h"

namespace belay::backend::cpu {

Result<std::vector<double>> read_doubles(const Tensor& tensor) {
  if (!tensor.present) return std::vector<double>{};
  return with_type(AllTypes{}, tensor.type, [&]<class T>() -> Result<std::vector<double>> {
    std::vector<double> numbers;
    for (int64_t i = 0; i < tensor.count(); ++i)
      numbers.push_back(static_cast<double>(compute_t<T>(tensor.as<T>()[i])));
    return numbers;
  });
}

Result<std::vector<int64_t>> read_integers(const Tensor& tensor) {
  if (!tensor.present) return std::vector<int64_t>{};
  using Types = TypeList<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t, Bool>;
  return with_type(Types{}, tensor.type, [&]<class T>() -> Result<std::vector<int64_t>> {
    std::vector<int64_t> numbers;
    for (int64_t i = 0; i < tensor.count(); ++i)
      numbers.push_back(static_cast<int64_t>(compute_t<T>(tensor.as<T>()[i])));
    return numbers;
  });
}

}  // namespace belay::backend::cpu
