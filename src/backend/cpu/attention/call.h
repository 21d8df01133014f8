// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "backend/cpu/attention/keys.h"
#include "backend/cpu/attention/mask.h"
#include "backend/cpu/attention/shift.h"

namespace belay::backend::cpu::attention {

// An attention call made ready: what is where, and which numbers it has. Forward and backward functions share it.
struct Call {
  bool training = false;
  Layouts layouts;
  std::string label;
  int query = -1, query_rope = -1, sink = -1, drop = -1, table = -1, query_padding = -1, key_padding = -1;
  Heads q, q_rope;
  std::optional<Keys> keys, values, key_rope;
  std::vector<Rows> queries, key_rows;
  std::optional<Mask> mask;
  std::optional<Shift> shift;
  std::vector<int64_t> drop_starts;  // of each batch in the bits of dropMask
  float scale = 1, keep = 1;
  int64_t group = 1;  // heads of the query that share one of the keys

  static Result<Call> make(const KernelRequest& request);

  int64_t batches() const { return static_cast<int64_t>(queries.size()); }
  int64_t width() const { return q.size + q_rope.size; }  // components that a score sums over
  // Whether the weight of a score is kept by dropout.
  bool kept(Inputs in, size_t batch, int64_t head, int64_t i, int64_t j) const;
};

// What one run reads besides: block tables and padding are in tensors.
struct Sources {
  std::vector<int64_t> table;
  std::vector<Rows> queries, key_rows;
  std::optional<Keys::Source> keys, values, key_rope;
  std::vector<float> sinks;

  Sources(const Call& call, Inputs in);
  Sources(const Sources&) = delete;
  Status check(const Call& call) const;
};

// A row of the scores, for the keys [first, first + count) of a batch.
struct ScoreRow {
  size_t batch;
  int64_t head, i, queries, keys, first, count;
};
// Products become scores: scaled, and shifted by what is read into `shifts`.
void scale_scores(const Call& call, Inputs in, const ScoreRow& row, float* scores, float* shifts);
// -inf where nobody looks; what the scores were goes into `raw`, unless it is null. Whether anything is left.
bool mask_scores(const Call& call, Inputs in, const ScoreRow& row, float* scores, float* raw);

}  // namespace belay::backend::cpu::attention
