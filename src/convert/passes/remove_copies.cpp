// SPDX-License-Identifier: Apache-2.0
#include "convert/passes/pass.h"

namespace belay::convert {

// Identity, and Dropout as inference sees it, give what they take: readers take it from the source.
PassEffect remove_copies(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    const auto& node = editor.node(i);
    if (editor.removed(i) || (node.type != "Identity" && node.type != "Dropout")) continue;
    ++effect.matched;
    const graph::Edge source = node.inputs.front();
    const auto readers = editor.users({i, 0});
    // An input that goes straight to an output keeps a node between, for the copy.
    const bool wire = graph::is_graph_input(editor.node(source.node)) || graph::is_constant(editor.node(source.node));
    bool to_output = false;
    for (const Use& use : readers) to_output |= editor.node(use.node).type == "NetOutput";
    if (wire && to_output) continue;
    editor.redirect({i, 0}, source);
    editor.remove(i);
    ++effect.effective;
  }
  return effect;
}

}  // namespace belay::convert
