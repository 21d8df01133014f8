// SPDX-License-Identifier: Apache-2.0
// x/2 * (1 + erf(x / sqrt 2)) and x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 x^3))), in the forms exporters write.
#include <cmath>
#include <numbers>

#include "convert/passes/matching.h"
#include "convert/passes/pass.h"

namespace belay::convert {
namespace {

using graph::Edge;
using std::numbers::pi;
using std::numbers::sqrt2;

struct Match {
  std::vector<int> members;
  int last = -1;
  explicit operator bool() const { return last >= 0; }
};

// From 1 + f on: times x and times 0.5 in any order.
Match match_tail(const GraphEditor& editor, int sum, Edge x) {
  const int first = editor.only_user(sum);
  if (first < 0 || editor.node(first).type != "Mul") return {};
  const Edge factor = beside(editor.node(first), {sum, 0});
  if (factor == x) {  // (x * (1 + f)) * 0.5
    const int second = reader_with_scalar(editor, first, "Mul", 0.5);
    return second < 0 ? Match{} : Match{{first, second}, second};
  }
  if (beside_scalar(editor, first, "Mul", 0.5) == Edge{sum, 0}) {  // ((1 + f) * 0.5) * x
    const int second = editor.only_user(first);
    if (second < 0 || editor.node(second).type != "Mul" || beside(editor.node(second), {first, 0}) != x) return {};
    return {{first, second}, second};
  }
  const int half = editor.producer(factor, "Mul");  // (x * 0.5) * (1 + f)
  if (half < 0 || beside_scalar(editor, half, "Mul", 0.5) != x || editor.user_count(half) != 1) return {};
  return {{half, first}, first};
}

// What erf is taken of: x / sqrt 2.
Edge erf_source(const GraphEditor& editor, int erf) {
  const Edge input = editor.node(erf).inputs[0];
  if (editor.user_count(input.node) != 1) return {};
  const Edge divided = beside_scalar(editor, input.node, "RealDiv", sqrt2);
  return divided.connected() ? divided : beside_scalar(editor, input.node, "Mul", 1 / sqrt2);
}

// x * x * x, or x to the third.
Match match_cube(const GraphEditor& editor, Edge cube, Edge x) {
  if (beside_scalar(editor, cube.node, "Pow", 3) == x) return {{cube.node}, cube.node};
  const int outer = editor.producer(cube, "Mul");
  if (outer < 0) return {};
  const int square = editor.producer(beside(editor.node(outer), x), "Mul");
  if (square < 0 || editor.node(square).inputs[0] != x || editor.node(square).inputs[1] != x) return {};
  return {{square, outer}, outer};
}

// What tanh is taken of; x and the nodes that make it.
Match match_tanh_source(const GraphEditor& editor, int tanh, Edge& x) {
  const Edge input = editor.node(tanh).inputs[0];
  const Edge sum = beside_scalar(editor, input.node, "Mul", std::sqrt(2 / pi));
  const int add = editor.producer(sum, "Add");
  if (add < 0) return {};
  for (const size_t port : {0, 1}) {
    const Edge term = editor.node(add).inputs[port];
    const Edge cube = beside_scalar(editor, term.node, "Mul", 0.044715);
    x = editor.node(add).inputs[1 - port];
    if (!cube.connected()) continue;
    Match match = match_cube(editor, cube, x);
    if (!match) continue;
    match.members.insert(match.members.end(), {term.node, add, input.node});
    return match;
  }
  return {};
}

bool try_erf(GraphEditor& editor, int erf) {
  const Edge x = erf_source(editor, erf);
  const int sum = reader_with_scalar(editor, erf, "Add", 1);
  if (!x.connected() || sum < 0) return false;
  Match tail = match_tail(editor, sum, x);
  if (!tail) return false;
  tail.members.insert(tail.members.end(), {editor.node(erf).inputs[0].node, erf, sum});
  replace(editor, tail.members, tail.last, "GeluV2", {x}, {{"approximate", "none"}});
  return true;
}

bool try_tanh(GraphEditor& editor, int tanh) {
  Edge x;
  const Match source = match_tanh_source(editor, tanh, x);
  const int sum = reader_with_scalar(editor, tanh, "Add", 1);
  if (!source || sum < 0) return false;
  Match tail = match_tail(editor, sum, x);
  if (!tail) return false;
  tail.members.insert(tail.members.end(), source.members.begin(), source.members.end());
  tail.members.insert(tail.members.end(), {tanh, sum});
  replace(editor, tail.members, tail.last, "GeluV2", {x}, {{"approximate", "tanh"}});
  return true;
}

}  // namespace

PassEffect recognize_gelu(GraphEditor& editor) {
  PassEffect effect;
  for (int i = 0; i < editor.count(); ++i) {
    if (editor.removed(i)) continue;
    const bool erf = editor.node(i).type == "Erf";
    if (!erf && editor.node(i).type != "Tanh") continue;
    const bool done = erf ? try_erf(editor, i) : try_tanh(editor, i);
    effect.matched += done;
    effect.effective += done;
  }
  return effect;
}

}  // namespace belay::convert
