// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "convert/graph_builder.h"
#include "convert/onnx/model.h"

namespace belay::convert {

class GraphImporter;

// The type of a GE operator and what its name ends in when the ONNX node becomes several operators.
struct OpName {
  OpName(const char* type) : type(type), suffix(type) {}
  OpName(std::string_view type) : type(type), suffix(type) {}
  OpName(std::string_view type, std::string suffix) : type(type), suffix(std::move(suffix)) {}
  std::string_view type;
  std::string suffix;
};

// What a mapping sees of one ONNX node, and through which it adds the GE operators that the node becomes. Operators
// get their names when the mapping is done: the ONNX node's when there is one operator, else the long form.
class NodeContext {
 public:
  NodeContext(GraphImporter& importer, const onnx::Node& node, std::string name, int64_t opset);

  const onnx::Node& node;
  const std::string name;  // the ONNX node's, made up when it has none
  const int64_t opset;
  std::string_view ge;  // the GE type of the row

  // Inputs. One that is left out, or beyond the last, is an open edge.
  size_t input_count() const { return inputs_.size(); }
  bool has(size_t input) const { return in(input).connected(); }
  Edge in(size_t input) const { return input < inputs_.size() ? inputs_[input] : Edge{}; }
  const std::vector<Edge>& inputs() const { return inputs_; }

  // What is known of a tensor.
  TensorInfo info(Edge edge) const;
  DataType type(size_t input) const { return info(in(input)).type; }
  Shape shape(size_t input) const { return info(in(input)).shape; }
  int rank(Edge edge) const;  // -1: not known
  int rank(size_t input) const { return rank(in(input)); }
  const Constant* value(size_t input) const { return info(in(input)).value; }
  std::optional<std::vector<int64_t>> ints(size_t input) const;
  std::optional<std::vector<float>> floats(size_t input) const;

  // Attributes, with what ONNX says when they are left out.
  bool given(std::string_view attribute) const { return node.find(attribute) != nullptr; }
  int64_t integer(std::string_view attribute, int64_t fallback) const;
  float real(std::string_view attribute, float fallback) const;
  std::string text(std::string_view attribute, std::string fallback) const;
  std::vector<int64_t> integers(std::string_view attribute, std::vector<int64_t> fallback = {}) const;
  std::vector<float> reals(std::string_view attribute, std::vector<float> fallback = {}) const;
  std::vector<std::string> texts(std::string_view attribute) const;
  const onnx::Graph* graph(std::string_view attribute) const;  // null: it has none

  // Outputs of the ONNX node.
  size_t output_count() const { return node.outputs.size(); }
  bool wanted(size_t output) const { return output < node.outputs.size() && !node.outputs[output].empty(); }

  // Adds a GE operator; its first output. Trailing open inputs are dropped. Errors of shape rules are kept and reported
  // for the ONNX node.
  Edge add(const OpName& op, std::vector<Edge> inputs, Attributes attributes = {}, size_t outputs = 1);
  // The same for an operator that runs other graphs of the model.
  Edge add_control(const OpName& op, std::vector<Edge> inputs, std::vector<std::string> subgraphs, size_t outputs);
  Edge constant(std::string suffix, Constant value);
  Edge int_constant(std::string suffix, const std::vector<int64_t>& values, DataType type = DataType::Int64);
  Edge int_scalar(std::string suffix, int64_t value, DataType type = DataType::Int64);
  // One number in a floating or integer type.
  Edge scalar(std::string suffix, double value, DataType type);
  Edge cast(std::string suffix, Edge x, DataType type);
  // An output of the ONNX node.
  void give(size_t output, Edge edge);
  // The outputs 0, 1... of the operator that `first` belongs to, for all that the ONNX node has.
  void give_all(Edge first);

  // The long form of names even when there is one operator, after `skipped` operators that the vendor's expansion has
  // and ours does not need.
  void force_long_names(int skipped) { long_names_ = true, skipped_ = skipped; }

  GraphImporter& importer() { return importer_; }
  Status fail(std::string why) const { return {ACL_ERROR_FEATURE_UNSUPPORTED, std::move(why)}; }
  // An axis counted from the front; an error when a tensor of that rank has it not.
  Result<size_t> axis_within(int64_t axis, int rank) const;
  // An error when a constant of that many elements would have to be made up: no model needs it, a broken file might.
  Status require_few(int64_t elements) const;

  // The first thing that went wrong while operators were added.
  const Status& status() const { return status_; }
  // Names the operators that were added. Called once, by the importer.
  void finish();

 private:
  Edge add_node(graph::Node made, const std::string& suffix);

  GraphImporter& importer_;
  std::vector<Edge> inputs_;
  std::vector<std::pair<int, std::string>> added_;  // node index and suffix
  bool long_names_ = false;
  int skipped_ = 0;
  Status status_;
};

}  // namespace belay::convert
