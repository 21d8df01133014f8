// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/model/attribute.h"
#include "graph/tensor/types.h"

namespace belay::convert::onnx {

struct Graph;

// A tensor with its value, which borrows the file's bytes where the file has them as they are in memory.
struct Tensor {
  std::string name;
  graph::Constant value;
  std::string problem;  // why there is no value (strings, 4-bit types...); empty when there is one
};

// What ONNX says about the type of a graph's input or output.
struct ValueInfo {
  enum class Kind : uint8_t { Tensor, Sequence, Optional, Map, Sparse, Unknown };
  std::string name;
  Kind kind = Kind::Unknown;
  graph::DataType type = graph::DataType::Undefined;
  int64_t element = 0;  // ONNX's number of the type
  graph::Shape shape = {-2};
  std::vector<std::string> symbols;  // names of the dimensions that have one instead of a number
};

struct Attribute {
  // The numbers of AttributeProto.AttributeType.
  enum class Kind : int32_t {
    Undefined = 0,
    Float = 1,
    Int = 2,
    String = 3,
    Tensor = 4,
    Graph = 5,
    Floats = 6,
    Ints = 7,
    Strings = 8,
    Tensors = 9,
    Graphs = 10,
    SparseTensor = 11,
    SparseTensors = 12,
    Type = 13,
    Types = 14,
  };
  std::string name;
  Kind kind = Kind::Undefined;
  std::string reference;  // inside a function: the attribute of the call whose value this takes
  float f = 0;
  int64_t i = 0;
  std::string s;
  std::shared_ptr<const Tensor> t;
  std::shared_ptr<const Graph> g;
  std::vector<float> floats;
  std::vector<int64_t> ints;
  std::vector<std::string> strings;
};

struct Node {
  std::string name, type, domain;
  int64_t opset = 0;                         // of a function's node: the function's own; 0: the model's
  std::vector<std::string> inputs, outputs;  // "" stands for one left out
  std::vector<Attribute> attributes;

  // Null when the node does not have it.
  const Attribute* find(std::string_view attribute) const;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<Tensor> initializers;
  std::vector<std::string> sparse_initializers;
  std::vector<ValueInfo> inputs, outputs, values;
};

// Domain to version; the default domain is "".
using OpsetImports = std::map<std::string, int64_t, std::less<>>;

struct Function {
  std::string name, domain;
  std::vector<std::string> inputs, outputs;
  std::vector<Attribute> defaults;
  std::vector<Node> nodes;
  OpsetImports opsets;
};

struct Model {
  int64_t ir_version = 0;
  std::string producer;
  OpsetImports opsets;
  std::vector<Function> functions;
  Graph graph;
};

// "Conv (opset 13)", "com.microsoft::Gelu (opset 1)".
std::string describe(const Node& node, int64_t opset);

}  // namespace belay::convert::onnx
