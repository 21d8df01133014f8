// SPDX-License-Identifier: Apache-2.0
// The float model with a narrow twin of each operator beside it, which nothing reads but what measures it.
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <set>

#include "base/text.h"
#include "bisect/network.h"
#include "convert/convert.h"
#include "convert/passes/graph_editor.h"
#include "convert/passes/origin.h"
#include "convert/passes/precision.h"

namespace belay::bisect {
namespace {

using convert::GraphEditor;
using graph::DataType;
using graph::Edge;

bool is_float(const graph::TensorDesc& desc) { return desc.type == DataType::Float; }

class Twins {
 public:
  explicit Twins(graph::Graph& graph) : graph_(graph), editor_(graph) {}

  // Which of the outputs that are added measure operator `of`: pairs of error and magnitude.
  void add(int index, size_t of) {
    graph::Node twin = editor_.node(index);
    twin.name += "_narrow";
    convert::set_no_origin(twin);
    names_.push_back(twin.name);
    types_.insert(twin.type);
    const int made = editor_.add(std::move(twin), index);
    for (size_t i = 0; i < editor_.node(index).outputs.size(); ++i) {
      const Edge plain{index, static_cast<int>(i)}, narrow{made, static_cast<int>(i)};
      if (!is_float(editor_.desc(plain)) || !graph::is_known(editor_.desc(plain).shape)) continue;
      const int error = op("Sub", {narrow, plain}, editor_.desc(plain), index);
      results_.push_back({of, sum_of_magnitudes({error, 0}, index), sum_of_magnitudes(plain, index)});
    }
  }

  // Makes the measurements the only outputs; which operator each pair of them is of.
  Result<std::vector<size_t>> finish(Narrow narrow) {
    auto& output = graph_.nodes[static_cast<size_t>(graph_.output_node())];
    for (size_t i = 0; i < output.inputs.size(); ++i) editor_.set_input(graph_.output_node(), i, {});
    output.inputs.clear();
    output.input_descs.clear();
    std::vector<size_t> of;
    for (const Measured& result : results_) {
      for (const int node : {result.error, result.magnitude})
        editor_.set_input(graph_.output_node(), output.inputs.size(), {node, 0});
      of.push_back(result.of);
    }
    editor_.remove_dead();
    TRY(editor_.finish());
    convert::PrecisionRules rules{.mode = narrow == Narrow::Half ? convert::Precision::Half
                                                                 : convert::Precision::MixedBrain};
    const std::set<std::string> twins(names_.begin(), names_.end());
    for (const auto& node : graph_.nodes)
      if (!twins.contains(node.name)) rules.kept.names.insert(node.name);
    for (const auto& type : types_) rules.lists[type] = convert::MixList::White;
    convert::CastCounter casts;
    TRY(convert::apply_precision(graph_, rules, casts));
    return of;
  }

 private:
  struct Measured {
    size_t of;
    int error, magnitude;  // nodes
  };

  int op(const char* type, std::vector<Edge> inputs, graph::TensorDesc result, int place) {
    graph::Node node{.name = formatted("{}_{}", type, made_++), .type = type, .inputs = std::move(inputs)};
    result.attributes.clear();
    node.outputs = {std::move(result)};
    return editor_.add(std::move(node), place);
  }

  int sum_of_magnitudes(Edge edge, int place) {
    const auto desc = editor_.desc(edge);
    const int magnitude = op("Abs", {edge}, desc, place);
    std::vector<int64_t> axes(desc.shape.size());
    for (size_t i = 0; i < axes.size(); ++i) axes[i] = static_cast<int64_t>(i);
    if (axes.empty()) return magnitude;
    const int all =
        editor_.add_constant(formatted("axes_{}", made_++),
                             graph::make_constant(DataType::Int64, {static_cast<int64_t>(axes.size())}, axes), place);
    graph::TensorDesc scalar = desc;
    scalar.shape = scalar.origin_shape = {};
    return op("ReduceSum", {{magnitude, 0}, {all, 0}}, scalar, place);
  }

  graph::Graph& graph_;
  GraphEditor editor_;
  int made_ = 0;
  std::vector<std::string> names_;
  std::set<std::string> types_;
  std::vector<Measured> results_;
};

float number(const Array& array) {
  float value = 0;
  if (array.bytes.size() >= sizeof value) std::memcpy(&value, array.bytes.data(), sizeof value);
  return value;
}

}  // namespace

Result<std::vector<double>> Network::sensitivity(const std::vector<Operator>& operators) const {
  auto single = options();
  single.group = false;
  const auto model = TRY(convert::convert_onnx(model_, single)).model;
  std::map<std::string, size_t> places;
  for (size_t i = 0; i < operators.size(); ++i)
    for (const auto& node : operators[i].nodes) places.emplace(node, i);
  std::vector<double> scores(operators.size(), 0);
  Twins twins(model->main());
  const int count = static_cast<int>(model->main().nodes.size());
  for (int i = 0; i < count; ++i)
    if (const auto found = places.find(model->main().nodes[static_cast<size_t>(i)].name); found != places.end())
      twins.add(i, found->second);
  const auto of = TRY(twins.finish(narrow_));
  if (of.empty()) return scores;
  const auto results = TRY(run(model));
  for (size_t i = 0; i < of.size(); ++i) {
    const double error = number(results[2 * i]), magnitude = number(results[2 * i + 1]);
    const double score = std::isfinite(error)       ? error / std::max(magnitude, 1e-30)
                         : std::isfinite(magnitude) ? std::numeric_limits<double>::infinity()
                                                    : 0;
    scores[of[i]] = std::max(scores[of[i]], score);
  }
  return scores;
}

}  // namespace belay::bisect
