// SPDX-License-Identifier: Apache-2.0
#include "report/network.h"

#include <set>
#include <tuple>
#include <utility>

#include "blame/record_names.h"
#include "dump/format/names.h"

namespace belay::report {
namespace {

using blame::Execution;
using blame::Record;

constexpr std::string_view kOriginalNames = "_datadump_original_op_names";

bool is_drawn(const graph::Node& node) { return !graph::is_constant(node) && node.type != "NetOutput"; }

void add_graph(Network& network, const graph::Graph& graph) {
  std::vector<size_t> place(graph.nodes.size());
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    if (!is_drawn(node)) continue;
    place[i] =
        network.add(node.name, node.type, graph::get_or(node.attributes, kOriginalNames, std::vector<std::string>{}));
    for (size_t input = 0; input < node.inputs.size(); ++input) {
      const graph::Edge& edge = node.inputs[input];
      if (!edge.connected() || !is_drawn(graph.nodes[static_cast<size_t>(edge.node)])) continue;
      network.links.push_back(
          {place[static_cast<size_t>(edge.node)], place[i], static_cast<size_t>(edge.output), input});
    }
  }
}

// The operator of the model that a record is of; else one of its own.
size_t place_of(Network& network, const blame::RecordNames* names, const Record& record) {
  if (const int64_t known = network.find(record.op); known >= 0) return static_cast<size_t>(known);
  std::string name = names ? names->by_name(record) : "";
  for (const compare::SideTensor* output : record.outputs)
    if (names && name.empty() && output) name = names->by_origin(record, *output);
  const int64_t known = name.empty() ? -1 : network.find(name);
  if (known < 0) return network.add(record.op, record.op_type);
  network.places[record.op] = static_cast<size_t>(known);
  return static_cast<size_t>(known);
}

// By the addresses of tensors: an input is what was last written there.
void link_by_addresses(Network& network, const Execution& execution) {
  std::map<uint64_t, std::pair<size_t, size_t>> written;
  std::set<std::tuple<size_t, size_t, size_t>> known;
  for (const Record& record : execution.records) {
    const size_t place = network.places.at(record.op);
    for (size_t i = 0; i < record.inputs.size(); ++i) {
      if (!record.inputs[i] || record.inputs[i]->address == 0) continue;
      const auto found = written.find(record.inputs[i]->address);
      if (found == written.end() || found->second.first >= place) continue;
      if (known.emplace(found->second.first, place, i).second)
        network.links.push_back({found->second.first, place, found->second.second, i});
    }
    for (size_t i = 0; i < record.outputs.size(); ++i)
      if (record.outputs[i] && record.outputs[i]->address) written[record.outputs[i]->address] = {place, i};
  }
}

}  // namespace

int64_t Network::find(const std::string& name) const {
  const auto found = places.find(name);
  return found == places.end() ? -1 : static_cast<int64_t>(found->second);
}

size_t Network::add(const std::string& name, const std::string& type, std::vector<std::string> sources) {
  const auto [at, added] = places.try_emplace(name, operators.size());
  const size_t place = at->second;
  if (!added) return place;
  operators.push_back({name, type, std::move(sources)});
  places.try_emplace(dump::mangled(name), place);
  return place;
}

void Network::link_in_order() {
  if (sequence) return;
  sequence = links.empty() && operators.size() > 1;
  for (size_t i = 1; sequence && i < operators.size(); ++i) links.push_back({i - 1, i, 0, 0});
}

Network network_of(const graph::Model* model, const std::vector<Execution>& executions) {
  Network network;
  if (model)
    for (const graph::Graph& graph : model->graphs) add_graph(network, graph);
  const auto names = model ? std::make_unique<blame::RecordNames>(*model) : nullptr;
  for (const Execution& execution : executions)
    for (const Record& record : execution.records) place_of(network, names.get(), record);
  if (!model)
    for (const Execution& execution : executions) {
      link_by_addresses(network, execution);
      if (!network.links.empty()) break;
    }
  return network;
}

}  // namespace belay::report
