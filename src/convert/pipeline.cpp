// SPDX-License-Identifier: Apache-2.0
#include "convert/pipeline.h"

#include <algorithm>

#include "convert/passes/fold_values.h"

namespace belay::convert {

void Pipeline::count(const Pass& pass, const PassEffect& effect) {
  auto found =
      std::find_if(counts_.begin(), counts_.end(), [&pass](const PassCount& known) { return known.pass == pass.name; });
  if (found == counts_.end()) found = counts_.insert(found, {std::string(pass.name), pass.ub});
  found->matched += effect.matched;
  found->effective += effect.effective;
}

Status Pipeline::run(std::span<const Pass> passes, graph::Graph& graph) {
  for (const Pass& pass : passes) {
    if (!switches_.enabled(pass.name, pass.ub)) continue;
    GraphEditor editor(graph);
    const PassEffect effect = pass.run(editor);
    count(pass, effect);
    if (effect.effective == 0) continue;
    editor.remove_dead();
    TRY(editor.finish());
  }
  return {};
}

Status Pipeline::run(std::span<const Pass> passes, graph::Model& model) {
  for (auto& graph : model.graphs) TRY(run(passes, graph));
  return {};
}

Status clean(graph::Graph& graph, const std::map<std::pair<int, int>, graph::Constant>* values) {
  GraphEditor editor(graph);
  if (values) fold_values(editor, *values);
  editor.remove_dead();
  return editor.finish();
}

}  // namespace belay::convert
