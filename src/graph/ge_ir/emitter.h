// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/pbf_writer.hpp>
#include <string>
#include <unordered_map>
#include <vector>

#include "graph/ge_ir/attribute_coding.h"
#include "graph/ge_ir/weight_store.h"
#include "graph/model/graph.h"

namespace belay::graph {

// Turns our structures into single GE IR messages.
class GeIrEmitter {
 public:
  // `weights` null: values stay in the messages. `encoder` has learnt all attributes of the model; null: they are
  // written as they are.
  GeIrEmitter(WeightStore* weights, AttributeEncoder* encoder) : weights_(weights), encoder_(encoder) {}

  std::string graph(const Graph& graph);
  // Bytes of all tensors emitted so far.
  uint64_t memory_bytes() const { return memory_bytes_; }

  // A map<string, AttrDef> as field `tag` of the message being written, in key order. The lists of `untyped` do not say
  // what they hold: so are the format's own.
  void add_map(protozero::pbf_writer& message, uint32_t tag, const Attributes& attributes,
               const Attributes& untyped = {});

 private:
  // What a tensor description needs beside the description itself.
  struct Placement {
    uint64_t offset = 0, weight_bytes = 0;
    bool padded = true;
  };
  // Where the tensors of the graph being written lie, and who uses them.
  struct Places {
    std::vector<std::vector<int64_t>> outputs;             // by node, then output
    std::vector<std::vector<std::vector<int>>> consumers;  // the same, then the nodes
    std::vector<std::vector<int>> control_consumers;       // by node
  };

  Places places_of(const Graph& graph);
  std::string node(const Graph& graph, size_t index, const Places& places);
  void add_edges(protozero::pbf_writer& op, const Graph& graph, size_t index, const Places& places);
  void add_descs(protozero::pbf_writer& op, const Graph& graph, const Node& node, const Places& places);
  std::string desc(const TensorDesc& desc, const Placement& place);
  std::string attribute(const Attribute& attribute, bool typed_lists);
  std::string list(const AttributeValue& value, bool typed);
  std::string constant(const Constant& constant);
  std::string nested_graph(const Graph& graph);

  WeightStore* weights_;
  AttributeEncoder* encoder_;
  bool nested_ = false;  // inside an attribute
  uint64_t memory_bytes_ = 0;
};

// The bookkeeping attributes of a node (model.md 2.3): which port is called what.
Attributes bookkeeping_of(const Node& node, bool with_attribute_names);

}  // namespace belay::graph
