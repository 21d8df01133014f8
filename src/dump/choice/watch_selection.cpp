// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "base/closest.h"
#include "base/text.h"
#include "dump/choice/op_walk.h"
#include "dump/choice/selection.h"
#include "graph/infer/constant_nodes.h"
#include "graph/model/origin.h"

namespace belay::dump {
namespace {

void expect_known(const char* key, const std::vector<std::string>& names, const std::string& model,
                  const std::vector<const graph::Node*>& tasks, std::vector<std::string>& warnings) {
  std::vector<std::string_view> known;
  for (const graph::Node* task : tasks) known.push_back(task->name);
  for (const std::string& name : names) {
    if (std::ranges::find(known, name) != known.end()) continue;
    const auto fused = std::ranges::find_if(tasks, [&](const graph::Node* task) {
      const auto originals = graph::original_names(*task);
      return std::ranges::find(originals, name) != originals.end();
    });
    warnings.push_back(formatted("{} \"{}\" matches nothing in model \"{}\"; ", key, name, model) +
                       (fused != tasks.end() ? formatted("after fusion it is part of {}: name that", (*fused)->name)
                                             : "the closest names are " + closest_names(name, known)));
  }
}

}  // namespace

Selection select_watched(const DumpConfig& config, const std::string& name, const graph::Model& model) {
  Selection selection;
  if (config.list.empty() || !config.op_level) return selection;
  const ListItem& item = config.list.back();  // of several the last one counts
  const std::set<std::string_view> watched(item.watcher_nodes.begin(), item.watcher_nodes.end());
  const std::set<std::string_view> layers(item.layers.begin(), item.layers.end());
  const OpWalk walk(model);
  for (const graph::Node* node : walk.tasks()) {
    if (watched.contains(node->name))
      selection.nodes.emplace(node, choose_outputs(*node));
    else if ((layers.empty() || layers.contains(node->name)) && !graph::is_collective(*node))
      selection.writers.insert(node);
  }
  expect_known("watcher_nodes", item.watcher_nodes, name, walk.tasks(), selection.warnings);
  expect_known("layer", item.layers, name, walk.tasks(), selection.warnings);
  return selection;
}

}  // namespace belay::dump
