// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "inspect/output_file.h"
#include "inspect/tensor.h"

namespace belay::inspect {

// NumPy's name for the type ("float32"); empty when it has none.
std::string numpy_name(graph::DataType type);

// The type of an array whose header has this "descr" ("<f4"); two bytes without a type ("|V2") are bfloat16, which
// NumPy writes so. Undefined when tensors have no such type, or its bytes are in the order of other machines.
graph::DataType type_of_numpy(const std::string& descr);

// The tensor as a .npy file, as msaccucmp converts it: a scalar gets the shape (1,), an empty tensor is float64, a
// tensor without a type a vector of int8, bfloat16 becomes float32, and single bits become bytes. 100026 for types that
// NumPy cannot hold, 100006 when the bytes are fewer than the shape needs.
Status write_npy(const DumpedTensor& tensor, OutputFile& file);

}  // namespace belay::inspect
