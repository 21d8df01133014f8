// SPDX-License-Identifier: Apache-2.0
#include "backend/work.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "graph/infer/arguments.h"
#include "graph/infer/convolution.h"
#include "graph/infer/einsum_plan.h"
#include "graph/infer/graph.h"

namespace belay::backend {
namespace {

using graph::InferContext;
using graph::Node;
using graph::TensorInfo;

double count_of(const TensorInfo& tensor) {
  if (!tensor.present) return 0;
  double count = 1;
  for (const int64_t dim : tensor.shape) count *= static_cast<double>(std::max<int64_t>(dim, 0));
  return count;
}

double elements(std::span<const TensorInfo> tensors) {
  double count = 0;
  for (const TensorInfo& tensor : tensors) count += count_of(tensor);
  return count;
}

bool is_one_of(const std::string& type, std::initializer_list<std::string_view> types) {
  return std::ranges::find(types, std::string_view(type)) != types.end();
}

double bias(const InferContext& context, size_t input) {
  return context.has(input) && !context.outputs.empty() ? count_of(context.outputs[0]) : 0;
}

double convolution(const InferContext& context) {
  const auto read = graph::read_convolution(context);
  if (!read.ok()) return elements(context.outputs);
  const graph::Convolution& c = *read;
  const TensorInfo& filter = context.inputs[c.filter];
  double window = c.depthwise_filter ? 1 : static_cast<double>(filter.shape[c.filter_axes.input]);
  for (const size_t axis : c.filter_axes.spatial) window *= static_cast<double>(filter.shape[axis]);
  const double places = count_of(c.transposed ? context.inputs[c.x] : context.outputs[0]);
  return 2 * places * window + bias(context, c.bias);
}

// Whether the left side comes with its columns as rows.
bool transposed(const Node& node) {
  return std::ranges::any_of(std::initializer_list<const char*>{"transpose_x1", "adj_x1", "transpose_a"},
                             [&](const char* name) { return graph::flag_of(node, name, false); });
}

double product(const InferContext& context) {
  const graph::Shape& left = context.shape(0);
  if (left.empty()) return elements(context.outputs);
  const size_t back = left.size() > 1 && transposed(context.node) ? 2 : 1;
  const double depth = static_cast<double>(left[left.size() - back]);
  const bool scaled =
      is_one_of(context.node.type, {"QuantBatchMatmulV3", "WeightQuantBatchMatmulV2"});  // input 2 is it
  return 2 * count_of(context.outputs[0]) * depth + (scaled ? 0 : bias(context, 2));
}

double einstein_sum(const InferContext& context) {
  std::vector<graph::Shape> shapes;
  for (const TensorInfo& input : context.inputs) shapes.push_back(input.shape);
  const auto plan = graph::plan_einsum(graph::text_of(context.node, "equation", ""), shapes);
  if (!plan.ok()) return elements(context.outputs);
  double terms = 1;
  for (const int64_t size : (*plan).sizes) terms *= static_cast<double>(size);
  return static_cast<double>(shapes.size()) * terms;
}

// The products of every step with w and r; the rest is one operation for each element of the results.
double recurrent(const InferContext& context) {
  const graph::Shape& x = context.shape(0);
  if (x.size() != 3 || context.inputs.size() < 3) return elements(context.outputs);
  const double rows = static_cast<double>(x[0] * x[1]);
  return 2 * rows * (count_of(context.inputs[1]) + count_of(context.inputs[2])) + elements(context.outputs);
}

double flops_of(const InferContext& context);

double flops_of_members(const InferContext& context, const graph::Graph& members) {
  graph::GraphInference inference(nullptr, members);
  if (!inference.run(context.inputs).ok()) return elements(context.outputs);
  double flops = 0;
  for (size_t i = 0; i < members.nodes.size(); ++i) {
    const Node& member = members.nodes[i];
    if (graph::is_graph_input(member) || graph::is_constant(member) || member.type == "NetOutput") continue;
    const auto inputs = inference.inputs_of(member);
    InferContext inner(member, inputs);
    inner.outputs = inference.outputs_of(static_cast<int>(i));
    flops += flops_of(inner);
  }
  return flops;
}

double flops_of(const InferContext& context) {
  const Node& node = context.node;
  if (const auto* members = graph::get_if<std::shared_ptr<graph::Graph>>(node.attributes, graph::kMembers))
    return flops_of_members(context, **members);
  if (is_one_of(node.type,
                {"Conv2D", "Conv3D", "DepthwiseConv2D", "Conv2DTranspose", "Conv2DTransposeD", "Conv3DTranspose",
                 "Conv3DTransposeD", "Conv2DBackpropInput", "Conv2DBackpropInputD", "Deconvolution"}))
    return convolution(context);
  if (is_one_of(node.type, {"MatMul", "MatMulV2", "MatMulV3", "BatchMatMul", "BatchMatMulV2", "BatchMatMulV3", "GEMM",
                            "QuantBatchMatmulV3", "WeightQuantBatchMatmulV2"}))
    return product(context);
  if (node.type == "Einsum") return einstein_sum(context);
  if (is_one_of(node.type, {"CommonLSTM", "CommonGRU", "CommonRNN"})) return recurrent(context);
  return elements(context.outputs);
}

// With the values of short lists of integers: the size of a transposed convolution's result is one.
class Infos {
 public:
  explicit Infos(std::span<const Tensor> tensors) : values_(tensors.size()) {
    for (size_t i = 0; i < tensors.size(); ++i) {
      const Tensor& tensor = tensors[i];
      const bool whole = tensor.type == DataType::Int32 || tensor.type == DataType::Int64;
      const bool given = whole && tensor.present && tensor.data && tensor.shape.size() == 1 && tensor.shape[0] <= 8;
      if (given)
        values_[i] = {tensor.type,
                      tensor.shape,
                      graph::Format::ND,
                      {tensor.as<const std::byte>(), graph::bytes_of(tensor.type, tensor.count())}};
      all_.push_back({tensor.type, tensor.shape, given ? &values_[i] : nullptr, tensor.present});
    }
  }
  const std::vector<TensorInfo>& all() const { return all_; }

 private:
  std::vector<graph::Constant> values_;
  std::vector<TensorInfo> all_;
};

double bytes_of(std::span<const Tensor> tensors) {
  double bytes = 0;
  for (const Tensor& tensor : tensors)
    if (tensor.present) bytes += static_cast<double>(tensor.bytes());
  return bytes;
}

}  // namespace

Work work_of(const Node& node, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  const Infos infos(inputs);
  InferContext context(node, infos.all());
  for (const Tensor& tensor : outputs) context.outputs.push_back({tensor.type, tensor.shape});
  return {flops_of(context), bytes_of(inputs) + bytes_of(outputs)};
}

}  // namespace belay::backend
