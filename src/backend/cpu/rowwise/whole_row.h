// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "backend/cpu/quant/parameter.h"
#include "backend/cpu/whole_call.h"

// Rows of floats that become whole numbers of 8 or 4 bits.
namespace belay::backend::cpu {

// Int8, UInt8, Int4, or Int32 with 8 of 4 bits in each element.
bool is_whole_row(DataType type);
// Elements that such a tensor holds: of an Int32 eight times as many.
int64_t whole_count(const graph::TensorInfo& info);
// The largest number that scales are made for: 127 or 7.
inline float whole_most(DataType type) { return type == DataType::Int8 ? 127.0f : 7.0f; }

// Numbers that are whole already, limited to what the type holds, from element `begin` on; a NaN becomes 0. With 4 bits
// `begin` is even.
void store_whole(const float* values, int64_t count, Tensor& to, int64_t begin);

// A row with a scale of its own: `scale` is its largest magnitude divided by whole_most, 0 for a row of zeros. `values`
// are changed.
float store_scaled(float* values, int64_t count, Tensor& to, int64_t begin);
// The same with an offset, so that both ends are used.
struct ScaleOffset {
  float scale, offset;
};
ScaleOffset store_shifted(float* values, int64_t count, Tensor& to, int64_t begin);

// The type that a dstType parameter asks for must be the output's; -1: none was asked for.
Status check_whole_type(const graph::TensorInfo& y, int64_t asked, const std::string& name);

// Whether a tensor holds one number for all, or one for each of `width`; 161002 with its name otherwise. Absent: fine.
Status check_numbers(const WholeCall& call, const std::string& name, std::initializer_list<int64_t> counts);

// As the tensor's type stores them: Float, Float16 and BFloat16.
void round_to(DataType type, float* values, int64_t count);

// The group that a row belongs to: by ends, or by sizes. -1 for rows behind the last.
std::vector<int64_t> groups_of_rows(const std::vector<int64_t>& list, bool sizes, int64_t rows);

}  // namespace belay::backend::cpu
