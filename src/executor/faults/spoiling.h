// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "backend/kernel.h"
#include "base/faults.h"

// What faults do to the elements of a tensor.
namespace belay::executor {

// Whether the fault changes the operator's output after it ran.
bool spoils(OpFault::Kind kind);

// Changes the tensor as the fault says; a notice when that changes nothing.
void spoil(const OpFault& fault, const backend::Tensor& tensor);

// Inverts the bits of four neighbouring elements (or all, if there are less), at a place that the seed decides.
void overwrite(const OpFault& fault, const backend::Tensor& victim);

// The elements in row-major order, whatever the layout; and back.
std::vector<std::byte> row_major(const backend::Tensor& tensor);
void put_row_major(const backend::Tensor& tensor, std::span<const std::byte> elements);

}  // namespace belay::executor
