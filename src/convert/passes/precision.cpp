// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/precision.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "convert/map/numbers.h"
#include "convert/passes/graph_editor.h"
#include "convert/passes/origin.h"
#include "graph/infer/infer.h"

namespace belay::convert {
namespace {

using graph::DataType;
using graph::Edge;

template <size_t N>
bool is_one_of(const std::array<std::string_view, N>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

constexpr auto cube_types =
    std::to_array<std::string_view>({"Conv2D", "Conv3D", "Conv2DTranspose", "Conv3DTranspose", "DepthwiseConv2D",
                                     "MatMul", "MatMulV2", "BatchMatMul", "BatchMatMulV2", "GEMM", "Einsum"});

// Under mixed precision these take the type of their inputs.
constexpr auto following_types = std::to_array<std::string_view>({"Relu",
                                                                  "Relu6",
                                                                  "LeakyRelu",
                                                                  "PRelu",
                                                                  "Sigmoid",
                                                                  "Tanh",
                                                                  "HardSwish",
                                                                  "HardSigmoid",
                                                                  "Swish",
                                                                  "GeluV2",
                                                                  "Add",
                                                                  "AccumulateNV2",
                                                                  "Sub",
                                                                  "Mul",
                                                                  "Maximum",
                                                                  "Minimum",
                                                                  "MaxPoolV3",
                                                                  "AvgPoolV2",
                                                                  "MaxPool3D",
                                                                  "GlobalAveragePool",
                                                                  "ConcatD",
                                                                  "Split",
                                                                  "SplitV",
                                                                  "Reshape",
                                                                  "Flatten",
                                                                  "Squeeze",
                                                                  "SqueezeV3",
                                                                  "Unsqueeze",
                                                                  "UnsqueezeV3",
                                                                  "Transpose",
                                                                  "StridedSliceV2",
                                                                  "GatherV2",
                                                                  "PadV3",
                                                                  "Resize",
                                                                  "DepthToSpace",
                                                                  "SpaceToDepth",
                                                                  "ShuffleChannel",
                                                                  "ClipByValue",
                                                                  "Identity",
                                                                  "Expand",
                                                                  "Tile",
                                                                  "Pack"});

// Operators that keep the types they have, whatever the mode.
constexpr auto kept_types = std::to_array<std::string_view>(
    {"Cast", "CastLike", "Range", "Quantize", "NonMaxSuppressionV6", "RandomUniform", "RandomStandardNormal",
     "Multinomial", "If", "While", "Case", "AscendQuant", "AscendDequant", "Aipp"});

// Scales, sizes and regions are no data: they keep their type.
bool is_argument(const graph::Node& node, size_t port) { return node.type == "Resize" && port > 0; }

graph::Constant lowered(const graph::Constant& value, DataType type) {
  auto numbers = *read_numbers(value);
  constexpr double largest = 65504;  // what is finite stays finite, as in the vendor's converter
  if (type == DataType::Float16)
    for (double& number : numbers)
      if (std::isfinite(number)) number = std::clamp(number, -largest, largest);
  return make_numbers(numbers, value.shape, type);
}

class TypeChanger {
 public:
  TypeChanger(graph::Graph& graph, Precision precision, CastCounter& casts)
      : editor_(graph), precision_(precision), casts_(casts) {}

  Status run();

 private:
  DataType wanted(const graph::Node& node) const;
  bool follows(const graph::Node& node, DataType type) const;
  void lower_inputs(int index, DataType type);
  void round_inputs(int index);
  void set_outputs(int index, DataType type);
  void restore_inputs(int index);
  void rename_copies();
  Edge cast(Edge edge, DataType type, int place);

  GraphEditor editor_;
  const Precision precision_;
  CastCounter& casts_;
  std::map<std::tuple<int, int, DataType>, Edge> made_;  // casts and constants, by what they were made of
};

DataType TypeChanger::wanted(const graph::Node& node) const {
  const bool cube = is_one_of(cube_types, node.type);
  switch (precision_) {
    case Precision::Origin:
    case Precision::CubeFromHalf:
      return DataType::Float;
    case Precision::Half:
      return DataType::Float16;
    case Precision::MixedHalf:
      return cube || follows(node, DataType::Float16) ? DataType::Float16 : DataType::Float;
    case Precision::MixedBrain:
      return cube || follows(node, DataType::BFloat16) ? DataType::BFloat16 : DataType::Float;
  }
  return DataType::Float;
}

// All its inputs that are no constants have the type already.
bool TypeChanger::follows(const graph::Node& node, DataType type) const {
  if (!is_one_of(following_types, node.type)) return false;
  bool any = false;
  for (size_t port = 0; port < node.inputs.size(); ++port) {
    const Edge edge = node.inputs[port];
    if (!edge.connected() || editor_.constant(edge) || is_argument(node, port)) continue;
    if (editor_.desc(edge).type == DataType::Float) return false;
    any |= editor_.desc(edge).type == type;
  }
  return any;
}

Edge TypeChanger::cast(Edge edge, DataType type, int place) {
  const auto key = std::tuple(edge.node, edge.output, type);
  if (const auto found = made_.find(key); found != made_.end()) return found->second;
  if (const graph::Constant* value = editor_.constant(edge)) {
    // The constant under its own name when nobody needs the float one.
    graph::Node copy = editor_.node(edge.node);
    copy.attributes["value"] = lowered(*value, type);
    copy.outputs.front().type = type;
    return made_[key] = {editor_.add(std::move(copy), edge.node), 0};
  }
  graph::Node made{.name = casts_.name(), .type = "Cast", .inputs = {edge}};
  made.attributes["dst_type"] = static_cast<int64_t>(type);
  made.outputs = {editor_.desc(edge)};
  made.outputs.front().type = type;
  const auto& producer = editor_.node(edge.node);
  const graph::Node* carried[] = {&producer};
  set_origin(made, carried, producer);
  made.outputs.front().attributes["_datadump_origin_output_index"] = static_cast<int64_t>(edge.output);
  set_no_origin(made);
  return made_[key] = {editor_.add(std::move(made), place), 0};
}

bool is_real(DataType type) {
  return type == DataType::Float || type == DataType::Float16 || type == DataType::BFloat16;
}

void TypeChanger::lower_inputs(int index, DataType type) {
  for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    if (!edge.connected() || is_argument(editor_.node(index), port)) continue;
    const bool wide = editor_.desc(edge).type == DataType::Float;
    editor_.set_input(index, port, wide ? cast(edge, type, index) : edge);  // also takes the type over
  }
}

// To float16 and back: the product of float16 inputs, in float.
void TypeChanger::round_inputs(int index) {
  for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    if (!edge.connected() || editor_.desc(edge).type != DataType::Float) continue;
    const Edge narrow = cast(edge, DataType::Float16, index);
    editor_.set_input(index, port, cast(narrow, DataType::Float, index));
  }
}

void TypeChanger::set_outputs(int index, DataType type) {
  auto& node = editor_.node(index);
  std::vector<graph::TensorInfo> inputs;
  for (const Edge edge : node.inputs) {
    if (!edge.connected()) {
      inputs.push_back({.present = false});
      continue;
    }
    inputs.push_back({editor_.desc(edge).type, editor_.desc(edge).shape, editor_.constant(edge)});
  }
  graph::InferContext context(node, inputs);
  const bool inferred = graph::find_infer_rule(node.type) && graph::infer(context).ok();
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    auto& output = node.outputs[i];
    if (inferred && i < context.outputs.size()) {
      output.type = context.outputs[i].type;
    } else if (is_real(output.type)) {
      output.type = type;
    }
  }
}

