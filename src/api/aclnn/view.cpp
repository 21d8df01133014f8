// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "api/aclnn/objects.h"
#include "api/operators/tensor_desc.h"
#include "base/half.h"

namespace belay::api {

size_t TensorView::element_bytes() const { return graph::bits_of(to_graph(type)) / 8; }

size_t TensorView::bytes() const { return graph::bytes_of(to_graph(type), count()); }

bool TensorView::contiguous() const {
  if (element_bytes() == 0 && offset % 2 != 0) return false;  // begins within a byte
  int64_t step = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] != 1 && strides[i] != step) return count() == 0;
    step *= shape[i];
  }
  return true;
}

bool TensorView::aligned() const {
  const size_t alignment = std::clamp<size_t>(element_bytes(), 1, alignof(double));
  return reinterpret_cast<uintptr_t>(first()) % alignment == 0;
}

void TensorView::become(const graph::Shape& real) {
  const bool dense = contiguous();
  shape = real;
  if (!dense && strides.size() == shape.size()) return;
  strides.assign(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;) strides[i - 1] = strides[i] * shape[i];
}

std::byte* TensorView::first() const {
  const auto bits = static_cast<int64_t>(graph::bits_of(to_graph(type)));
  return static_cast<std::byte*>(data) + offset * bits / 8;
}

std::pair<const std::byte*, const std::byte*> TensorView::reach() const {
  if (!data || count() == 0) return {nullptr, nullptr};
  int64_t low = 0, high = 1;
  for (size_t i = 0; i < shape.size(); ++i) (strides[i] < 0 ? low : high) += strides[i] * (shape[i] - 1);
  const auto bytes = static_cast<int64_t>(std::max<size_t>(element_bytes(), 1));
  return {first() + low * bytes, first() + high * bytes};
}

namespace {

template <class T>
T load(const std::byte* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(value));
  return value;
}

}  // namespace

bool Scalar::whole() const {
  switch (type) {
    case ACL_FLOAT:
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_DOUBLE:
    case ACL_COMPLEX64:
    case ACL_COMPLEX128:
      return false;
    default:
      return true;
  }
}

int64_t Scalar::integer() const {
  switch (type) {
    case ACL_BOOL:
    case ACL_UINT8:
      return load<uint8_t>(bytes);
    case ACL_INT8:
      return load<int8_t>(bytes);
    case ACL_INT16:
      return load<int16_t>(bytes);
    case ACL_UINT16:
      return load<uint16_t>(bytes);
    case ACL_INT32:
      return load<int32_t>(bytes);
    case ACL_UINT32:
      return load<uint32_t>(bytes);
    case ACL_INT64:
    case ACL_UINT64:
      return load<int64_t>(bytes);
    default:
      return static_cast<int64_t>(real());
  }
}

double Scalar::real() const {
  switch (type) {
    case ACL_FLOAT:
    case ACL_COMPLEX64:
      return load<float>(bytes);
    case ACL_DOUBLE:
    case ACL_COMPLEX128:
      return load<double>(bytes);
    case ACL_FLOAT16:
      return half_to_float(load<uint16_t>(bytes));
    case ACL_BF16:
      return bf16_to_float(load<uint16_t>(bytes));
    default:
      return static_cast<double>(integer());
  }
}

}  // namespace belay::api
