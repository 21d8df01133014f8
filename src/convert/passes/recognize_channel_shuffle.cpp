// SPDX-License-Identifier: Apache-2.0
// Channels seen as groups (Reshape), turned (Transpose), and seen as channels again (Reshape): ShuffleChannel.
#include "convert/map/numbers.h"
#include "convert/passes/matching.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::Edge;
using graph::Shape;

// Whether a Transpose exchanges dimensions 1 and 2 and leaves the others.
bool exchanges_groups(const GraphEditor& editor, int transpose) {
  const graph::Constant* value = editor.constant(editor.node(transpose).inputs[1]);
  const auto order = value ? read_ints(*value) : std::nullopt;
  if (!order || order->size() < 4) return false;
  for (int64_t d = 0; d < static_cast<int64_t>(order->size()); ++d)
    if ((*order)[static_cast<size_t>(d)] != (d == 1 ? 2 : d == 2 ? 1 : d)) return false;
  return true;
}

// The number of groups when `seen` is x with its channels in groups; 0. The batch may be unknown: the rest leaves no
// other.
int64_t groups_of(const Shape& x, const Shape& seen) {
  if (x.size() < 3 || seen.size() < 4 || x[0] != seen[0] || x[1] <= 0 || seen[1] <= 0 || seen[2] <= 0) return 0;
  int64_t places = 1, seen_places = 1;
  for (size_t d = 2; d < x.size(); ++d) places = x[d] < 0 ? 0 : places * x[d];
  for (size_t d = 3; d < seen.size(); ++d) seen_places = seen[d] < 0 ? 0 : seen_places * seen[d];
  const bool same = places > 0 && places == seen_places && seen[1] * seen[2] == x[1];
  return same ? seen[1] : 0;
}

bool try_shuffle(GraphEditor& editor, int last) {
  const int transpose = editor.producer(editor.node(last).inputs[0], "Transpose");
  if (transpose < 0 || editor.only_user(transpose) != last || !exchanges_groups(editor, transpose)) return false;
  const int first = editor.producer(editor.node(transpose).inputs[0], "Reshape");
  if (first < 0 || editor.only_user(first) != transpose) return false;
  const Edge x = editor.node(first).inputs[0];
  const Shape& shape = editor.desc(x).shape;
  const int64_t group = groups_of(shape, editor.desc({first, 0}).shape);
  if (group == 0 || editor.desc({last, 0}).shape != shape) return false;
  replace(editor, {first, transpose, last}, last, "ShuffleChannel", {x}, {{"group", group}});
  return true;
}

}  // namespace

PassEffect recognize_channel_shuffle(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    if (editor.removed(i) || editor.node(i).type != "Reshape") continue;
    const bool done = try_shuffle(editor, i);
    effect.matched += done;
    effect.effective += done;
  }
  return effect;
}

}  // namespace belay::convert