// The inputs get the types they had.
void TypeChanger::restore_inputs(int index) {
  for (size_t port = 0; port < editor_.node(index).inputs.size(); ++port) {
    const Edge edge = editor_.node(index).inputs[port];
    const DataType before = editor_.node(index).input_descs[port].type;
    if (edge.connected() && editor_.desc(edge).type != before && is_real(before))
      editor_.set_input(index, port, cast(edge, before, index));
  }
}

// A constant that is needed in several types: the later ones get names of their own.
void TypeChanger::rename_copies() {
  std::set<int> copies;
  for (const auto& [key, edge] : made_) copies.insert(edge.node);
  std::set<std::string> taken;
  for (int i = 0; i < editor_.count(); ++i)
    if (!copies.contains(i) && editor_.user_count(i) > 0) taken.insert(editor_.node(i).name);
  for (const int copy : copies) {
    auto& node = editor_.node(copy);
    if (!graph::is_constant(node) || editor_.user_count(copy) == 0) continue;
    while (!taken.insert(node.name).second) node.name += "_" + std::string(graph::name_of(node.outputs.front().type));
  }
}

Status TypeChanger::run() {
  const int count = editor_.count();
  for (int i = 0; i < count; ++i) {
    const auto& node = editor_.node(i);
    if (graph::is_graph_input(node) || graph::is_constant(node)) continue;
    if (precision_ == Precision::CubeFromHalf) {
      if (is_one_of(cube_types, node.type)) round_inputs(i);
      continue;
    }
    const bool kept = node.type == "NetOutput" || is_one_of(kept_types, node.type) || !node.subgraphs.empty();
    const DataType type = kept ? DataType::Float : wanted(node);
    const bool has_float = std::any_of(node.input_descs.begin(), node.input_descs.end(),
                                       [](const auto& desc) { return is_real(desc.type); });
    if (!has_float) continue;
    if (type == DataType::Float) {
      restore_inputs(i);
    } else {
      lower_inputs(i, type);
      set_outputs(i, type);
    }
  }
  rename_copies();
  editor_.remove_dead();
  return editor_.finish();
}

}  // namespace

