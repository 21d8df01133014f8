// SPDX-License-Identifier: Apache-2.0
#include "bisect/network.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "base/text.h"
#include "convert/convert.h"
#include "convert/passes/origin.h"
#include "executor/loaded_model.h"
#include "graph/infer/constant_nodes.h"

namespace belay::bisect {
namespace {

using backend::Tensor;
using graph::DataType;

// "op:0:tensor" of each output, in order.
std::vector<std::string> output_names(const graph::Model& model) {
  std::vector<std::string> names;
  for (const auto& entry : graph::get_or<std::vector<std::string>>(model.attributes, "attr_model_out_nodes_name", {})) {
    const size_t index = entry.find(':');
    const size_t tensor = index == std::string::npos ? index : entry.find(':', index + 1);
    names.push_back(tensor == std::string::npos ? entry : entry.substr(tensor + 1));
  }
  return names;
}

void add_once(std::vector<std::string>& list, const std::string& text) {
  if (std::ranges::find(list, text) == list.end()) list.push_back(text);
}

bool is_narrow(const graph::TensorDesc& desc) {
  return desc.type == DataType::Float16 || desc.type == DataType::BFloat16;
}

}  // namespace

Result<Signature> signature_of(const std::filesystem::path& model) {
  const auto converted = TRY(convert::convert_onnx(model, {.name = "bisect"}));
  Signature signature{.outputs = output_names(*converted.model)};
  const graph::Graph& main = converted.model->main();
  for (const int index : main.input_nodes()) {
    const auto& node = main.nodes[static_cast<size_t>(index)];
    signature.inputs.push_back({node.name, node.outputs.front().type, node.outputs.front().shape, {}});
  }
  return signature;
}

Network::Network(std::filesystem::path model, std::vector<Array> inputs, Narrow narrow, int threads)
    : model_(std::move(model)), inputs_(std::move(inputs)), narrow_(narrow), threads_(threads) {}

convert::ConvertOptions Network::options() const {
  convert::ConvertOptions options{.name = "bisect", .input_format = "ND"};
  for (const Array& input : inputs_) {
    if (!options.input_shape.empty()) options.input_shape += ';';
    options.input_shape += input.name + ":";
    for (size_t i = 0; i < input.shape.size(); ++i)
      options.input_shape += (i > 0 ? "," : "") + std::to_string(input.shape[i]);
  }
  return options;
}

convert::ConvertOptions Network::narrow_options() const {
  auto narrow = options();
  narrow.precision_mode = narrow_ == Narrow::Half ? "force_fp16" : "allow_mix_precision_bf16";
  return narrow;
}

Result<std::vector<Operator>> Network::operators() const {
  auto single = narrow_options();
  single.group = false;
  const auto converted = TRY(convert::convert_onnx(model_, single));
  std::vector<Operator> operators;
  for (const auto& node : converted.model->main().nodes) {
    const auto names = convert::original_names(node);
    if (graph::is_random(node) && graph::get_or<int64_t>(node.attributes, "seed", 0) == 0 && node.type != "Dropout")
      return Status{ACL_ERROR_INVALID_PARAM,
                    formatted("{} {} gives other numbers in every run: runs of the model cannot be held against one "
                              "another; give it a seed",
                              node.type, names.empty() ? node.name : names.front())};
    if (names.empty() || graph::is_graph_input(node) || graph::is_constant(node) || node.type == "NetOutput") continue;
    if (std::ranges::none_of(node.input_descs, is_narrow) && std::ranges::none_of(node.outputs, is_narrow)) continue;
    auto found = std::ranges::find(operators, names.front(), &Operator::name);
    if (found == operators.end()) found = operators.insert(found, {names.front(), {}, {}});
    add_once(found->types, node.type);
    add_once(found->nodes, node.name);
  }
  return operators;
}

Result<std::vector<Array>> Network::run(std::shared_ptr<graph::Model> model) const {
  const auto loaded = TRY(executor::load(model, {.threads = threads_}));
  std::vector<Tensor> taken;
  for (const Array& input : inputs_)
    taken.push_back({input.type, input.shape, backend::Layout::Plain, const_cast<std::byte*>(input.bytes.data())});
  const graph::Node& results = model->main().nodes[static_cast<size_t>(model->main().output_node())];
  std::vector<Tensor> given(results.inputs.size());
  for (size_t i = 0; i < given.size(); ++i) given[i].type = results.input_descs[i].type;
  TRY(loaded->run({}, taken, given));
  const auto names = output_names(*model);
  std::vector<Array> outputs;
  for (size_t i = 0; i < given.size(); ++i) {
    Array& output = outputs.emplace_back();
    output = {i < names.size() ? names[i] : "", given[i].type, given[i].shape, {}};
    output.bytes.resize(graph::bytes_of(given[i].type, given[i].count()));
    if (!output.bytes.empty()) std::memcpy(output.bytes.data(), given[i].data, output.bytes.size());
    std::free(given[i].data);
  }
  return outputs;
}

Result<std::vector<Array>> Network::run_float() const {
  return run(TRY(convert::convert_onnx(model_, options())).model);
}

Result<std::vector<Array>> Network::run_narrow(const std::vector<std::string>& kept) const {
  auto narrow = narrow_options();
  narrow.keep_names = kept;
  return run(TRY(convert::convert_onnx(model_, narrow)).model);
}

Result<std::vector<Array>> Network::run_mixed(const std::vector<std::string>& black) const {
  auto mixed = options();
  mixed.precision_mode = narrow_ == Narrow::Half ? "allow_mix_precision" : "allow_mix_precision_bf16";
  mixed.black_types = black;
  return run(TRY(convert::convert_onnx(model_, mixed)).model);
}

}  // namespace belay::bisect
