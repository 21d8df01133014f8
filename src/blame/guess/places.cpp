// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "base/text.h"
#include "blame/guess/guess.h"
#include "blame/permute.h"

namespace belay::blame {
namespace {

constexpr int64_t kFarthestNeighbour = 4096;

std::string swapped_axes(const Suspect& suspect) {
  for (const auto& [a, b] : swappable_axes(suspect.expected.value.shape))
    if (explains(suspect, with_axes_swapped(suspect.expected, a, b)))
      return formatted("axes {} and {} of the output are swapped", a, b);
  return "";
}

// Every wrong element is the right value of another place, always as far away.
bool moved_by(const Suspect& suspect, int64_t distance) {
  return std::ranges::all_of(suspect.wrong, [&](int64_t at) {
    const int64_t from = at + distance;
    return from >= 0 && from < suspect.yardstick.count() && suspect.yardstick.fits(element_of(suspect.got, at), from);
  });
}

std::string neighbours(const Suspect& suspect) {
  if (suspect.wrong.size() < 2) return "";
  for (int64_t distance = 1; distance <= kFarthestNeighbour && distance < suspect.yardstick.count(); ++distance)
    for (const int64_t signed_distance : {distance, -distance})
      if (moved_by(suspect, signed_distance))
        return formatted("neighbour's data: the wrong elements are those {} places {}", distance,
                         signed_distance > 0 ? "further on" : "before");
  return "";
}

// The same bytes as a recorded tensor. One that is the same everywhere may be so by chance.
bool is_copy_of(const Suspect& suspect, const compare::SideTensor& tensor) {
  const auto source = tensor.open();
  if (!source.ok() || (*source)->type() != suspect.type || (*source)->count() != suspect.got.count()) return false;
  std::vector<std::byte> storage;
  const auto bytes = bytes_of(**source, storage);
  const auto got = exact::narrowed(suspect.got, suspect.type);
  if (!bytes.ok() || !got.ok() || (*bytes).size() != (*got).size()) return false;
  return std::memcmp((*bytes).data(), (*got).data(), (*got).size()) == 0;
}

const compare::SideTensor* output_of(const Record& record, size_t output) {
  return output < record.outputs.size() ? record.outputs[output] : nullptr;
}

std::string stale(const Suspect& suspect) {
  const Record& own = suspect.ran.record;
  for (const Execution& execution : suspect.executions)
    for (const Record& record : execution.records) {
      if (&record == &own || record.op != own.op) continue;
      if (&execution == &suspect.executions.back() && record.time >= own.time) continue;
      if (const auto* output = output_of(record, suspect.output); output && is_copy_of(suspect, *output))
        return &execution == &suspect.executions.back()
                   ? std::string("stale: the result of an earlier run in the same execution is still there")
                   : formatted("stale: it is the result of execution {} again", execution.step);
    }
  return "";
}

std::string anothers(const Suspect& suspect) {
  for (const Record& record : suspect.executions.back().records) {
    if (record.op == suspect.ran.record.op) continue;
    for (const auto* output : record.outputs)
      if (output && is_copy_of(suspect, *output)) return formatted("it is the output of {}", record.op);
  }
  return "";
}

}  // namespace

std::string guess_places(const Suspect& suspect) {
  if (suspect.wrong.empty()) return "";
  for (const auto& hypothesis : {stale, anothers, swapped_axes, neighbours})
    if (std::string text = hypothesis(suspect); !text.empty()) return text;
  return "";
}

}  // namespace belay::blame
