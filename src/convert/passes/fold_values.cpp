// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/fold_values.h"

#include <algorithm>

#include "base/text.h"
#include "convert/passes/origin.h"

namespace belay::convert {
namespace {

// All outputs that anybody reads have a value: the node itself need not run.
bool folded(const GraphEditor& editor, const std::map<std::pair<int, int>, graph::Constant>& values, int index) {
  const auto& outputs = editor.node(index).outputs;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const graph::Edge edge{index, static_cast<int>(i)};
    if (!editor.users(edge).empty() && !values.contains({index, edge.output})) return false;
  }
  return true;
}

}  // namespace

void fold_values(GraphEditor& editor, const std::map<std::pair<int, int>, graph::Constant>& values) {
  int number = 0;
  for (const auto& [place, value] : values) {
    const graph::Edge edge{place.first, place.second};
    const auto readers = editor.users(edge);
    const bool wanted = std::any_of(readers.begin(), readers.end(), [&](const Use& use) {
      return use.node >= editor.count() || !folded(editor, values, use.node) || editor.node(use.node).outputs.empty();
    });
    if (!wanted) continue;
    const int made = editor.add_constant(formatted("dynamic_const_{}_{}", number++, edge.output), value, edge.node);
    set_no_origin(editor.node(made));
    auto& desc = editor.node(made).outputs.front();
    desc.format = desc.origin_format = editor.desc(edge).format;
    editor.redirect(edge, {made, 0});
  }
}

}  // namespace belay::convert
