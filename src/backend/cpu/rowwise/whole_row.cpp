// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/rowwise/whole_row.h"

#include <cmath>

#include "backend/cpu/simd/convert_floats.h"
#include "base/text.h"

namespace belay::backend::cpu {
namespace {

int limited4(float value) {
  if (!(value == value)) return 0;
  return static_cast<int>(std::clamp(value, -8.0f, 7.0f)) & 15;
}

template <class T>
void store_as(const float* values, int64_t count, Tensor& to, int64_t begin) {
  for (int64_t i = 0; i < count; ++i) to.as<T>()[begin + i] = saturated<T>(values[i]);
}

}  // namespace

bool is_whole_row(DataType type) {
  return type == DataType::Int8 || type == DataType::UInt8 || type == DataType::Int4 || type == DataType::Int32;
}

int64_t whole_count(const graph::TensorInfo& info) {
  return graph::element_count(info.shape) * (info.type == DataType::Int32 ? 8 : 1);
}

void store_whole(const float* values, int64_t count, Tensor& to, int64_t begin) {
  if (to.type == DataType::Int8) return store_as<int8_t>(values, count, to, begin);
  if (to.type == DataType::UInt8) return store_as<uint8_t>(values, count, to, begin);
  auto* bytes = to.as<uint8_t>() + begin / 2;
  for (int64_t i = 0; i < count; i += 2)
    bytes[i / 2] = static_cast<uint8_t>(limited4(values[i]) | (i + 1 < count ? limited4(values[i + 1]) << 4 : 0));
}

float store_scaled(float* values, int64_t count, Tensor& to, int64_t begin) {
  float most = 0;
  for (int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(values[i]));
  const float scale = most * (1.0f / whole_most(to.type));
  for (int64_t i = 0; i < count; ++i) values[i] = scale > 0 ? nearest_whole(values[i] / scale) : 0;
  store_whole(values, count, to, begin);
  return scale;
}

ScaleOffset store_shifted(float* values, int64_t count, Tensor& to, int64_t begin) {
  float low = INFINITY, high = -INFINITY;
  for (int64_t i = 0; i < count; ++i) low = std::min(low, values[i]), high = std::max(high, values[i]);
  const float most = whole_most(to.type), scale = (high - low) / (2 * most + 1);
  if (!(scale > 0)) {
    for (int64_t i = 0; i < count; ++i) values[i] = 0;
    store_whole(values, count, to, begin);
    return {0, 0};
  }
  const float offset = most - high / scale;
  for (int64_t i = 0; i < count; ++i) values[i] = nearest_whole(values[i] / scale + offset);
  store_whole(values, count, to, begin);
  return {scale, offset};
}

Status check_whole_type(const graph::TensorInfo& y, int64_t asked, const std::string& name) {
  if (!is_whole_row(y.type) || y.type == DataType::UInt8)
    return refuse(
        formatted("{} is {}; INT8, INT4 and INT32 with 8 of 4 bits are supported", name, graph::name_of(y.type)));
  if (asked >= 0 && static_cast<DataType>(asked) != y.type)
    return refuse(formatted("dstType is {}, but {} is {}", asked, name, graph::name_of(y.type)));
  if (y.type != DataType::Int8 && !y.shape.empty() && y.shape.back() % 2 != 0 && y.type == DataType::Int4)
    return refuse(formatted("{} of INT4 must have an even last dimension", name));
  return {};
}

Status check_numbers(const WholeCall& call, const std::string& name, std::initializer_list<int64_t> counts) {
  const int input = call.input(name);
  if (input < 0) return {};
  const auto& info = call.info(input);
  if (!reads_floats(info.type))
    return refuse(formatted("{} of type {} is not supported", name, graph::name_of(info.type)));
  const int64_t count = graph::element_count(info.shape);
  std::string wanted;
  for (const int64_t each : counts) {
    if (count == each) return {};
    wanted += (wanted.empty() ? "" : " or ") + std::to_string(each);
  }
  return refuse(formatted("{} has shape {}; it must have {} elements", name, graph::to_text(info.shape), wanted));
}

void round_to(DataType type, float* values, int64_t count) {
  if (type == DataType::Float) return;
  std::vector<uint16_t> stored(static_cast<size_t>(count));
  store_floats(type, values, stored.data(), stored.size());
  load_floats(type, stored.data(), values, stored.size());
}

std::vector<int64_t> groups_of_rows(const std::vector<int64_t>& list, bool sizes, int64_t rows) {
  std::vector<int64_t> made(static_cast<size_t>(rows), -1);
  int64_t row = 0, end = 0;
  for (size_t g = 0; g < list.size(); ++g) {
    end = std::min(rows, sizes ? end + list[g] : list[g]);
    for (; row < end; ++row) made[static_cast<size_t>(row)] = static_cast<int64_t>(g);
  }
  return made;
}

}  // namespace belay::backend::cpu
