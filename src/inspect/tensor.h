// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/status.h"
#include "dump/format/record_reader.h"
#include "graph/tensor/private_format.h"
#include "graph/tensor/types.h"

namespace belay::inspect {

// A tensor of a dump file. The bytes are borrowed from the file.
struct DumpedTensor {
  bool input = false;  // else an output
  size_t index = 0;    // in its group
  graph::DataType type = graph::DataType::Undefined;
  graph::Format format = graph::Format::ND;
  int64_t groups = 1;  // of private formats; from the sub-format
  graph::Shape shape, original_shape;
  graph::Format original_format = graph::Format::ND;  // ND: not told
  std::span<const std::byte> bytes;
};

// All tensors of a file: the inputs, then the outputs.
std::vector<DumpedTensor> tensors_of(const dump::DumpFile& file);

// "input 0", as reports name it.
std::string label_of(const DumpedTensor& tensor);

// Element `index` as text: integers exactly, floats with 7 digits; "?" for types without known values.
std::string element_text(const DumpedTensor& tensor, int64_t index);

// Element `index` as a number; NaN for types without known values.
double element_value(const DumpedTensor& tensor, int64_t index);

// The place of element `at` of a tensor of this shape: "[0,2,1]".
std::string index_text(const graph::Shape& shape, int64_t at);

// What the tensor is before the device's order: of private formats the original shape and what its dimensions are; of
// plain ones that the file says were exchanged (NHWC of an NCHW original) the original too; else the tensor's own.
graph::TensorForm logical_form(const DumpedTensor& tensor);

// The elements in the order of the original shape when the format is a private one: `bytes` then points into `storage`.
// The tensor as it is when its format is not private or the file does not tell the original shape. 145013 and the like,
// with the formats and shapes, when they do not belong together.
Result<DumpedTensor> in_logical_order(const DumpedTensor& tensor, std::vector<std::byte>& storage);

}  // namespace belay::inspect
