// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/kernel.h"

// Small tensors that say what to do with large ones: axes, sizes, indices.
namespace belay::backend::cpu {

// "GatherV2 gather_7": whom an error at run time is about.
std::string label_of(const graph::Node& node);
// An error of a running kernel: 507015, as the device reports operators that fail.
Status failed(const std::string& label, const std::string& why);

// The elements of a tensor of any integer type or bool, widened; a refusal for other types.
Result<std::vector<int64_t>> integers(const Tensor& tensor);
// The elements of a tensor of any number type.
Result<std::vector<double>> reals(const Tensor& tensor);
// The first of them; an error when the tensor is empty.
Result<int64_t> integer(const Tensor& tensor);

// Indices into a dimension of `size`, each 0 or more; with `wrap` those below 0 count from the end. An index outside is
// an error that says which one, where, and the range.
Result<std::vector<int64_t>> indices_within(const std::string& label, const Tensor& indices, int64_t size, bool wrap);
Status bad_index(const std::string& label, int64_t index, int64_t position, int64_t size, bool wrap);

// Bytes of one element; a refusal for types whose elements are not whole bytes.
Result<size_t> element_bytes(DataType type);

// Product of the dimensions [first, last).
int64_t product(const Shape& shape, size_t first, size_t last);

}  // namespace belay::backend::cpu
