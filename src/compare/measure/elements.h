// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "compare/measure/kernels.h"
#include "graph/tensor/types.h"

// Elements of any type, as ElementSource gives them, as numbers.
namespace belay::compare {

// Whether the values of the type can be told: all floats but HiFloat8 and the like, integers from 1 to 64 bits, bool.
bool has_values(graph::DataType type);

// Whether its values are whole numbers: integers and bools.
bool is_whole(graph::DataType type);

// Bytes of one element, as a source gives it.
size_t stored_bytes(graph::DataType type);

// Whether every value of the type is a float.
bool fits_floats(graph::DataType type);

// The elements 0 .. count-1 of `bytes`, at most kBlock (kernels.h), as floats, for types that fit; borrowed from
// `bytes` or made in `buffer`.
const float* as_floats(graph::DataType type, std::span<const std::byte> bytes, size_t count, float* buffer);
// The same for the kernels, which take floats of 16 and 32 bits as they lie in `bytes`.
Elements float_elements(graph::DataType type, std::span<const std::byte> bytes, size_t count, float* buffer);
// As doubles. Nothing: one of them is an integer that no double is.
std::optional<Elements> double_elements(graph::DataType type, std::span<const std::byte> bytes, size_t count,
                                        double* buffer);

// Element `index` of `bytes`, exactly.
long double element_of(graph::DataType type, std::span<const std::byte> bytes, size_t index);

// How far neighbours of a type are apart: at y the unit in the last place is 2^max(exponent of y - digits, least). Of
// two types the coarser counts; beside a float a whole number is a number like any other, and the float's counts.
struct Spacing {
  static constexpr int kWhole = 64;  // digits of integers and bools, whose neighbours are 1 apart
  int digits = 0, least = 0;

  static Spacing of(graph::DataType type);
  static Spacing coarser(graph::DataType a, graph::DataType b);
  long double unit_at(long double y) const;
};

}  // namespace belay::compare
