// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "inspect/output_file.h"
#include "inspect/tensor.h"

namespace belay::inspect {

// All tensors of one operator in a .safetensors file, under the names "input.0", "output.0". 100026 for types that the
// format does not have.
Status write_safetensors(const std::vector<DumpedTensor>& tensors, OutputFile& file);

// The type that the format calls so ("F16"); Undefined when there is none.
graph::DataType type_of_safetensors(std::string_view name);

}  // namespace belay::inspect
