// SPDX-License-Identifier: Apache-2.0
#include "dump/format/statistics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

#include "base/half.h"
#include "base/threads/parallel.h"
#include "dump/format/statistics_kernels.h"
#include "graph/tensor/small_floats.h"

namespace belay::dump {
namespace {

using graph::DataType;

// Where threads begin to pay.
constexpr int64_t blocks_per_thread = 2;

float value_of(float element) { return element; }
double value_of(double element) { return element; }
float value_of(HalfBits element) { return half_to_float(static_cast<uint16_t>(element)); }
float value_of(BFloat16Bits element) { return bf16_to_float(static_cast<uint16_t>(element)); }

// All blocks together.
struct Totals {
  long double max = -std::numeric_limits<long double>::infinity();
  long double min = std::numeric_limits<long double>::infinity();
  long double sum = 0, squares = 0;  // of the finite elements
  uint64_t nan = 0, negative_inf = 0, positive_inf = 0;

  void add(const Totals& other) {
    max = std::max(max, other.max);
    min = std::min(min, other.min);
    sum += other.sum;
    squares += other.squares;
    nan += other.nan;
    negative_inf += other.negative_inf;
    positive_inf += other.positive_inf;
  }
};

// Counts what is not finite, and sums the rest again: a wider type holds what overflowed a double.
template <class T>
void look_closely(const T* elements, size_t count, Totals& totals) {
  totals.sum = totals.squares = 0;
  for (size_t i = 0; i < count; ++i) {
    const long double value = value_of(elements[i]);
    if (std::isnan(value))
      ++totals.nan;
    else if (std::isinf(value))
      ++(value > 0 ? totals.positive_inf : totals.negative_inf);
    else
      totals.sum += value, totals.squares += value * value;
  }
}

template <class T>
Totals totals_of(const T* elements, size_t count, bool squares) {
  if (reinterpret_cast<uintptr_t>(elements) % alignof(T) != 0) {  // a tensor in a mapped file lies anywhere
    std::vector<T> aligned(count);
    std::memcpy(aligned.data(), static_cast<const void*>(elements), count * sizeof(T));
    return totals_of(aligned.data(), count, squares);
  }
  const BlockTotals block = measure_block(elements, count, squares);
  Totals totals{.max = block.max, .min = block.min, .sum = block.sum, .squares = block.squares};
  if constexpr (!std::is_integral_v<T>)
    if (!std::isfinite(block.sum) || !std::isfinite(block.squares)) look_closely(elements, count, totals);
  return totals;
}

template <class T>
Totals measure_all(const T* elements, uint64_t count, bool squares) {
  const auto blocks = static_cast<int64_t>((count + block_elements - 1) / block_elements);
  std::vector<Totals> of_block(blocks);
  parallel_for(blocks, blocks_per_thread, [&](int64_t begin, int64_t end) {
    for (int64_t block = end; block-- > begin;) {  // backwards: what was written last is still in the cache
      const uint64_t start = static_cast<uint64_t>(block) * block_elements;
      of_block[block] = totals_of(elements + start, std::min<uint64_t>(block_elements, count - start), squares);
    }
  });
  Totals all;
  for (const Totals& totals : of_block) all.add(totals);
  return all;
}

// A byte whose values are in a table: 8-bit floats, and bools of which any but 0 counts as 1.
Totals measure_table(std::span<const float> table, const uint8_t* elements, uint64_t count) {
  Totals all;
  std::array<uint64_t, 256> counts{};
  for (uint64_t i = 0; i < count; ++i) ++counts[elements[i]];
  for (size_t byte = 0; byte < 256; ++byte) {
    if (counts[byte] == 0) continue;
    const long double value = table[byte];
    if (std::isnan(value)) {
      all.nan += counts[byte];
      continue;
    }
    all.max = std::max(all.max, value);
    all.min = std::min(all.min, value);
    if (std::isinf(value)) {
      (value > 0 ? all.positive_inf : all.negative_inf) += counts[byte];
    } else {
      all.sum += value * counts[byte];
      all.squares += value * value * counts[byte];
    }
  }
  return all;
}

std::array<float, 256> bool_table() {
  std::array<float, 256> table;
  table.fill(1);
  table[0] = 0;
  return table;
}

Totals totals_for(DataType type, const void* data, uint64_t count, bool squares) {
  const auto measured = [&]<class T>(const T*) { return measure_all(static_cast<const T*>(data), count, squares); };
  const auto by_table = [&](std::span<const float> table) {
    return measure_table(table, static_cast<const uint8_t*>(data), count);
  };
  static const auto bools = bool_table();
  switch (type) {
    case DataType::Float:
      return measured(static_cast<const float*>(nullptr));
    case DataType::Float16:
      return measured(static_cast<const HalfBits*>(nullptr));
    case DataType::BFloat16:
      return measured(static_cast<const BFloat16Bits*>(nullptr));
    case DataType::Double:
      return measured(static_cast<const double*>(nullptr));
    case DataType::Int8:
      return measured(static_cast<const int8_t*>(nullptr));
    case DataType::UInt8:
      return measured(static_cast<const uint8_t*>(nullptr));
    case DataType::Int16:
      return measured(static_cast<const int16_t*>(nullptr));
    case DataType::UInt16:
      return measured(static_cast<const uint16_t*>(nullptr));
    case DataType::Int32:
      return measured(static_cast<const int32_t*>(nullptr));
    case DataType::UInt32:
      return measured(static_cast<const uint32_t*>(nullptr));
    case DataType::Int64:
      return measured(static_cast<const int64_t*>(nullptr));
    case DataType::UInt64:
      return measured(static_cast<const uint64_t*>(nullptr));
    case DataType::Bool:
      return by_table(bools);
    default:
      return by_table(graph::small_float_values(type));
  }
}

}  // namespace

bool measurable(DataType type) {
  constexpr DataType types[] = {DataType::Float, DataType::Float16,    DataType::BFloat16,    DataType::Double,
                                DataType::Int8,  DataType::UInt8,      DataType::Int16,       DataType::UInt16,
                                DataType::Int32, DataType::UInt32,     DataType::Int64,       DataType::UInt64,
                                DataType::Bool,  DataType::Float8E5M2, DataType::Float8E4M3FN};
  return std::ranges::find(types, type) != std::end(types);
}

Statistics measure(DataType type, const void* data, uint64_t count, bool with_l2norm) {
  if (count == 0 || !measurable(type)) return {};
  const Totals totals = totals_for(type, data, count, with_l2norm);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  Statistics found{.known = true,
                   .max = totals.max,
                   .min = totals.min,
                   .avg = static_cast<double>(totals.sum / count),
                   .l2norm = static_cast<double>(std::sqrt(totals.squares)),
                   .nan = totals.nan,
                   .negative_inf = totals.negative_inf,
                   .positive_inf = totals.positive_inf};
  if (totals.nan == count) found.max = found.min = nan;
  if (totals.negative_inf || totals.positive_inf) {
    found.avg = totals.negative_inf ? -inf : inf;
    found.l2norm = inf;
  }
  if (totals.nan || (totals.negative_inf && totals.positive_inf)) found.avg = nan;
  if (totals.nan) found.l2norm = nan;
  return found;
}

}  // namespace belay::dump
