// SPDX-License-Identifier: Apache-2.0
#include "inspect/tensor.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/half.h"
#include "graph/tensor/private_format.h"

namespace belay::inspect {
namespace {

using graph::DataType;
using graph::Format;

template <class T>
T element(const DumpedTensor& tensor, int64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + static_cast<size_t>(index) * sizeof(T), sizeof(T));
  return value;
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";  // printf tells its sign as well, which means nothing
  char text[32];
  std::snprintf(text, sizeof text, "%.7g", value);
  return text;
}

DumpedTensor read_tensor(const dump::TensorEntry& entry, dump::Bytes bytes, bool input, size_t index) {
  DumpedTensor tensor{.input = input, .index = index, .bytes = bytes};
  tensor.type = graph::from_proto(entry.data_type);
  tensor.format = static_cast<Format>(entry.format);
  tensor.groups = entry.sub_format > 0 ? entry.sub_format : 1;
  if (entry.shape) tensor.shape.assign(entry.shape->begin(), entry.shape->end());
  if (entry.original_shape) tensor.original_shape.assign(entry.original_shape->begin(), entry.original_shape->end());
  if (entry.original_op) tensor.original_format = static_cast<Format>(entry.original_op->format);
  return tensor;
}

// The order of the original shape's dimensions, when the file does not tell it.
Format usual_origin(const DumpedTensor& tensor) {
  if (tensor.original_format != Format::ND && !graph::is_private(tensor.original_format)) return tensor.original_format;
  if (tensor.format == Format::FractalNZ || tensor.format == Format::FractalZZ) return Format::ND;
  return tensor.original_shape.size() == 5 ? Format::NCDHW : Format::NCHW;
}

// The same dimensions in another order, both named by letters.
bool is_exchange(const DumpedTensor& tensor) {
  const std::string_view here = graph::name_of(tensor.format), there = graph::name_of(tensor.original_format);
  const graph::Shape &shape = tensor.shape, &original = tensor.original_shape;
  if (here == there || here.size() != there.size() || shape.size() != here.size() || original.size() != there.size())
    return false;
  for (size_t i = 0; i < there.size(); ++i) {
    const size_t at = here.find(there[i]);
    if (at == std::string_view::npos || shape[at] != original[i]) return false;
  }
  return true;
}

}  // namespace

std::vector<DumpedTensor> tensors_of(const dump::DumpFile& file) {
  std::vector<DumpedTensor> tensors;
  for (size_t i = 0; i < file.inputs.size(); ++i)
    tensors.push_back(read_tensor(file.header.inputs[i], file.inputs[i], true, i));
  for (size_t i = 0; i < file.outputs.size(); ++i)
    tensors.push_back(read_tensor(file.header.outputs[i], file.outputs[i], false, i));
  return tensors;
}

std::string label_of(const DumpedTensor& tensor) {
  return (tensor.input ? "input " : "output ") + std::to_string(tensor.index);
}

std::string element_text(const DumpedTensor& tensor, int64_t index) {
  switch (tensor.type) {
    case DataType::Float:
      return real_text(element<float>(tensor, index));
    case DataType::Float16:
      return real_text(half_to_float(element<uint16_t>(tensor, index)));
    case DataType::BFloat16:
      return real_text(bf16_to_float(element<uint16_t>(tensor, index)));
    case DataType::Double:
      return real_text(element<double>(tensor, index));
    case DataType::Int8:
      return std::to_string(element<int8_t>(tensor, index));
    case DataType::UInt8:
    case DataType::Bool:
      return std::to_string(element<uint8_t>(tensor, index));
    case DataType::Int16:
      return std::to_string(element<int16_t>(tensor, index));
    case DataType::UInt16:
      return std::to_string(element<uint16_t>(tensor, index));
    case DataType::Int32:
      return std::to_string(element<int32_t>(tensor, index));
    case DataType::UInt32:
      return std::to_string(element<uint32_t>(tensor, index));
    case DataType::Int64:
      return std::to_string(element<int64_t>(tensor, index));
    case DataType::UInt64:
      return std::to_string(element<uint64_t>(tensor, index));
    default:
      return "?";
  }
}

double element_value(const DumpedTensor& tensor, int64_t index) {
  if (tensor.type == DataType::Float) return element<float>(tensor, index);
  if (tensor.type == DataType::Float16) return half_to_float(element<uint16_t>(tensor, index));
  if (tensor.type == DataType::BFloat16) return bf16_to_float(element<uint16_t>(tensor, index));
  if (tensor.type == DataType::Double) return element<double>(tensor, index);
  const std::string text = element_text(tensor, index);
  return text == "?" ? std::nan("") : std::strtod(text.c_str(), nullptr);
}

std::string index_text(const graph::Shape& shape, int64_t at) {
  graph::Shape index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = at % shape[d];
    at /= shape[d];
  }
  return graph::to_text(index);
}

graph::TensorForm logical_form(const DumpedTensor& tensor) {
  if (graph::is_private(tensor.format) && !tensor.original_shape.empty())
    return {usual_origin(tensor), tensor.original_shape};
  if (!graph::is_private(tensor.format) && is_exchange(tensor)) return {tensor.original_format, tensor.original_shape};
  return {tensor.format, tensor.shape};
}

Result<DumpedTensor> in_logical_order(const DumpedTensor& tensor, std::vector<std::byte>& storage) {
  if (!graph::is_private(tensor.format) || tensor.original_shape.empty()) return tensor;
  DumpedTensor logical = tensor;
  const graph::TensorForm form = logical_form(tensor);
  logical.format = form.format;
  logical.shape = form.shape;
  storage = TRY(graph::convert_form(tensor.type, tensor.bytes, {tensor.format, tensor.shape, tensor.groups},
                                    {logical.format, logical.shape, 1}));
  logical.bytes = storage;
  return logical;
}

}  // namespace belay::inspect
