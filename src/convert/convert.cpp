// SPDX-License-Identifier: Apache-2.0
#include "convert/convert.h"

#include <algorithm>

#include "base/mapped_file.h"
#include "base/text.h"
#include "convert/graph_importer.h"
#include "convert/input_shapes.h"
#include "convert/onnx_reader.h"
#include "convert/pipeline.h"

namespace belay::convert {
namespace {

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

// The real inputs: those that no initializer gives a value to.
std::vector<InputSpec> real_inputs(const onnx::Graph& graph, ImportState& state) {
  std::vector<InputSpec> inputs;
  for (const auto& info : graph.inputs) {
    const bool given = std::any_of(graph.initializers.begin(), graph.initializers.end(),
                                   [&info](const onnx::Tensor& tensor) { return tensor.name == info.name; });
    if (given) continue;
    if (info.kind != onnx::ValueInfo::Kind::Tensor || info.type == DataType::Undefined || info.type == DataType::String)
      state.problems.push_back(
          {info.name, "graph input", "it is no tensor of numbers (a sequence, optional, map or string)"});
    inputs.push_back({info.name, info.type, info.shape});
  }
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

std::vector<std::string> output_names(const onnx::Graph& graph) {
  std::vector<std::string> names;
  for (const auto& output : graph.outputs) names.push_back(output.name);
  return names;
}

Result<Converted> convert(const onnx::Model& source, const ConvertOptions& options) {
  ImportState state{.opsets = source.opsets, .fold_constants = options.fold_constants};
  const auto shapes = TRY(wanted_shapes(options));
  auto inputs = real_inputs(source.graph, state);
  TRY(apply_shapes(shapes, inputs));
  GraphImporter importer(state, nullptr, options.name);
  for (auto& input : inputs) {
    if (input.shape.size() == options.input_format.size()) input.format = graph::format_named(options.input_format);
    importer.add_input(input);
  }
  importer.add_initializers(source.graph);
  importer.add_nodes(source.graph);
  std::vector<std::string> entries;
  importer.add_outputs(output_names(source.graph), &entries);
  if (!state.problems.empty()) return refusal(state.problems);

  auto model = std::make_shared<graph::Model>(std::move(state.model));
  model->name = options.name;
  model->main() = importer.builder().take();
  model->attributes["attr_model_out_nodes_name"] = entries;
  TRY(clean(model->main(), options.fold_constants ? &importer.builder().values() : nullptr));
  Pipeline pipeline(options.fusion_switch_file.empty() ? Switches{} : TRY(Switches::read(options.fusion_switch_file)));
  if (options.fuse) {
    TRY(pipeline.run(graph_passes(), *model));
    TRY(pipeline.run(ub_passes(), *model));
  }
  return Converted{std::move(model), pipeline.counts(), std::move(state.warnings)};
}

}  // namespace

Result<Converted> convert_onnx(std::span<const std::byte> image, std::shared_ptr<const void> owner,
                               const std::filesystem::path& directory, const ConvertOptions& options) {
  const auto source = TRY(onnx::read_model(image, std::move(owner), directory));
  return convert(source, options);
}

Result<Converted> convert_onnx(const std::filesystem::path& path, const ConvertOptions& options) {
  const auto file = TRY(MappedFile::open(path));
  return convert_onnx(file->bytes(), file, path.parent_path(), options);
}

}  // namespace belay::convert
