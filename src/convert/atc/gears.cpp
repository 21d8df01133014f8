// SPDX-License-Identifier: Apache-2.0
#include "convert/atc/gears.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "convert/atc/input_shapes.h"

namespace belay::convert {
namespace {

constexpr size_t fewest = 2, most = 100;

Status wrong(std::string_view option, std::string_view why) {
  return {ACL_ERROR_INVALID_PARAM, formatted("--{}: {}", option, why), "E10001"};
}

int64_t product(const std::vector<int64_t>& values) {
  int64_t result = 1;
  for (const int64_t value : values) result *= value;
  return result;
}

size_t open_axes(const InputSpec& input) {
  return static_cast<size_t>(std::count(input.shape.begin(), input.shape.end(), -1));
}

Status check_batch(const std::vector<InputSpec>& inputs) {
  for (const auto& input : inputs) {
    const size_t open = open_axes(input);
    if (open > 1 || (open == 1 && input.shape[0] != -1))
      return wrong("dynamic_batch_size", "only the first dimension of input " + input.name + " may be -1");
  }
  return {};
}

Status check_image(const ConvertOptions& options, const std::vector<InputSpec>& inputs) {
  if (options.input_format != "NCHW" && options.input_format != "NHWC")
    return wrong("dynamic_image_size", "--input_format must be NCHW or NHWC");
  const size_t height = options.input_format == "NCHW" ? 2 : 1;
  for (const auto& input : inputs) {
    const size_t open = open_axes(input);
    if (open == 0) continue;
    if (open != 2 || input.shape.size() != 4 || input.shape[height] != -1 || input.shape[height + 1] != -1)
      return wrong("dynamic_image_size", "height and width of input " + input.name + ", and only they, must be -1");
  }
  return {};
}

// The number of values of a gear.
size_t values_per_gear(Gears::Kind kind, const std::vector<InputSpec>& inputs) {
  if (kind != Gears::Kind::Dims) return kind == Gears::Kind::Batch ? 1 : 2;
  size_t open = 0;
  for (const auto& input : inputs) open += open_axes(input);
  return open;
}

Status check(const Gears& gears, std::string_view option, const ConvertOptions& options,
             const std::vector<InputSpec>& inputs) {
  if (std::none_of(inputs.begin(), inputs.end(), [](const InputSpec& input) { return open_axes(input) > 0; }))
    return wrong(option, "no dimension of --input_shape is -1");
  if (gears.kind == Gears::Kind::Batch) TRY(check_batch(inputs));
  if (gears.kind == Gears::Kind::Image) TRY(check_image(options, inputs));
  if (gears.kind == Gears::Kind::Dims && options.input_format != "ND")
    return wrong(option, "--input_format must be ND");
  if (gears.values.size() < fewest || gears.values.size() > most)
    return wrong(option, formatted("{} sizes; there must be {} to {}", gears.values.size(), fewest, most));
  const size_t count = values_per_gear(gears.kind, inputs);
  for (size_t i = 0; i < gears.values.size(); ++i) {
    if (gears.values[i].size() != count)
      return wrong(option, formatted("size {} has {} numbers; there must be {}", i + 1, gears.values[i].size(), count));
    if (std::find(gears.values.begin(), gears.values.begin() + static_cast<std::ptrdiff_t>(i), gears.values[i]) !=
        gears.values.begin() + static_cast<std::ptrdiff_t>(i))
      return wrong(option, formatted("size {} is given twice", i + 1));
  }
  return {};
}

void describe(graph::TensorDesc& desc, DataType type, const Shape& shape, graph::Format format) {
  desc.type = type;
  desc.shape = desc.origin_shape = shape;
  desc.format = desc.origin_format = format;
}

graph::Node input_node(const InputSpec& input, int64_t index) {
  graph::Node data{.name = input.name, .type = "Data", .inputs = {Edge{}}};
  data.attributes["index"] = index;
  data.attributes["data_type"] = static_cast<int64_t>(input.type);
  describe(data.outputs.emplace_back(), input.type, input.shape, input.format);
  data.input_descs = data.outputs;
  return data;
}

// Names inside a branch carry its number. The Data nodes of its main graph stand for inputs of the Case, the outputs
// for the Case's.
void adopt(graph::Graph& branch, size_t gear, bool outermost) {
  const std::string suffix = formatted("_ascend_mbatch_batch_{}", gear), label = formatted("Batch_{}", gear);
  for (auto& node : branch.nodes) {
    node.name += suffix;
    node.attributes["_batch_label"] = label;
    for (auto& subgraph : node.subgraphs) subgraph += suffix;
    if (!outermost) continue;
    if (graph::is_graph_input(node))
      node.attributes[graph::kParentIndex] = 1 + graph::get_or<int64_t>(node.attributes, "index", 0);
    if (node.type != "NetOutput") continue;
    for (size_t i = 0; i < node.input_descs.size(); ++i)
      node.input_descs[i].attributes[graph::kParentIndex] = static_cast<int64_t>(i);
  }
}

std::vector<graph::TensorDesc> outputs_of(const graph::Model& model) {
  const int index = model.main().output_node();
  return model.main().nodes[static_cast<size_t>(index)].input_descs;
}

// The root graph as it grows: nodes and their one output each.
int append(graph::Graph& root, graph::Node node) {
  for (const Edge edge : node.inputs)
    node.input_descs.push_back(
        edge.connected() ? root.nodes[static_cast<size_t>(edge.node)].outputs[static_cast<size_t>(edge.output)]
                         : graph::TensorDesc{});
  root.nodes.push_back(std::move(node));
  return static_cast<int>(root.nodes.size()) - 1;
}

// The node that says which gear the application chose.
int add_gear_index(graph::Graph& root, const Gears& gears, size_t inputs) {
  const auto count = static_cast<int64_t>(gears.values.front().size());
  graph::Node data = input_node({"ascend_mbatch_shape_data", DataType::Int32, {count}, graph::Format::ND, {}},
                                static_cast<int64_t>(inputs));
  data.attributes["mbatch-inserted-node"] = true;
  root.nodes.push_back(std::move(data));
  const int chosen = static_cast<int>(root.nodes.size()) - 1;
  std::vector<int32_t> flat;
  for (const auto& gear : gears.values) flat.insert(flat.end(), gear.begin(), gear.end());
  graph::Node table{.name = "ascend_mbatch_shape_const", .type = "Const"};
  const Shape shape = {static_cast<int64_t>(flat.size())};
  table.attributes["value"] = graph::make_constant(DataType::Int32, shape, flat);
  describe(table.outputs.emplace_back(), DataType::Int32, shape, graph::Format::ND);
  const int known = append(root, std::move(table));
  graph::Node index{.name = "ascend_mbatch_shape_mapindex", .type = "MapIndex", .inputs = {{chosen, 0}, {known, 0}}};
  describe(index.outputs.emplace_back(), DataType::Int32, {}, graph::Format::ND);
  index.attributes["mbatch-inserted-node"] = true;
  return append(root, std::move(index));
}

// "gear,output,dim,dim...".
std::vector<std::string> output_dims(const std::vector<graph::Model>& models) {
  std::vector<std::string> texts;
  for (size_t gear = 0; gear < models.size(); ++gear) {
    const auto outputs = outputs_of(models[gear]);
    for (size_t i = 0; i < outputs.size(); ++i) {
      std::string text = formatted("{},{}", gear, i);
      for (const int64_t dim : outputs[i].shape) text += formatted(",{}", dim);
      texts.push_back(std::move(text));
    }
  }
  return texts;
}

graph::Node case_node(const Gears& gears, int index, size_t inputs) {
  graph::Node choice{.name = "ascend_mbatch_shape_case", .type = "Case", .inputs = {{index, 0}}};
  for (size_t i = 0; i < inputs; ++i) choice.inputs.push_back({static_cast<int>(i), 0});
  choice.attributes["_batch_num"] = static_cast<int64_t>(gears.values.size());
  for (size_t i = 0; i < gears.values.size(); ++i) {
    choice.attributes[formatted("_pred_value_{}", i)] = gears.values[i];
    choice.subgraphs.push_back(formatted("Batch_{}", i));
  }
  choice.attributes["mbatch_dynamic_type"] = static_cast<int64_t>(gears.kind);
  choice.attributes["user_designate_shape_order"] = gears.order;
  choice.attributes["mbatch-inserted-node"] = true;
  return choice;
}

// An input that AIPP turned into a raw image, or that is given as float16, is one in the outer graph too.
void take_input(graph::Node& outer, const graph::Graph& largest, size_t index) {
  const graph::Node& inner = largest.nodes[static_cast<size_t>(largest.input_nodes()[index])];
  const graph::DataType type = inner.outputs.front().type;
  outer.outputs.front().type = type;
  for (auto& desc : outer.input_descs) desc.type = type;
  outer.attributes["data_type"] = static_cast<int64_t>(type);
  const auto* raw = graph::get_if<Shape>(inner.attributes, "input_dims");
  if (!raw) return;
  outer.outputs = inner.outputs;
  outer.input_descs = inner.input_descs;
  outer.attributes["input_dims"] = *raw;
  Shape image = inner.input_descs.front().shape;
  image[0] = -1;
  outer.attributes["_mbatch_origin_input_dims"] = image;
}

}  // namespace

std::vector<InputSpec> Gears::sized(const std::vector<InputSpec>& inputs, size_t gear) const {
  std::vector<InputSpec> result = inputs;
  const auto& chosen = values[gear];
  size_t next = 0;
  // Values follow the order of --input_shape.
  for (const auto& name : order)
    for (auto& input : result) {
      if (input.name != name) continue;
      size_t own = 0;
      for (int64_t& dim : input.shape)
        if (dim == -1) dim = chosen[kind == Kind::Dims ? next++ : own++];
      input.range.clear();
    }
  return result;
}

Result<std::optional<Gears>> parse_gears(const ConvertOptions& options, const std::vector<InputSpec>& inputs) {
  const std::tuple<Gears::Kind, const std::string*, std::string_view> kinds[] = {
      {Gears::Kind::Batch, &options.dynamic_batch_size, "dynamic_batch_size"},
      {Gears::Kind::Image, &options.dynamic_image_size, "dynamic_image_size"},
      {Gears::Kind::Dims, &options.dynamic_dims, "dynamic_dims"},
  };
  std::optional<Gears> gears;
  for (const auto& [kind, text, option] : kinds) {
    if (text->empty()) continue;
    if (gears) return wrong(option, "only one of dynamic_batch_size, dynamic_image_size and dynamic_dims may be given");
    gears = Gears{kind};
    gears->values = TRY(parse_number_lists(*text, option));
    if (kind == Gears::Kind::Batch) {  // "1,2,4" is three gears
      const auto sizes = gears->values.empty() ? std::vector<int64_t>{} : gears->values.front();
      gears->values.clear();
      for (const int64_t size : sizes) gears->values.push_back({size});
    }
    if (options.input_shape.empty()) return wrong(option, "--input_shape must be given");
    if (kind != Gears::Kind::Batch && !options.insert_op_conf.empty())
      return wrong(option, "AIPP (--insert_op_conf) goes with --dynamic_batch_size only");
    const auto shapes = TRY(parse_input_shape(options.input_shape));
    for (const auto& shape : shapes) gears->order.push_back(shape.name);
    TRY(check(*gears, option, options, inputs));
    for (size_t i = 1; i < gears->values.size(); ++i)
      if (product(gears->values[i]) > product(gears->values[gears->largest])) gears->largest = i;
  }
  return gears;
}

Result<graph::Model> join_gears(std::vector<graph::Model> models, const Gears& gears,
                                const std::vector<InputSpec>& inputs, const std::string& name) {
  graph::Model joined;
  joined.name = name;
  joined.attributes = models.front().attributes;
  joined.graphs.emplace_back().name = name;
  graph::Graph& root = joined.main();
  const auto largest = gears.sized(inputs, gears.largest);
  for (size_t i = 0; i < inputs.size(); ++i) {
    root.nodes.push_back(input_node(largest[i], static_cast<int64_t>(i)));
    root.nodes.back().attributes["_mbatch_origin_input_dims"] = inputs[i].shape;
    take_input(root.nodes.back(), models[gears.largest].main(), i);
  }
  const int index = add_gear_index(root, gears, inputs.size());
  graph::Node choice = case_node(gears, index, inputs.size());
  choice.outputs = outputs_of(models[gears.largest]);
  for (auto& output : choice.outputs) output.attributes.clear();
  const size_t count = choice.outputs.size();
  const int chosen = append(root, std::move(choice));
  graph::Node output{.name = "Node_Output", .type = "NetOutput"};
  for (size_t i = 0; i < count; ++i) output.inputs.push_back({chosen, static_cast<int>(i)});
  output.attributes["_dynamic_output_dims"] = output_dims(models);
  append(root, std::move(output));
  for (size_t gear = 0; gear < models.size(); ++gear) {
    for (auto& graph : models[gear].graphs) {
      const bool outermost = &graph == &models[gear].main();
      adopt(graph, gear, outermost);
      graph.name = outermost ? formatted("Batch_{}", gear) : graph.name + formatted("_ascend_mbatch_batch_{}", gear);
    }
    for (auto& graph : models[gear].graphs) joined.graphs.push_back(std::move(graph));
  }
  return joined;
}

}  // namespace belay::convert
