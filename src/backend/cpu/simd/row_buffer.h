// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/cpu/simd/convert_floats.h"

namespace belay::backend::cpu {

// Rows of a tensor as floats: in place where it holds floats, else through a buffer of one row.
class RowBuffer {
 public:
  RowBuffer(DataType type, int64_t length) : type_(type), length_(static_cast<size_t>(length)) {
    if (type != DataType::Float) row_.resize(length_);
  }
  // The row that starts at element `at`, to be read.
  const float* load(const Tensor& tensor, int64_t at) {
    if (type_ == DataType::Float) return tensor.as<float>() + at;
    load_floats(type_, tensor.as<uint16_t>() + at, row_.data(), length_);
    return row_.data();
  }
  // Where to write that row; store() then brings it to its place.
  float* open(const Tensor& tensor, int64_t at) {
    return type_ == DataType::Float ? tensor.as<float>() + at : row_.data();
  }
  void store(const Tensor& tensor, int64_t at) const {
    if (type_ != DataType::Float) store_floats(type_, row_.data(), tensor.as<uint16_t>() + at, length_);
  }

 private:
  DataType type_;
  size_t length_;
  std::vector<float> row_;
};

// All elements of an optional input of a float type; null when it is not there.
class FloatList {
 public:
  FloatList(std::span<const Tensor> inputs, size_t input) {
    if (input >= inputs.size() || !inputs[input].present) return;
    const Tensor& tensor = inputs[input];
    if (tensor.type == DataType::Float) {
      data_ = tensor.as<float>();
      return;
    }
    copy_.resize(static_cast<size_t>(tensor.count()));
    load_floats(tensor.type, tensor.data, copy_.data(), copy_.size());
    data_ = copy_.data();
  }
  const float* data() const { return data_; }

 private:
  std::vector<float> copy_;
  const float* data_ = nullptr;
};

}  // namespace belay::backend::cpu