Result<Precision> parse_precision(const ConvertOptions& options) {
  static const auto& modes = *new const std::map<std::string_view, Precision>{
      {"must_keep_origin_dtype", Precision::Origin},
      {"allow_fp32_to_fp16", Precision::Origin},
      {"allow_fp32_to_bf16", Precision::Origin},
      {"force_fp16", Precision::Half},
      {"force_fp32", Precision::CubeFromHalf},
      {"cube_fp16in_fp32out", Precision::CubeFromHalf},
      {"allow_mix_precision", Precision::MixedHalf},
      {"allow_mix_precision_fp16", Precision::MixedHalf},
      {"allow_mix_precision_bf16", Precision::MixedBrain},
  };
  static const auto& modes_v2 = *new const std::map<std::string_view, Precision>{
      {"origin", Precision::Origin},
      {"fp16", Precision::Half},
      {"mixed_float16", Precision::MixedHalf},
      {"mixed_bfloat16", Precision::MixedBrain},
      {"cube_fp16in_fp32out", Precision::CubeFromHalf},
  };
  const bool second = !options.precision_mode_v2.empty();
  const auto& known = second ? modes_v2 : modes;
  const std::string& text = second ? options.precision_mode_v2 : options.precision_mode;
  if (const auto found = known.find(text); found != known.end()) return found->second;
  std::string values;
  for (const auto& [name, mode] : known) values += (values.empty() ? "" : ", ") + std::string(name);
  return Status{ACL_ERROR_INVALID_PARAM,
                formatted("--precision_mode{}: {} is not one of {}", second ? "_v2" : "", text, values), "E10001"};
}

Status apply_precision(graph::Graph& graph, Precision precision, CastCounter& casts) {
  return precision == Precision::Origin ? Status{} : TypeChanger(graph, precision, casts).run();
}

Status cast_output(graph::Graph& graph, size_t output, graph::DataType type, CastCounter& casts) {
  GraphEditor editor(graph);
  const int index = graph.output_node();
  const Edge edge = editor.node(index).inputs.at(output);
  if (editor.desc(edge).type == type) return {};
  graph::Node made{.name = casts.name(), .type = "Cast", .inputs = {edge}};
  made.attributes["dst_type"] = static_cast<int64_t>(type);
  made.outputs = {editor.desc(edge)};
  made.outputs.front().type = type;
  const graph::Node* carried[] = {&editor.node(edge.node)};
  set_origin(made, carried, *carried[0]);
  set_no_origin(made);
  editor.set_input(index, output, {editor.add(std::move(made), index), 0});
  return editor.finish();
}

}  // namespace belay::convert
