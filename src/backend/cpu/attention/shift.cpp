// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/shift.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

constexpr int64_t kLastRows = 1024;

}  // namespace

Result<Shift> Shift::make(const WholeCall& call, const Request& request, int64_t heads,
                          const std::vector<Rows>& queries, const std::vector<Rows>& keys) {
  Shift made;
  made.request_ = request;
  made.heads_ = heads;
  made.input_ = call.input("pse");
  if (request.type < 0 || request.type > 3)
    return refuse(formatted("pseType is {}; it must be from 0 to 3", request.type));
  if (made.input_ < 0) {
    if (request.type >= 2) return refuse(formatted("pseType {} needs the slopes", request.type));
    return made;
  }
  const auto& info = call.info(made.input_);
  const int64_t count = graph::element_count(info.shape);
  const auto batches = static_cast<int64_t>(queries.size());
  if (request.type >= 2) {
    if (count != heads && count != heads * batches)
      return refuse(formatted("pse has {} slopes; there are {} heads and {} batches", count, heads, batches));
    made.slopes_ = count;
    return made;
  }
  int64_t rows = 0, columns = 0, at = 0;
  for (size_t b = 0; b < queries.size(); ++b) {
    rows = std::max(rows, queries[b].count);
    columns = std::max(columns, keys[b].count);
    made.starts_.push_back(at);
    at += heads * queries[b].count * keys[b].count;
  }
  if (request.joined && info.shape.size() != 4) {
    if (count != at)
      return refuse(
          formatted("pse has {} elements; {} scores lie one after another (its last 1024 rows alone are not "
                    "supported here)",
                    count, at));
    return made;
  }
  made.starts_.clear();
  const bool last = info.shape.size() == 4 && info.shape[2] == kLastRows && rows > kLastRows;
  if (last && rows != columns) return refuse("the last 1024 rows of pse go with as many queries as keys");
  made.last_rows_ = last ? kLastRows : 0;
  made.steps_ = TRY(score_steps("pse", info.shape, batches, heads, last ? kLastRows : rows, columns));
  return made;
}

void Shift::read(Inputs in, size_t batch, int64_t head, int64_t i, int64_t queries, int64_t keys, int64_t first,
                 int64_t count, float* to) const {
  const Tensor& from = in[static_cast<size_t>(input_)];
  const auto b = static_cast<int64_t>(batch);
  if (slopes_ > 0) {
    float slope = 0;
    read_floats(from, slopes_ == heads_ ? head : b * heads_ + head, 1, &slope);
    for (int64_t j = 0; j < count; ++j) {
      const auto distance = static_cast<float>(std::abs(i + request_.query_start - first - j - request_.key_start));
      to[j] = -slope * (request_.type == 3 ? std::sqrt(distance) : distance);
    }
    return;
  }
  if (!starts_.empty()) return read_floats(from, starts_[batch] + (head * queries + i) * keys + first, count, to);
  int64_t row = i, moved = 0;
  if (last_rows_ > 0) {
    row = i - (queries - last_rows_);
    if (row < 0) row = last_rows_ - 1, moved = queries - 1 - i;
  }
  const int64_t at = b * steps_.batch + head * steps_.head + row * steps_.query;
  if (steps_.key == 0) {  // one for all keys, of which there may be none
    float one = 0;
    read_floats(from, at, 1, &one);
    std::fill(to, to + count, one);
    return;
  }
  const int64_t whole = std::max<int64_t>(0, std::min(count, keys - first - moved));  // keys behind the query have none
  read_floats(from, at + first + moved, whole, to);
  std::fill(to + whole, to + count, 0.0f);
}

}  // namespace belay::backend::cpu::attention
