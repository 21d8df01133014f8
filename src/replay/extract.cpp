// SPDX-License-Identifier: Apache-2.0
#include "replay/extract.h"

#include <algorithm>
#include <set>

#include "acl/acl_base.h"
#include "base/closest.h"
#include "base/text.h"
#include "convert/convert.h"
#include "convert/passes/origin.h"
#include "dump/format/names.h"
#include "executor/branch.h"
#include "executor/loaded_model.h"
#include "graph/infer/constant_nodes.h"
#include "graph/infer/infer.h"
#include "graph/model/schema.h"
#include "graph/om/om.h"

namespace belay::replay {
namespace {

using graph::Constant;
using graph::Graph;
using graph::Model;
using graph::Node;

Status wrong(std::string why) { return {ACL_ERROR_PARSE_FILE, std::move(why)}; }

// A node and the graph that it is in.
struct Found {
  const Graph* graph = nullptr;
  const Node* node = nullptr;
};

bool stands_for(const Node& node, std::string_view name) {
  const auto names = convert::original_names(node);
  return std::ranges::find(names, name) != names.end();
}

template <class Fits>
Found first_node(const Model& model, Fits fits) {
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes)
      if (fits(node)) return {&graph, &node};
  return {};
}

// By its own name, as files have it too; else by that of an operator that became part of it.
Result<Found> find_node(const Model& model, std::string_view name) {
  for (const auto& found :
       {first_node(model, [&](const Node& node) { return node.name == name; }),
        first_node(model, [&](const Node& node) { return dump::mangled(node.name) == name; }),
        first_node(model, [&](const Node& node) { return executor::has_task(node) && stands_for(node, name); })})
    if (found.node) return found;
  std::vector<std::string_view> names;
  for (const Graph& graph : model.graphs)
    for (const Node& node : graph.nodes) names.push_back(node.name);
  return wrong(formatted("the model has no operator {}; the closest names are {}", name, closest_names(name, names)));
}

Status check_runs_alone(const Node& node) {
  if (!graph::is_collective(node)) return {};
  return wrong(formatted("{} {} works together with other ranks and cannot run alone; belay blame --ranks checks it",
                         node.type, node.name));
}

void add_graphs(const Model& model, const Node& node, std::set<std::string>& known, std::vector<Graph>& graphs) {
  for (const std::string& name : node.subgraphs) {
    const Graph* graph = model.find_graph(name);
    if (!graph || !known.insert(name).second) continue;
    graphs.push_back(*graph);
    for (const Node& inner : graph->nodes) add_graphs(model, inner, known, graphs);
  }
}

// The inputs of one operator, wherever they are to be had.
class InputFinder {
 public:
  InputFinder(const DumpedTree& tree, const inspect::FoundDump& file, const DumpedTensors& dumped, Found found,
              const ModelInputs& inputs, Extracted& made)
      : tree_(tree), file_(file), dumped_(dumped), found_(found), inputs_(inputs), made_(made) {}

  Status run() {
    const Node& node = *found_.node;
    const auto connected = std::ranges::count_if(node.inputs, &graph::Edge::connected);
    const size_t given = dumped_.inputs.size();
    const bool in_order = given == static_cast<size_t>(connected), by_port = given == node.inputs.size();
    if (given > 0 && !in_order && !by_port)
      return wrong(formatted("the dump of {} has {} inputs; in the model it has {}", node.name, given, connected));
    size_t next = 0;
    for (size_t port = 0; port < node.inputs.size(); ++port) {
      Input input;
      input.present = node.inputs[port].connected();
      if (input.present) {
        const Constant* value = given == 0 ? nullptr : &dumped_.inputs[in_order ? next++ : port];
        TRY(fill(port, value, input));
      }
      made_.op.inputs.push_back(std::move(input));
    }
    return {};
  }

 private:
  Status fill(size_t port, const Constant* dumped, Input& input) {
    const Node& producer = found_.graph->nodes[static_cast<size_t>(found_.node->inputs[port].node)];
    const auto* constant = graph::get_if<Constant>(producer.attributes, "value");
    input.constant = graph::is_constant(producer) && constant;
    const auto names = convert::original_names(producer);
    input.source = names.empty() ? producer.name : names.back();
    if (dumped) {
      input.value = *dumped;
    } else if (input.constant) {
      input.value = *constant;
      ++made_.from_model;
    } else {
      input.value = TRY(from_producer(port));
      ++made_.from_producers;
    }
    return check(port, input.value);
  }

  // The output of the operator that makes the input, or of the one before it when that only gives it another shape.
  Result<Constant> from_producer(size_t port) {
    graph::Edge edge = found_.node->inputs[port];
    for (;;) {
      const Node& producer = found_.graph->nodes[static_cast<size_t>(edge.node)];
      if (const auto file = tree_.beside(file_, producer.name)) {
        const auto tensors = TRY(read_tensors(*file));
        if (static_cast<size_t>(edge.output) >= tensors.outputs.size())
          return wrong(formatted("{} has no output {}", file->path.string(), edge.output));
        return reshaped(tensors.outputs[static_cast<size_t>(edge.output)], port);
      }
      if (const auto given = inputs_.find(producer.name); given != inputs_.end() && graph::is_graph_input(producer))
        return reshaped(given->second, port);
      if (graph::is_graph_input(producer))
        return wrong(
            formatted("input {} of {} is the model's input {}, which is not in the dump; give it (--input {}=FILE), "
                      "or dump with \"dump_mode\":\"all\"",
                      port, found_.node->name, producer.name, producer.name));
      if (!executor::is_view(producer) || !producer.inputs[0].connected())
        return wrong(formatted(
            "input {} of {} is not in the dump: neither with the operator nor as an output of {}, which makes it; dump "
            "with \"dump_mode\":\"all\"",
            port, found_.node->name, producer.name));
      edge = producer.inputs[0];
    }
  }

