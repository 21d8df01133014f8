// SPDX-License-Identifier: Apache-2.0
#include "convert/fold.h"

#include <algorithm>
#include <cstring>

#include "backend/kernel.h"
#include "convert/map/numbers.h"
#include "graph/infer/constant_nodes.h"

namespace belay::convert {
namespace {

using graph::Constant;
using graph::DataType;
using graph::TensorInfo;

constexpr size_t always_small = 1 << 20;  // bytes
constexpr size_t alignment = 64;

// Memory for a kernel to read or write, aligned as its loads like it.
struct Buffer {
  explicit Buffer(size_t size)
      : memory(static_cast<std::byte*>(std::aligned_alloc(alignment, (size / alignment + 1) * alignment)), std::free) {}
  std::shared_ptr<std::byte> memory;
};

std::vector<Constant> shape_as_value(const graph::Node& node, const TensorInfo& input, const TensorInfo& output) {
  if (!graph::is_known(input.shape)) return {};
  const graph::Shape values = node.type == "Size" ? graph::Shape{graph::element_count(input.shape)} : input.shape;
  return {make_ints(values, output.shape, output.type)};
}

size_t bytes_of(const TensorInfo& info) { return graph::bytes_of(info.type, graph::element_count(info.shape)); }

// Whether all is known, and the result is small or not much larger than the inputs.
bool worthwhile(std::span<const TensorInfo> inputs, std::span<const TensorInfo> outputs) {
  size_t in = 0, out = 0;
  for (const auto& input : inputs) {
    if (!input.present) continue;
    if (!input.value) return false;
    in += input.value->bytes.size();
  }
  for (const auto& output : outputs) {
    if (!graph::is_known(output.shape) || graph::bits_of(output.type) == 0) return false;
    out += bytes_of(output);
  }
  return out <= always_small || out <= 2 * in;
}

}  // namespace

std::vector<Constant> fold(const graph::Node& node, std::span<const TensorInfo> inputs,
                           std::span<const TensorInfo> outputs) {
  if (inputs.empty() || outputs.empty() || !graph::is_function(node)) return {};
  if (node.type == "Shape" || node.type == "Size") return shape_as_value(node, inputs[0], outputs[0]);
  if (!worthwhile(inputs, outputs)) return {};
  const std::vector<backend::Layout> layouts(inputs.size(), backend::Layout::Plain);
  auto made = backend::make_kernel({node, inputs, outputs, layouts}, "reference");
  if (!made.ok()) return {};
  const auto kernel = std::move(made).value();

  std::vector<Buffer> copies;
  std::vector<backend::Tensor> in, out;
  for (const auto& input : inputs) {
    backend::Tensor tensor{.type = input.type, .shape = input.shape, .present = input.present};
    if (input.present) {
      const auto bytes = input.value->bytes;
      copies.emplace_back(bytes.size());
      if (!bytes.empty()) std::memcpy(copies.back().memory.get(), bytes.data(), bytes.size());
      tensor.data = copies.back().memory.get();
    }
    in.push_back(tensor);
  }
  std::vector<Constant> results;
  for (const auto& output : outputs) {
    Buffer buffer(bytes_of(output));
    out.push_back({.type = output.type, .shape = output.shape, .data = buffer.memory.get()});
    results.push_back(
        {output.type, output.shape, graph::Format::ND, {buffer.memory.get(), bytes_of(output)}, buffer.memory});
  }
  const Buffer scratch(kernel->scratch_bytes());
  kernel->set_scratch(scratch.memory.get());
  if (!kernel->run(in, out).ok()) return {};
  for (size_t i = 0; i < out.size(); ++i)
    if (out[i].shape != outputs[i].shape) return {};
  return results;
}

}  // namespace belay::convert
