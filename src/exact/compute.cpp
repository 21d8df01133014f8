// SPDX-License-Identifier: Apache-2.0
#include "exact/compute.h"

#include <algorithm>

#include "backend/kernel.h"
#include "base/threads/parallel.h"
#include "graph/infer/infer.h"

namespace belay::exact {
namespace {

using backend::Layout;
using backend::Tensor;
using graph::DataType;
using graph::TensorInfo;

// A value whose elements a kernel writes.
struct Buffer {
  std::shared_ptr<std::vector<std::byte>> bytes;
  Tensor tensor;
};

Buffer allocate(DataType type, const graph::Shape& shape) {
  auto bytes = std::make_shared<std::vector<std::byte>>(graph::bytes_of(type, graph::element_count(shape)));
  void* data = bytes->data();
  return {std::move(bytes), {type, shape, Layout::Plain, data}};
}

Tensor tensor_of(const Value& value) {
  if (!value.present) return {.present = false};
  return {value.type, value.shape, Layout::Plain, const_cast<std::byte*>(value.bytes->data())};
}

TensorInfo info_of(const Value& value, graph::Constant& constant) {
  if (!value.present) return {.present = false};
  constant = {value.type, value.shape, graph::Format::ND, *value.bytes, value.bytes};
  return {value.type, value.shape, &constant};
}

// What the kernel really gave: of results whose size depends on the data only the first part.
Value value_of(const Buffer& buffer, const graph::Shape& shape) {
  buffer.bytes->resize(graph::bytes_of(buffer.tensor.type, graph::element_count(shape)));
  return {buffer.tensor.type, shape, buffer.bytes};
}

// The bits are those of the stored type, not those of its double.
Result<Computed> bitcast(const Value& input, DataType stored, Computed made, const graph::Shape& shape) {
  const auto bits = TRY(narrowed(input, stored));
  made.values.push_back(TRY(widened(made.stored[0], shape, bits)));
  return made;
}

}  // namespace

Result<std::vector<TensorInfo>> infer_outputs(const graph::Node& node, std::span<const Value> inputs,
                                              std::span<const DataType> stored) {
  std::vector<graph::Constant> constants(inputs.size());
  std::vector<TensorInfo> infos;
  for (size_t i = 0; i < inputs.size(); ++i) {
    infos.push_back(info_of(inputs[i], constants[i]));
    infos.back().type = stored[i];
  }
  graph::InferContext context(node, infos);
  TRY(graph::infer(context));
  return context.outputs;
}

namespace {

Result<Computed> compute_in(DataType real, const graph::Node& node, std::span<const Value> inputs,
                            std::span<const DataType> stored) {
  std::vector<graph::Constant> constants(inputs.size());
  std::vector<TensorInfo> infos;
  std::vector<Tensor> taken;
  for (size_t i = 0; i < inputs.size(); ++i) {
    infos.push_back(info_of(inputs[i], constants[i]));
    taken.push_back(tensor_of(inputs[i]));
  }
  Computed made;
  std::vector<TensorInfo> outputs = TRY(infer_outputs(node, inputs, stored));
  for (TensorInfo& output : outputs) {
    made.stored.push_back(output.type);
    if (is_float_type(output.type)) output.type = real;
  }
  if (node.type == "Bitcast") return bitcast(inputs[0], stored[0], std::move(made), outputs[0].shape);
  const std::vector<Layout> layouts(inputs.size(), Layout::Plain);
  const auto kernel = TRY(backend::make_kernel({node, infos, outputs, layouts, current_threads()}, "reference"));
  std::vector<std::byte> scratch(kernel->scratch_bytes());
  kernel->set_scratch(scratch.data());
  std::vector<Buffer> buffers(outputs.size());
  std::vector<Tensor> given;
  for (size_t o = 0; o < outputs.size(); ++o) {
    const int source = kernel->alias_of(o);
    if (source < 0) buffers[o] = allocate(outputs[o].type, outputs[o].shape);
    given.push_back(source < 0 ? buffers[o].tensor : taken[static_cast<size_t>(source)]);
    given[o].shape = outputs[o].shape;
  }
  TRY(kernel->run(taken, given));
  for (size_t o = 0; o < given.size(); ++o) {
    if (const int source = kernel->alias_of(o); source >= 0)
      made.values.push_back(inputs[static_cast<size_t>(source)]);
    else
      made.values.push_back(value_of(buffers[o], given[o].shape));
    made.values.back().shape = given[o].shape;
  }
  return made;
}

// AddRmsNorm norms its third output, the sum as the model stores it.
Result<Computed> norm_of_stored_sum(const graph::Node& node, std::span<const Value> inputs,
                                    std::span<const DataType> stored, Computed made) {
  const Value& sum = made.values.at(2);
  const Value rounded = TRY(widened(made.stored[2], sum.shape, TRY(narrowed(sum, made.stored[2]))));
  const std::vector<double> nothing(static_cast<size_t>(sum.count()));
  const Value again[] = {rounded, make_value(sum.shape, nothing), inputs[2]};
  auto normed = TRY(compute_in(DataType::Double, node, again, stored)).values;
  std::move(normed.begin(), normed.begin() + 2, made.values.begin());
  return made;
}

}  // namespace

Result<Computed> compute(const graph::Node& node, std::span<const Value> inputs, std::span<const DataType> stored) {
  Computed made = TRY(compute_in(DataType::Double, node, inputs, stored));
  if (node.type != "AddRmsNorm") return made;
  return norm_of_stored_sum(node, inputs, stored, std::move(made));
}

Result<std::vector<Value>> compute_in_float(const graph::Node& node, std::span<const Value> inputs,
                                            std::span<const DataType> stored) {
  std::vector<Value> rounded(inputs.begin(), inputs.end());
  for (Value& value : rounded) {
    if (!value.present || !value.real()) continue;
    value.bytes = std::make_shared<const std::vector<std::byte>>(TRY(narrowed(value, DataType::Float)));
    value.type = DataType::Float;
  }
  std::vector<Value> values = TRY(compute_in(DataType::Float, node, rounded, stored)).values;
  for (Value& value : values)
    if (value.type == DataType::Float) value = TRY(widened(value.type, value.shape, *value.bytes));
  return values;
}

}  // namespace belay::exact
