// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "convert/graph_builder.h"
#include "graph/model/graph.h"

namespace belay::operators {

using graph::DataType;
using graph::Shape;

// How the elements of a tensor lie in memory: in the order of its dimensions; as its format says; in FRACTAL_NZ,
// whatever its format says.
enum class Form : uint8_t { Plain, Labelled, Fractal };

// What an expression of a recipe is worth: a tensor of the graph that is being made, or something known now.
struct Value {
  // Like: type and shape of a tensor that is not read. Absent: `text` says which parameter was null.
  enum class Kind { Absent, Tensor, Like, Number, Numbers, Text, List };

  Kind kind = Kind::Absent;
  // Of a tensor; the type also of a number: Bool, Int64 or Float.
  DataType type = DataType::Undefined;
  Shape shape;
  graph::Edge edge;
  double number = 0;    // integers up to 2^53 are exact
  int64_t integer = 0;  // of a Float: without its fraction, limited to the range
  std::vector<double> numbers;
  std::vector<int64_t> integers;  // the same numbers
  std::string text;
  std::vector<Value> list;
  bool any_type = false;    // may be stored as any type, also of a lower category
  Form form = Form::Plain;  // how it is stored

  bool present() const { return kind != Kind::Absent; }
  bool is_tensor() const { return kind == Kind::Tensor; }
  size_t rank() const { return shape.size(); }
  bool whole() const { return type == DataType::Int64 || type == DataType::Bool; }  // of a number
  const std::vector<int64_t>& ints() const { return integers; }
  void add_number(double real, int64_t whole) { numbers.push_back(real), integers.push_back(whole); }

  static Value of(DataType type, double number, int64_t integer) {
    Value made{.kind = Kind::Number, .type = type};
    made.number = number;
    made.integer = integer;
    return made;
  }
  static Value of(int64_t value) { return of(DataType::Int64, static_cast<double>(value), value); }
  static Value of(double value) { return of(DataType::Float, value, limited(value)); }
  static Value of(bool value) { return of(DataType::Bool, value, value); }
  static Value of(std::string text) {
    Value made{.kind = Kind::Text};
    made.text = std::move(text);
    return made;
  }
  static Value ints(const std::vector<int64_t>& values) {
    Value made{.kind = Kind::Numbers};
    made.numbers.assign(values.begin(), values.end());
    made.integers = values;
    return made;
  }
  // Towards zero; what no integer of 64 bits can be becomes the nearest that is one, a NaN 0.
  static int64_t limited(double value) {
    constexpr double end = 9223372036854775808.0;  // 2^63
    if (value != value) return 0;
    return value >= end ? INT64_MAX : value <= -end ? INT64_MIN : static_cast<int64_t>(value);
  }
  static Value many(std::vector<Value> values) {
    Value made{.kind = Kind::List};
    made.list = std::move(values);
    return made;
  }
};

using Values = std::vector<Value>;

// 161002 with the sentence.
Status invalid(std::string why);
// 161001 naming the parameter when it was null.
Status need(const Value& value);

// The graph of an aclnn call as it grows: nodes are inferred when they are added. Errors are 161002.
class Sketch {
 public:
  Sketch() : builder_(nullptr, "aclnn") {}

  // A new input of the graph.
  Value input(DataType type, const Shape& shape, graph::Format format);
  // A tensor that is known now, of any number type.
  Value constant(DataType type, const Shape& shape, const std::vector<double>& values);
  Value constant(DataType type, const Shape& shape, const std::vector<int64_t>& values);
  Value scalar(DataType type, double value) { return constant(type, {}, std::vector<double>{value}); }
  Value indices(const std::vector<int64_t>& values);  // Int64, of one dimension

  // Adds an operator. Numbers and lists of numbers among the inputs become constants (Int64 or Float); lists of tensors
  // spread over a dynamic port.
  Result<Values> ops(const std::string& type, const Values& inputs, graph::Attributes attributes = {},
                     size_t outputs = 0);
  Result<Value> op(const std::string& type, const Values& inputs, graph::Attributes attributes = {});

  Result<Value> cast(const Value& value, DataType type);  // a number becomes a constant
  Result<Value> reshape(const Value& value, const Shape& shape);
  Result<Value> permute(const Value& value, const std::vector<int64_t>& order);
  Result<Value> expand(const Value& value, const Shape& shape);

  size_t input_count() const { return static_cast<size_t>(inputs_); }
  // Whether values of 16 bits are rounded before something is computed from them (roundings.h). Before finish().
  bool rounds_on_the_way() const;
  // Ends the graph with these results.
  graph::Graph finish(const Values& results);

 private:
  Value output_of(int node, size_t output) const;
  template <class S>
  Value add_constant(DataType type, const Shape& shape, const std::vector<S>& values);
  Value number(DataType type, const Value& value);

  convert::GraphBuilder builder_;
  int inputs_ = 0, names_ = 0;
  std::vector<int> inexact_;  // constants that their type of 16 bits could not hold
};

}  // namespace belay::operators
