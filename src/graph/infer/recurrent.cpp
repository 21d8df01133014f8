// SPDX-License-Identifier: Apache-2.0
// Shapes of recurrent layers, time first.
#include "graph/infer/arguments.h"
#include "graph/infer/rows.h"

namespace belay::graph {
namespace {

// x [steps, batch, input], w, r: y [steps, directions, batch, hidden] and the last states [directions, batch, hidden].
Status recurrent(InferContext& c, size_t states) {
  TRY(require_inputs(c, 3));
  const Shape &x = c.shape(0), &w = c.shape(1), &r = c.shape(2);
  if (rank_known(x) && x.size() != 3) return c.fail("x must have 3 dimensions");
  const std::string direction = text_of(c.node, "direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional")
    return c.fail("direction " + direction + " is not one of forward, reverse, bidirectional");
  const int64_t directions = direction == "bidirectional" ? 2 : 1;
  int64_t hidden = int_of(c.node, "hidden_size", 0);
  if (hidden <= 0) hidden = rank_known(r) && r.size() == 3 ? r[2] : -1;
  if (rank_known(w) && (w.size() != 3 || (w[0] >= 0 && w[0] != directions)))
    return c.fail("w does not have one part for each direction");
  if (rank_known(r) && (r.size() != 3 || (r[2] >= 0 && hidden >= 0 && r[2] != hidden)))
    return c.fail("r does not fit hidden_size");
  const int64_t steps = rank_known(x) ? x[0] : -1, batch = rank_known(x) ? x[1] : -1;
  c.add_output(c.inputs[0].type, {steps, directions, batch, hidden});
  for (size_t i = 0; i < states; ++i) c.add_output(c.inputs[0].type, {directions, batch, hidden});
  return {};
}

Status lstm(InferContext& c) { return recurrent(c, 2); }
Status one_state(InferContext& c) { return recurrent(c, 1); }

constexpr InferRow rows[] = {
    {"CommonLSTM", lstm},
    {"CommonGRU", one_state},
    {"CommonRNN", one_state},
};

}  // namespace

std::span<const InferRow> infer_rows_recurrent() { return rows; }

}  // namespace belay::graph
