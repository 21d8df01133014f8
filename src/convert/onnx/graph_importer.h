// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "convert/graph_builder.h"
#include "convert/onnx/import_state.h"
#include "convert/onnx/model.h"

namespace belay::convert {

// A graph input as it is to be: from the ONNX file, or as the options want it.
struct InputSpec {
  std::string name;
  DataType type = DataType::Float;
  Shape shape;
  graph::Format format = graph::Format::ND;
  std::vector<std::pair<int64_t, int64_t>> range;
};

// What a name stands for that is no tensor: a sequence of known length, or an optional with one element or none. The
// elements are names of tensors; an optional's may be one of a sequence.
struct Collection {
  enum class Kind : uint8_t { Sequence, Optional };
  Kind kind;
  std::vector<std::string> elements;
};

// Turns one ONNX graph into a GE graph. Graphs of control flow have an importer of their own, whose parent is the one
// of the graph around it; what they use from outside becomes an input of theirs.
class GraphImporter {
 public:
  GraphImporter(ImportState& state, GraphImporter* parent, std::string name);

  // A value of the graph around that this graph uses: an input, in order of first use.
  struct Capture {
    std::string tensor;
    int data;  // our Data node
  };

  Edge add_input(const InputSpec& spec);
  // One that is no tensor of the ONNX graph: its name is the node's alone.
  Edge add_unnamed_input(const InputSpec& spec);
  void add_initializers(const onnx::Graph& graph);
  void add_nodes(const onnx::Graph& graph);
  // Adds NetOutput. `entries` gets the texts of attr_model_out_nodes_name.
  void add_outputs(const std::vector<std::string>& tensors, std::vector<std::string>* entries);

  // Where a tensor comes from; captured from the graph around when it is not of this one. Open when nobody makes it.
  Edge find(const std::string& tensor);
  void bind(const std::string& tensor, Edge edge) { values_[tensor] = edge; }
  void bind_collection(const std::string& name, Collection collection) { collections_[name] = std::move(collection); }
  // What the names stand for, to be put back behind the body of a node that gets no graph of its own.
  struct Names {
    std::map<std::string, Edge, std::less<>> values;
    std::map<std::string, Collection, std::less<>> collections;
    std::map<std::string, const onnx::ValueInfo*, std::less<>> declared;
  };
  Names names() const { return {values_, collections_, declared_}; }
  void put_back(Names names);
  // Of this graph or one around it; null when there is none of that name.
  const Collection* collection(const std::string& name) const;
  const std::vector<Capture>& captures() const { return captures_; }
  // A Data node for a value of the graph around, made when there is none yet.
  int capture(const std::string& tensor);

  // Adds an operator under a name of this graph; for what no ONNX node stands for. Errors are kept as problems.
  Edge add_operator(const std::string& wish, const std::string& type, std::vector<Edge> inputs,
                    Attributes attributes = {});
  Edge add_constant(const std::string& wish, Constant value);
  // Says which inputs of the node around the Data nodes stand for: one after the other, from `first_port` on.
  void set_parent_ports(const std::vector<int>& data_nodes, int first_port);
  // Takes folded values in, drops what is dead, and hands the graph to the model.
  Status hand_over();

  // A node name nobody has yet: the wish, or the wish with a number.
  std::string unique_name(const std::string& wish);

  ImportState& state() { return state_; }
  GraphBuilder& builder() { return builder_; }
  bool inner() const { return parent_ != nullptr; }
  const std::string& name() const { return builder_.graph().name; }
  // What the ONNX file says about a tensor; null when it says nothing.
  const onnx::ValueInfo* declared(const std::string& tensor) const;

 private:
  void add_node(const onnx::Node& node);
  void problem(const onnx::Node& node, const std::string& name, int64_t opset, std::string reason,
               Problem::Cause cause = Problem::Cause::Unknown);
  // Something for later nodes to hang on to, so that their own problems are found in the same run.
  void stand_in(const std::string& tensor, const std::string& name, const std::string& type);
  std::string why_no_output(const std::string& tensor) const;
  // Outputs that shape rules left unknown take what the file declares.
  void use_declared(const onnx::Node& node);

  ImportState& state_;
  GraphImporter* const parent_;
  GraphBuilder builder_;
  std::map<std::string, Edge, std::less<>> values_;
  std::map<std::string, Collection, std::less<>> collections_;
  std::map<std::string, const onnx::ValueInfo*, std::less<>> declared_;
  std::set<std::string, std::less<>> names_;
  std::vector<Capture> captures_;
};

}  // namespace belay::convert
