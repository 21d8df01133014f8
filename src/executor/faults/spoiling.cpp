// SPDX-License-Identifier: Apache-2.0
#include "executor/faults/spoiling.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.h"
#include "executor/faults/injection.h"
#include "graph/tensor/element.h"

namespace belay::executor {
namespace {

using backend::Layout;
using backend::Tensor;
using graph::DataType;
using Kind = OpFault::Kind;
using Bytes = std::vector<std::byte>;

constexpr uint64_t kOverwritten = 4;  // elements

// Where element `index`, counted in row-major order, is stored.
std::byte* element_at(const Tensor& tensor, int64_t index) {
  int64_t at = index;
  if (tensor.layout != Layout::Plain && tensor.shape.size() >= 2) {
    const int64_t channels = tensor.shape[1];
    int64_t inner = 1;
    for (size_t d = 2; d < tensor.shape.size(); ++d) inner *= tensor.shape[d];
    const int64_t n = index / (channels * inner), c = index / inner % channels, i = index % inner;
    at = (n * inner + i) * channels + c;
  }
  return tensor.as<std::byte>() + at * static_cast<int64_t>(graph::bits_of(tensor.type) / 8);
}

template <class T>
void put(std::byte* at, T value) {
  std::memcpy(at, &value, sizeof value);
}

// False for a type that cannot hold it.
bool put_special(const Tensor& tensor, int64_t index, bool nan) {
  std::byte* at = element_at(tensor, index);
  using float_limits = std::numeric_limits<float>;
  using double_limits = std::numeric_limits<double>;
  switch (tensor.type) {
    case DataType::Float:
    case DataType::Complex64:
      return put(at, nan ? float_limits::quiet_NaN() : float_limits::infinity()), true;
    case DataType::Double:
    case DataType::Complex128:
      return put(at, nan ? double_limits::quiet_NaN() : double_limits::infinity()), true;
    case DataType::Float16:
      return put<uint16_t>(at, nan ? 0x7e00 : 0x7c00), true;
    case DataType::BFloat16:
      return put<uint16_t>(at, nan ? 0x7fc0 : 0x7f80), true;
    default:
      return false;
  }
}

void flip_bit(const OpFault& fault, const Tensor& tensor) {
  const uint64_t bytes = graph::bytes_of(tensor.type, tensor.count()), each = graph::bits_of(tensor.type) / 8;
  if (fault.number >= bytes)
    return say_fault_is_idle(fault, formatted("the output has {} bytes, counted from 0", bytes));
  std::byte* at = each == 0 ? tensor.as<std::byte>() + fault.number
                            : element_at(tensor, static_cast<int64_t>(fault.number / each)) + fault.number % each;
  *at ^= std::byte{1} << faults().pick(fault.text, 8);
}

size_t element_bytes(const Tensor& tensor) { return graph::bits_of(tensor.type) / 8; }

void stick_bit(const OpFault& fault, const Tensor& tensor) {
  const size_t each = element_bytes(tensor);
  if (fault.number >= each * 8)
    return say_fault_is_idle(fault, formatted("an element has {} bits, counted from 0", each * 8));
  bool changes = false;
  for (int64_t i = 0; i < tensor.count(); ++i) {
    std::byte& byte = element_at(tensor, i)[fault.number / 8];
    const std::byte before = byte;
    byte |= std::byte{1} << (fault.number % 8);
    changes |= byte != before;
  }
  if (!changes) say_fault_is_idle(fault, "the bit is 1 in every element");
}

// The last two axes that are longer than one: the elements between them move along.
void swap_axes(const OpFault& fault, const Tensor& tensor) {
  const graph::Shape& shape = tensor.shape;
  size_t second = shape.size();
  while (second > 0 && shape[second - 1] <= 1) --second;
  size_t first = second > 0 ? second - 1 : 0;
  while (first > 0 && shape[first - 1] <= 1) --first;
  if (first == 0) return say_fault_is_idle(fault, "the output has less than two axes with more than one element");
  const auto rows = static_cast<size_t>(shape[first - 1]), columns = static_cast<size_t>(shape[second - 1]);
  const size_t each = element_bytes(tensor);
  const Bytes before = row_major(tensor);
  Bytes after(before.size());
  for (size_t at = 0; at < before.size() / each; ++at) {
    const size_t matrix = at / (rows * columns), row = at / columns % rows, column = at % columns;
    std::memcpy(&after[((matrix * columns + column) * rows + row) * each], &before[at * each], each);
  }
  if (before == after) return say_fault_is_idle(fault, "the output is the same with two axes swapped");
  put_row_major(tensor, after);
}

// Every element is its right neighbour; the last one stays.
void shift(const OpFault& fault, const Tensor& tensor) {
  const Bytes before = row_major(tensor);
  const size_t each = element_bytes(tensor);
  Bytes after(before.begin() + static_cast<std::ptrdiff_t>(std::min(each, before.size())), before.end());
  after.insert(after.end(), before.end() - static_cast<std::ptrdiff_t>(before.size() - after.size()), before.end());
  if (before == after) return say_fault_is_idle(fault, "all elements are equal");
  put_row_major(tensor, after);
}

// At half of the largest magnitude.
void clip(const OpFault& fault, const Tensor& tensor) {
  const Status done = graph::with_type(graph::FloatTypes{}, tensor.type, [&]<class T>() -> Status {
    double largest = 0;
    for (int64_t i = 0; i < tensor.count(); ++i) {
      const auto value = static_cast<double>(*reinterpret_cast<const T*>(element_at(tensor, i)));
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    }
    const auto limit = static_cast<double>(T(static_cast<graph::compute_t<T>>(largest / 2)));
    for (int64_t i = 0; i < tensor.count(); ++i) {
      T& element = *reinterpret_cast<T*>(element_at(tensor, i));
      const auto value = static_cast<double>(element);
      if (std::abs(value) > limit) element = T(static_cast<graph::compute_t<T>>(std::copysign(limit, value)));
    }
    return largest > 0 ? Status{} : Status{ACL_ERROR_INVALID_PARAM, "all elements are 0"};
  });
  if (!done.ok()) say_fault_is_idle(fault, done.message);
}

void put_special(const OpFault& fault, const Tensor& tensor) {
  const auto index = static_cast<int64_t>(faults().pick(fault.text, static_cast<uint64_t>(tensor.count())));
  if (!put_special(tensor, index, fault.kind == Kind::Nan))
    say_fault_is_idle(fault, formatted("the output is {}", graph::name_of(tensor.type)));
}

}  // namespace

bool spoils(Kind kind) {
  switch (kind) {
    case Kind::Nan:
    case Kind::Inf:
    case Kind::BitFlip:
    case Kind::StuckBit:
    case Kind::Transpose:
    case Kind::Shift:
    case Kind::Saturate:
    case Kind::Stale:
      return true;
    case Kind::HalfSum:
    case Kind::Overwrite:
    case Kind::Fail:
    case Kind::Crash:
    case Kind::Delay:
      break;
  }
  return false;
}

void spoil(const OpFault& fault, const Tensor& tensor) {
  if (fault.kind == Kind::BitFlip) return flip_bit(fault, tensor);
  if (element_bytes(tensor) == 0)
    return say_fault_is_idle(fault, formatted("the output is {}", graph::name_of(tensor.type)));
  if (fault.kind == Kind::StuckBit) return stick_bit(fault, tensor);
  if (fault.kind == Kind::Transpose) return swap_axes(fault, tensor);
  if (fault.kind == Kind::Shift) return shift(fault, tensor);
  if (fault.kind == Kind::Saturate) return clip(fault, tensor);
  put_special(fault, tensor);
}

void overwrite(const OpFault& fault, const Tensor& victim) {
  const uint64_t each = graph::bits_of(victim.type) / 8;
  if (!victim.data || victim.count() <= 0 || each == 0)
    return say_fault_is_idle(fault, formatted("the output of \"{}\" has no bytes", fault.victim));
  const auto count = static_cast<uint64_t>(victim.count());
  const uint64_t hit = std::min(kOverwritten, count);
  const uint64_t first = faults().pick(fault.text, count - hit + 1);
  for (uint64_t i = first; i < first + hit; ++i) {
    std::byte* at = element_at(victim, static_cast<int64_t>(i));
    for (uint64_t b = 0; b < each; ++b) at[b] = ~at[b];
  }
}

Bytes row_major(const Tensor& tensor) {
  const size_t each = element_bytes(tensor);
  Bytes elements(static_cast<size_t>(std::max<int64_t>(tensor.count(), 0)) * each);
  for (size_t i = 0; i < elements.size() / std::max<size_t>(each, 1); ++i)
    std::memcpy(&elements[i * each], element_at(tensor, static_cast<int64_t>(i)), each);
  return elements;
}

void put_row_major(const Tensor& tensor, std::span<const std::byte> elements) {
  const size_t each = element_bytes(tensor);
  for (size_t i = 0; i < elements.size() / std::max<size_t>(each, 1); ++i)
    std::memcpy(element_at(tensor, static_cast<int64_t>(i)), &elements[i * each], each);
}

}  // namespace belay::executor
