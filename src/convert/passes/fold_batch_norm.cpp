// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "convert/map/numbers.h"
#include "convert/passes/origin.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::DataType;
using Numbers = std::optional<std::vector<double>>;

// Constants of a batch normalisation, as y = x * factor + shift for each channel.
struct Affine {
  std::vector<double> factor, shift;
};

std::optional<Affine> affine_of(const GraphEditor& editor, const graph::Node& norm) {
  Numbers inputs[5];
  for (size_t i = 1; i < 5; ++i) {
    if (i >= norm.inputs.size()) return {};
    const graph::Constant* value = editor.constant(norm.inputs[i]);
    if (value) inputs[i] = read_numbers(*value);
    if (!inputs[i] || inputs[i]->size() != inputs[1]->size()) return {};
  }
  const auto epsilon = static_cast<double>(graph::get_or<float>(norm.attributes, "epsilon", 1e-4f));
  Affine affine;
  for (size_t c = 0; c < inputs[1]->size(); ++c) {
    const double factor = (*inputs[1])[c] / std::sqrt((*inputs[4])[c] + epsilon);
    affine.factor.push_back(factor);
    affine.shift.push_back((*inputs[2])[c] - (*inputs[3])[c] * factor);
  }
  return affine;
}

std::optional<graph::Constant> scaled_filter(const graph::Constant& filter, const std::vector<double>& factor) {
  auto values = read_numbers(filter);
  if (!values || filter.shape.empty() || filter.shape[0] != static_cast<int64_t>(factor.size())) return {};
  const size_t slice = values->size() / factor.size();
  for (size_t i = 0; i < values->size(); ++i) (*values)[i] *= factor[i / slice];
  return make_numbers(*values, filter.shape, filter.type);
}

// At once: all old filters together are as large as the model.
void drop_unused(GraphEditor& editor, int constant) {
  if (editor.user_count(constant) > 0) return;
  editor.remove(constant);
  editor.node(constant).attributes.erase("value");
}

// A filter that is too large to be computed into the file: the factors are multiplied in when the model is loaded.
graph::Edge multiplied_filter(GraphEditor& editor, int conv_index, graph::Edge filter,
                              const std::vector<double>& factor) {
  const std::string name = editor.node(conv_index).name;
  graph::Shape shape(editor.desc(filter).shape.size(), 1);
  shape[0] = static_cast<int64_t>(factor.size());
  const int factors =
      editor.add_constant(name + "_factor_host", make_numbers(factor, shape, DataType::Float), conv_index);
  graph::Node made{.name = name + "_filter_host", .type = "Mul", .inputs = {filter, {factors, 0}}};
  made.outputs = {editor.desc(filter)};
  for (graph::Node* node : {&editor.node(factors), &made}) set_no_origin(*node);
  return {editor.add(std::move(made), conv_index), 0};
}

std::optional<graph::Edge> folded_filter(GraphEditor& editor, int conv_index, const std::vector<double>& factor) {
  const graph::Edge filter = editor.node(conv_index).inputs[1];
  const graph::TensorDesc& desc = editor.desc(filter);
  if (const graph::Constant* value = editor.constant(filter)) {
    const auto folded = scaled_filter(*value, factor);
    if (!folded) return {};
    const int made = editor.add_constant(editor.node(conv_index).name + "_filter_host", *folded, conv_index);
    set_no_origin(editor.node(made));
    return graph::Edge{made, 0};
  }
  if (!editor.from_constants(filter) || desc.type != DataType::Float || !graph::is_known(desc.shape)) return {};
  if (desc.shape.empty() || desc.shape[0] != static_cast<int64_t>(factor.size())) return {};
  return multiplied_filter(editor, conv_index, filter, factor);
}

// y = (x * W + b) * factor + shift.
bool fold(GraphEditor& editor, int conv_index, int norm_index) {
  const auto& conv = editor.node(conv_index);
  const DataType type = editor.desc(conv.inputs[1]).type;
  const bool biased = conv.inputs.size() > 2 && conv.inputs[2].connected();
  const graph::Constant* old_bias = biased ? editor.constant(conv.inputs[2]) : nullptr;
  const auto affine = affine_of(editor, editor.node(norm_index));
  if (!affine || (biased && !old_bias)) return false;
  std::vector<double> bias = affine->shift;
  if (old_bias) {
    const auto values = read_numbers(*old_bias);
    if (!values || values->size() != bias.size()) return false;
    for (size_t c = 0; c < bias.size(); ++c) bias[c] += (*values)[c] * affine->factor[c];
  }
  const auto filter = folded_filter(editor, conv_index, affine->factor);
  if (!filter) return false;
  const auto channels = static_cast<int64_t>(bias.size());
  const int new_bias = editor.add_constant(editor.node(conv_index).name + "_bias_host",
                                           make_numbers(bias, {channels}, type), conv_index);
  set_no_origin(editor.node(new_bias));
  const graph::Node before = editor.node(conv_index), norm = editor.node(norm_index);
  const graph::Node* members[] = {&before, &norm};
  editor.set_input(conv_index, 1, *filter);
  drop_unused(editor, before.inputs[1].node);
  editor.set_input(conv_index, 2, {new_bias, 0});
  auto& result = editor.node(conv_index);
  result.outputs.front().attributes = norm.outputs.front().attributes;
  set_origin(result, members, norm);
  editor.redirect({norm_index, 0}, {conv_index, 0});
  editor.remove(norm_index);
  return true;
}

}  // namespace

// A convolution whose only reader is a batch normalisation with constant statistics takes it into its weights.
PassEffect fold_batch_norm(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    if (editor.removed(i) || (editor.node(i).type != "Conv2D" && editor.node(i).type != "Conv3D")) continue;
    const int norm = editor.only_user(i);
    if (norm < 0 || editor.node(norm).type != "BatchNorm" || editor.node(norm).inputs[0] != graph::Edge{i, 0}) continue;
    if (graph::get_or<bool>(editor.node(norm).attributes, "is_training", true)) continue;
    ++effect.matched;
    effect.effective += fold(editor, i, norm);
  }
  return effect;
}

}  // namespace belay::convert
