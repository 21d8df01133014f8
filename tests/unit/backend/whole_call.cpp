// SPDX-License-Identifier: Apache-2.0
// What kernels of whole calls read and write their tensors by.
#include "backend/cpu/whole_call.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace belay::backend::cpu {
namespace {

constexpr DataType all_types[] = {DataType::Float, DataType::Float16, DataType::BFloat16,  DataType::Double,
                                  DataType::Int8,  DataType::UInt8,   DataType::Int16,     DataType::UInt16,
                                  DataType::Int32, DataType::UInt32,  DataType::Int64,     DataType::UInt64,
                                  DataType::Bool,  DataType::Int4,    DataType::Complex64, DataType::Complex128};

TEST(WholeCall, ReadsAndWritesNothingOfATypeThatItDoesNotKnow) {
  for (const DataType type : all_types) {
    SCOPED_TRACE(std::string(graph::name_of(type)));
    std::vector<uint8_t> memory(64, 0x5B);
    Tensor tensor{.type = type, .shape = {2}, .data = memory.data()};
    float values[2] = {1, 2};
    if (!reads_floats(type)) {
      EXPECT_THROW(read_floats(tensor, 0, 2, values), std::invalid_argument);
      EXPECT_EQ(values[0], 1);
      EXPECT_THROW(all_floats(tensor), std::invalid_argument);
    }
    if (is_real(type)) continue;
    EXPECT_THROW(write_floats(values, 2, tensor, 0), std::invalid_argument);
    EXPECT_EQ(memory, std::vector<uint8_t>(64, 0x5B));
    EXPECT_NO_THROW(write_floats(values, 0, tensor, 0));
  }
}

TEST(WholeCall, TouchesAsManyBytesAsTheElementsHave) {
  for (const DataType type : {DataType::Float, DataType::Float16, DataType::BFloat16}) {
    std::vector<uint8_t> memory(64, 0x5B);
    Tensor tensor{.type = type, .shape = {3}, .data = memory.data()};
    const float values[] = {1, -2, 0.5f};
    write_floats(values, 2, tensor, 1);
    const size_t bytes = graph::bytes_of(type, 1);
    for (size_t i = 0; i < memory.size(); ++i)
      if (i < bytes || i >= 3 * bytes) EXPECT_EQ(memory[i], 0x5B) << i;
    float back[2] = {};
    read_floats(tensor, 1, 2, back);
    EXPECT_EQ(back[0], 1);
    EXPECT_EQ(back[1], -2);
  }
}

}  // namespace
}  // namespace belay::backend::cpu