  Result<Constant> reshaped(Constant value, size_t port) const {
    const graph::Shape& wanted = found_.node->input_descs[port].shape;
    if (graph::is_known(wanted) && graph::element_count(wanted) == graph::element_count(value.shape))
      value.shape = wanted;
    return value;
  }

  Status check(size_t port, const Constant& value) const {
    const graph::TensorDesc& desc = found_.node->input_descs[port];
    if (desc.type != value.type)
      return wrong(
          formatted("input {} of {} is {} in the dump and {} in the model; give the model that was dumped "
                    "(--precision_mode and the like change the types)",
                    port, found_.node->name, graph::name_of(value.type), graph::name_of(desc.type)));
    if (graph::is_known(desc.shape) && graph::element_count(desc.shape) != graph::element_count(value.shape))
      return wrong(formatted("input {} of {} is {} in the dump and {} in the model: they do not belong together", port,
                             found_.node->name, graph::to_text(value.shape), graph::to_text(desc.shape)));
    return {};
  }

  const DumpedTree& tree_;
  const inspect::FoundDump& file_;
  const DumpedTensors& dumped_;
  const Found found_;
  const ModelInputs& inputs_;
  Extracted& made_;
};

// Without a model: what the dump and the declaration of the type tell.
Status guess(const DumpedTensors& dumped, Operator& op) {
  const graph::Schema* schema = graph::find_schema(dumped.type);
  if (!schema) return wrong(formatted("{} is an operator of type {}, which is not known", dumped.name, dumped.type));
  for (const auto& attribute : schema->attributes)
    if (attribute.required)
      return wrong(formatted("{} needs its attribute \"{}\", which the dump does not have: give the model (--model)",
                             dumped.type, attribute.name));
  if (dumped.inputs.empty())
    return wrong(formatted("the dump of {} has no inputs: dump with \"dump_mode\":\"all\", or give the model (--model)",
                           dumped.name));
  op.node = {.name = dumped.name, .type = dumped.type};
  for (const Constant& value : dumped.inputs) {
    op.inputs.push_back({value});
    op.node.inputs.emplace_back();
    op.node.input_descs.push_back({.type = value.type, .shape = value.shape, .origin_shape = value.shape});
  }
  const auto names = graph::port_names(schema->inputs, dumped.inputs.size());
  for (size_t i = 0; i < names.size() && i < op.node.input_descs.size(); ++i) op.node.input_descs[i].name = names[i];
  const auto results = graph::port_names(schema->outputs, dumped.outputs.size());
  for (size_t i = 0; i < dumped.outputs.size(); ++i)
    op.node.outputs.push_back({.name = i < results.size() ? results[i] : formatted("y{}", i),
                               .type = dumped.outputs[i].type,
                               .shape = dumped.outputs[i].shape,
                               .origin_shape = dumped.outputs[i].shape});
  op.sources = {dumped.name};
  return graph::apply_defaults(op.node);
}

}  // namespace

Result<std::shared_ptr<const Model>> open_model(const std::filesystem::path& path) {
  std::shared_ptr<Model> model;
  if (path.extension() == ".onnx") {
    convert::ConvertOptions options;
    options.name = path.stem().string();
    model = TRY(convert::convert_onnx(path, options)).model;
  } else {
    auto file = TRY(graph::read_om(path));
    if (file.bundle || file.models.empty()) return wrong(path.string() + " holds several models; replay takes one");
    model = file.models.front();
  }
  return executor::compute_constants(std::move(model), {.threads = 1});
}

Result<Extracted> extract(const DumpedTree& tree, std::string_view name, const Model* model,
                          const ModelInputs& inputs) {
  Extracted made;
  Found found;
  std::string own(name);
  if (model) {
    found = TRY(find_node(*model, name));
    TRY(check_runs_alone(*found.node));
    own = found.node->name;
  }
  const auto files = TRY(tree.of(own));
  const auto dumped = TRY(read_tensors(files.front()));
  made.file = files.front().path;
  made.executions = files.size();
  made.op.dumped = dumped.outputs;
  if (!model) {
    TRY(guess(dumped, made.op));
    TRY(check_runs_alone(made.op.node));
    return made;
  }
  made.op.node = *found.node;
  made.op.sources = convert::original_names(*found.node);
  std::set<std::string> known;
  add_graphs(*model, *found.node, known, made.op.graphs);
  TRY(InputFinder(tree, files.front(), dumped, found, inputs, made).run());
  made.op.dumped.resize(found.node->outputs.size());
  return made;
}

}  // namespace belay::replay
