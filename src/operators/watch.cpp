// SPDX-License-Identifier: Apache-2.0
#include "operators/watch.h"

namespace belay::operators {

using backend::Tensor;
using executor::RunInfo;

bool Relay::wants(const graph::Node& node) const {
  return !graph::is_graph_input(node) && !graph::is_constant(node) && node.type != "NetOutput";
}

graph::Node Relay::shown(const graph::Node& node) const {
  graph::Node made = node;
  if (watch_->type.empty()) return made;
  made.name = node.type + watch_->name_suffix;
  made.type = watch_->type;
  return made;
}

void Relay::starts(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs) {
  if (watch_) watch_->observer->starts(run, shown(node), inputs);
}

void Relay::ran(const RunInfo& run, const graph::Node& node, std::span<const Tensor> inputs,
                std::span<const Tensor> outputs) {
  if (watch_) watch_->observer->ran(run, shown(node), inputs, outputs);
}

}  // namespace belay::operators
