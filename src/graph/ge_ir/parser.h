// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

#include "base/status.h"
#include "graph/ge_ir/attribute_coding.h"
#include "graph/ge_ir/reader.h"
#include "graph/model/graph.h"

namespace belay::graph {

// Turns single GE IR messages into ours. Malformed bytes end in protozero's exceptions, everything else in a Status.
class GeIrParser {
 public:
  GeIrParser(std::span<const std::byte> weights, std::shared_ptr<const void> owner)
      : weights_(weights), owner_(std::move(owner)) {}

  // How operator and tensor attributes are coded from now on.
  void set_decoder(const AttributeDecoder* decoder) { decoder_ = decoder; }

  Status parse_graph(protozero::pbf_reader message, Graph& graph);
  // One entry of a map<string, AttrDef>.
  Status parse_map_entry(protozero::pbf_reader message, Attributes& attributes);

 private:
  // An OpDef before its producers are known by number.
  struct RawNode {
    Node node;
    int64_t id = 0;
    std::vector<std::string> inputs;  // "producer:output", "producer:-1", ""
  };
  // What a TensorDescriptor says about where the value lies.
  struct Placement {
    uint64_t offset = 0, bytes = 0;
  };

  Status parse_node(protozero::pbf_reader message, RawNode& raw);
  Status parse_attribute(protozero::pbf_reader message, AttributeValue& value);
  Status parse_list(protozero::pbf_reader message, AttributeValue& value);
  Status parse_desc(protozero::pbf_reader message, TensorDesc& desc, Placement* placement = nullptr);
  Status parse_constant(protozero::pbf_reader message, Constant& constant);
  Status parse_nested_graph(protozero::pbf_reader message, AttributeValue& value);

  std::span<const std::byte> weights_;
  std::shared_ptr<const void> owner_;
  const AttributeDecoder* decoder_ = nullptr;
  int depth_ = 0;  // of the attribute being parsed
};

}  // namespace belay::graph
