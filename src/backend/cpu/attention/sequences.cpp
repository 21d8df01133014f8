// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/sequences.h"

#include "base/text.h"

namespace belay::backend::cpu::attention {
namespace {

Result<std::vector<Rows>> between_ends(const std::string& what, const std::vector<int64_t>& ends, int64_t rows) {
  std::vector<Rows> made;
  int64_t before = 0;
  for (const int64_t end : ends) {
    if (end < before || end > rows)
      return refuse(
          formatted("{} must not decrease nor exceed the {} rows, but is {}", what, rows, graph::to_text(ends)));
    made.push_back({before, end - before});
    before = end;
  }
  return made;
}

}  // namespace

Result<std::vector<Rows>> rows_up_to(const std::string& what, const std::vector<int64_t>& lengths, int64_t batches,
                                     int64_t most) {
  const auto given = static_cast<int64_t>(lengths.size());
  if (given != 1 && given < batches)
    return refuse(formatted("{} has {} elements; there are {} batches", what, given, batches));
  std::vector<Rows> made;
  for (int64_t b = 0; b < batches; ++b) {
    const int64_t length = lengths[given == 1 ? 0 : static_cast<size_t>(b)];
    if (length < 0 || length > most)
      return refuse(formatted("{} is {} for batch {}; there are {} rows", what, length, b, most));
    made.push_back({0, length});
  }
  return made;
}

Result<std::vector<Rows>> rows_of(const std::string& what, bool has, const std::vector<int64_t>& lengths,
                                  const Heads& heads, int64_t batches) {
  if (heads.joined) {
    if (!has || lengths.empty()) return refuse(formatted("{} is needed where sequences lie one after another", what));
    return between_ends(what, lengths, heads.rows);
  }
  if (!has || lengths.empty()) return std::vector<Rows>(static_cast<size_t>(batches), Rows{0, heads.rows});
  return rows_up_to(what, lengths, batches, heads.rows);
}

}  // namespace belay::backend::cpu::attention
