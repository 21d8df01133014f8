// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/model/graph.h"
#include "operators/sketch.h"

namespace belay::operators {

// A tensor as an aclnn call gives it: what a recipe needs to know of it.
struct TensorArgument {
  DataType type = DataType::Undefined;
  Shape shape;
  graph::Format format = graph::Format::ND;
  bool present = true;
};

// One argument of an aclnn call: a tensor, a list of tensors, or a value.
struct CallArgument {
  enum class Kind { Value, Tensor, Tensors };
  Kind kind = Kind::Value;
  std::vector<TensorArgument> tensors;  // one for a tensor
  Value value;
};

// An aclnn function of which we have a recipe.
struct RecipeRow {
  std::string_view function;    // "aclnnAdd", the second phase
  std::string_view parameters;  // their names, in order, with blanks between
  std::string_view recipe;
  std::string_view in_place;  // the result that goes into the first parameter; else empty
};

// A tensor of a call: which parameter, and which of its members.
struct Place {
  size_t parameter = 0, member = 0;
  Form form = Form::Plain;
  bool operator==(const Place&) const = default;
};

// The graph that computes a call. Input i of the graph is the tensor at inputs[i], result i goes to outputs[i].
struct Composition {
  graph::Graph graph;
  std::vector<Place> inputs, outputs;
  // One operator computes the whole call: it may leave parts of its outputs as they are.
  bool whole = false;
};

// Follows the recipe. 161001 for a null that is needed, 161002 for types and shapes that do not fit.
Result<Composition> compose(const RecipeRow& row, std::span<const CallArgument> arguments);

// A function that recipes call by a name in lower case.
using Options = std::vector<std::pair<std::string, Value>>;
struct Builtin {
  std::string_view name;
  Result<Value> (*run)(Sketch& sketch, const Values& arguments);
};
// The rows of each family; builtins.cpp has the list of families.
const Builtin* find_builtin(std::string_view name);

}  // namespace belay::operators
