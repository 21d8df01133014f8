// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace belay::dump {

// The numbers that dump headers use for data types and formats, with their names ("FLOAT16", "NC1HWC0"). Empty for a
// number that is none. Data types are numbered as in GE IR messages (graph::to_proto), formats as in the graph engine.
std::string_view type_name(int32_t data_type);
std::string_view format_name(int32_t format);

// Bits of one element; 0 for types without a fixed size.
size_t type_bits(int32_t data_type);

}  // namespace belay::dump
