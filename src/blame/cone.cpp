// SPDX-License-Identifier: Apache-2.0
#include "blame/cone.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "exact/value.h"
#include "graph/infer/infer.h"

namespace belay::blame {
namespace {

using graph::Edge;
using graph::Node;

// Gathers what an operator is computed from, back to what is known.
class Gathering {
 public:
  Result<Edge> edge_of(const Held& held) {
    if (!held.present) return Edge{};
    if (held.derived) {
      const int node = TRY(add_derived(*held.derived));
      return Edge{node, static_cast<int>(held.derived_output)};
    }
    if (!held.source) return Status{ACL_ERROR_INVALID_PARAM, held.missing};
    return leaf(held);
  }
  int add(const Node& node, std::vector<Edge> inputs) {
    Node copy = node;
    copy.inputs = std::move(inputs);
    copy.control_inputs.clear();
    graph_->nodes.push_back(std::move(copy));
    return static_cast<int>(graph_->nodes.size()) - 1;
  }
  Cone finish(const Node& node, int last) && {
    Node results{.name = "results", .type = "NetOutput"};
    for (size_t o = 0; o < node.outputs.size(); ++o) {
      results.inputs.push_back({last, static_cast<int>(o)});
      results.input_descs.push_back(node.outputs[o]);
    }
    graph_->name = node.name;
    graph_->nodes.push_back(std::move(results));
    cone_.node.name = node.name;
    cone_.node.type = node.type;
    cone_.node.outputs = node.outputs;
    for (const char* kept : {"_datadump_original_op_names"})
      if (const auto found = node.attributes.find(kept); found != node.attributes.end())
        cone_.node.attributes[kept] = found->second;
    cone_.node.attributes[std::string(graph::kMembers)] = graph_;
    return std::move(cone_);
  }

 private:
  Edge leaf(const Held& held) {
    const auto known = leaves_.find(held.source.get());
    if (known != leaves_.end()) return {known->second, 0};
    Node data{.name = formatted("leaf{}", cone_.inputs.size()), .type = "Data"};
    graph::TensorDesc desc;
    desc.type = held.source->type();
    desc.shape = desc.origin_shape = held.source->shape();
    data.outputs = {desc};
    data.attributes["index"] = static_cast<int64_t>(cone_.inputs.size());
    cone_.inputs.push_back(held);
    cone_.node.input_descs.push_back(desc);
    cone_.node.inputs.push_back({0, 0});
    graph_->nodes.push_back(std::move(data));
    return {leaves_[held.source.get()] = static_cast<int>(graph_->nodes.size()) - 1, 0};
  }
  Result<int> add_derived(const Derivation& derivation) {
    if (const auto known = derived_.find(&derivation); known != derived_.end()) return known->second;
    std::vector<Edge> inputs;
    for (const Held& input : derivation.inputs) inputs.push_back(TRY(edge_of(input)));
    cone_.unrecorded.push_back(derivation.node->name);
    return derived_[&derivation] = add(*derivation.node, std::move(inputs));
  }

  Cone cone_;
  std::shared_ptr<graph::Graph> graph_ = std::make_shared<graph::Graph>();
  std::map<const compare::ElementSource*, int> leaves_;
  std::map<const Derivation*, int> derived_;
};

}  // namespace

Result<Cone> make_cone(const Node& node, const std::vector<Held>& read) {
  Gathering gathering;
  std::vector<Edge> inputs;
  for (const Held& held : read) inputs.push_back(TRY(gathering.edge_of(held)));
  const int last = gathering.add(node, std::move(inputs));
  return std::move(gathering).finish(node, last);
}

}  // namespace belay::blame
