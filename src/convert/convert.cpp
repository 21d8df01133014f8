// SPDX-License-Identifier: Apache-2.0
#include "convert/convert.h"

#include <algorithm>
#include <set>

#include "backend/known_operators.h"
#include "base/files/file.h"
#include "base/files/mapped_file.h"
#include "base/text.h"
#include "convert/atc/aipp.h"
#include "convert/atc/gears.h"
#include "convert/atc/input_shapes.h"
#include "convert/atc/outputs.h"
#include "convert/onnx/functions.h"
#include "convert/onnx/graph_importer.h"
#include "convert/onnx/name_check.h"
#include "convert/onnx/opset_check.h"
#include "convert/onnx/reader.h"
#include "convert/onnx/types.h"
#include "convert/passes/precision.h"
#include "convert/pipeline.h"
#include "graph/tensor/sizes.h"

namespace belay::convert {
namespace {

constexpr size_t largest_config = 1 << 20;

// All problems in one text, one line each.
Status refusal(const std::vector<Problem>& problems) {
  std::string text =
      formatted("{} part{} of the model cannot be converted:", problems.size(), problems.size() == 1 ? "" : "s");
  for (const auto& problem : problems) text += formatted("\n  {}: {}: {}", problem.node, problem.what, problem.reason);
  return {ACL_ERROR_FEATURE_UNSUPPORTED, std::move(text), "E16002"};
}

Result<std::vector<InputShape>> wanted_shapes(const ConvertOptions& options) {
  if (options.input_shape.empty()) return parse_input_shape_range(options.input_shape_range);
  return parse_input_shape(options.input_shape);
}

// Why a graph's input cannot be one of a GE graph; "" when it can.
std::string problem_of(const onnx::ValueInfo& info) {
  switch (info.kind) {
    case onnx::ValueInfo::Kind::Sequence:
      return "it is a sequence, whose length is not known; give its elements as inputs";
    case onnx::ValueInfo::Kind::Optional:
      return "it is an optional; give a tensor, or leave the input out";
    case onnx::ValueInfo::Kind::Map:
      return "it is a map, which is not supported";
    case onnx::ValueInfo::Kind::Sparse:
      return "it is a sparse tensor, which is not supported; give a dense one";
    case onnx::ValueInfo::Kind::Unknown:
      return "its type is not known";
    case onnx::ValueInfo::Kind::Tensor:
      break;
  }
  if (info.type == DataType::String) return "it is a tensor of strings, which are not supported";
  return onnx::is_supported(info.element)
             ? ""
             : formatted("element type {} is not supported", onnx::type_name(info.element));
}

// The real inputs: those that no initializer gives a value to.
Result<std::vector<InputSpec>> real_inputs(const onnx::Graph& graph) {
  std::vector<InputSpec> inputs;
  std::vector<Problem> problems;
  for (const auto& info : graph.inputs) {
    const bool given = std::any_of(graph.initializers.begin(), graph.initializers.end(),
                                   [&info](const onnx::Tensor& tensor) { return tensor.name == info.name; });
    if (given) continue;
    if (std::string problem = problem_of(info); !problem.empty())
      problems.push_back({info.name, "graph input", std::move(problem)});
    inputs.push_back({info.name, info.type, info.shape});
  }
  if (!problems.empty()) return refusal(problems);
  return inputs;
}

Status apply_shapes(const std::vector<InputShape>& shapes, std::vector<InputSpec>& inputs) {
  for (const auto& wanted : shapes) {
    const auto found = std::find_if(inputs.begin(), inputs.end(),
                                    [&wanted](const InputSpec& input) { return input.name == wanted.name; });
    if (found == inputs.end()) {
      std::string names;
      for (const auto& input : inputs) names += (names.empty() ? "" : ", ") + input.name;
      return {ACL_ERROR_INVALID_PARAM,
              formatted("--input_shape: the model has no input {}; its inputs are {}", wanted.name, names), "E10001"};
    }
    found->shape = wanted.shape;
    found->range = wanted.range;
  }
  return {};
}

Result<std::vector<InputSpec>> choose_inputs(const onnx::Graph& graph, const ConvertOptions& options) {
  const auto shapes = TRY(wanted_shapes(options));
  auto inputs = TRY(real_inputs(graph));
  TRY(apply_shapes(shapes, inputs));
  for (const auto& input : inputs)
    if (const std::string problem = graph::too_large(input.type, input.shape); !problem.empty())
      return Status{ACL_ERROR_INVALID_PARAM, formatted("input {}, {}", input.name, problem), "E10001"};
  for (auto& input : inputs)
    if (input.shape.size() == options.input_format.size()) input.format = graph::format_named(options.input_format);
  return inputs;
}

// What is asked of every graph that is made: once, or for each gear.
struct Job {
  onnx::Model& source;
  const ConvertOptions& options;
  std::vector<OutputSpec> outputs;
  PrecisionRules rules;
  std::vector<AippConfig> aipp;
  Pipeline pipeline;
  std::set<std::string> nodes;  // the names of the source's
  std::vector<std::string> warnings;
  bool last = true;  // no graph is made after this one
};

Result<graph::Model> import_graph(Job& job, const std::vector<InputSpec>& inputs) {
  const ConvertOptions& options = job.options;
  ImportState state{.opsets = job.source.opsets, .fold_constants = options.fold_constants};
  GraphImporter importer(state, nullptr, options.name);
  for (const auto& input : inputs) importer.add_input(input);
  importer.add_initializers(job.source.graph);
  importer.add_nodes(job.source.graph);
  std::vector<std::string> tensors, entries;
  for (const auto& output : job.outputs) tensors.push_back(output.tensor);
  importer.add_outputs(tensors, &entries);
  if (!state.problems.empty()) return refusal(state.problems);
  for (size_t i = 0; i < entries.size(); ++i)
    if (job.outputs[i].named_by_node) entries[i].resize(entries[i].size() - tensors[i].size() - 1);

  graph::Model model = std::move(state.model);
  model.name = options.name;
  model.main() = importer.builder().take();
  model.attributes["attr_model_out_nodes_name"] = entries;
  job.warnings.insert(job.warnings.end(), state.warnings.begin(), state.warnings.end());
  TRY(clean(model.main(), options.fold_constants ? &importer.builder().values() : nullptr));
  return model;
}

Result<graph::Model> make_model(Job& job, const std::vector<InputSpec>& inputs) {
  graph::Model model = TRY(import_graph(job, inputs));
  if (job.last) job.source.graph = {};  // weights that passes replace are not kept twice
  if (job.options.fuse) TRY(job.pipeline.run(graph_passes(), model));
  TRY(insert_aipp(model.main(), job.aipp, job.options.insert_op_conf));
  CastCounter casts;
  if (job.last)
    for (auto& idle : idle_rules(job.rules, model, job.nodes)) job.warnings.push_back(std::move(idle));
  TRY(apply_precision(model.main(), job.rules, casts));
  for (size_t i = 0; i < job.outputs.size(); ++i)
    if (job.outputs[i].type) TRY(cast_output(model.main(), i, *job.outputs[i].type, casts));
  if (job.options.fuse && job.options.group) TRY(job.pipeline.run(ub_passes(), model));
  return model;
}

Result<std::vector<AippConfig>> read_aipp(const std::string& path) {
  if (path.empty()) return std::vector<AippConfig>{};
  return parse_aipp(TRY(read_text(path, largest_config)));
}

Result<Converted> convert(onnx::Model source, const ConvertOptions& options) {
  TRY(onnx::inline_functions(source));
  TRY(check_names(source.graph));
  TRY(check_opsets(source));
  const auto inputs = TRY(choose_inputs(source.graph, options));
  const auto gears = TRY(parse_gears(options, inputs));
  // Not inside the braces below: g++ 12 forgets the members that are made when a later TRY returns.
  auto outputs = TRY(choose_outputs(source.graph, options));
  auto rules = TRY(read_precision_rules(options));
  auto aipp = TRY(read_aipp(options.insert_op_conf));
  auto switches = options.fusion_switch_file.empty() ? Switches{} : TRY(Switches::read(options.fusion_switch_file));
  std::set<std::string> nodes;
  for (const auto& node : source.graph.nodes) nodes.insert(node.name);
  Job job{source,           options,         std::move(outputs),
          std::move(rules), std::move(aipp), Pipeline(std::move(switches)),
          std::move(nodes)};
  auto model = std::make_shared<graph::Model>();
  if (gears) {
    std::vector<graph::Model> models;
    for (size_t i = 0; i < gears->values.size(); ++i) {
      job.last = i + 1 == gears->values.size();
      models.push_back(TRY(make_model(job, gears->sized(inputs, i))));
    }
    *model = TRY(join_gears(std::move(models), *gears, inputs, options.name));
  } else {
    *model = TRY(make_model(job, inputs));
  }
  if (const std::string problems = backend::operators_without_kernel(*model); !problems.empty())
    return Status{ACL_ERROR_FEATURE_UNSUPPORTED, problems, "E16002"};
  model->attributes["framework_type"] = "Onnx";
  model->attributes["soc_version"] = options.soc_version;
  model->attributes["atc_version"] = "belay";
  if (!options.command_line.empty()) model->attributes["atc_cmdline"] = options.command_line;
  return Converted{std::move(model), job.pipeline.counts(), std::move(job.warnings)};
}

}  // namespace

Result<Converted> convert_onnx(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                               const std::filesystem::path& directory, const ConvertOptions& options) {
  return convert(TRY(onnx::read_model(image, std::move(owner), directory)), options);
}

Result<Converted> convert_onnx(const std::filesystem::path& path, const ConvertOptions& options) {
  const auto file = TRY(MappedFile::open(path));
  auto model = onnx::read_model(file->bytes(), file, path.parent_path());
  if (!model.ok()) return Status{model.status().code, formatted("{}: {}", path.string(), model.status().message)};
  return convert(std::move(model).value(), options);
}

}  // namespace belay::convert
