// SPDX-License-Identifier: Apache-2.0
#include "compare/rows.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "base/endings/trap.h"
#include "base/files/mapped_file.h"
#include "base/text.h"
#include "base/threads/parallel.h"
#include "compare/measure/elements.h"
#include "compare/opened_pair.h"

namespace belay::compare {
namespace {

// From so many elements on one tensor keeps all threads busy.
constexpr int64_t kLarge = int64_t{4} << 20;

Row row_of(const SideTensor& ours, const SideTensor& truth, MatchedBy by) {
  return {.ours = &ours, .truth = &truth, .by = by};
}

void fail(Row& row, const Status& status) {
  row.verdict = Verdict::Unread;
  row.reason = status.message;
}

// What there is to measure; nothing when the verdict is there already.
std::optional<OpenedPair> opened(Row& row, const Rules& rules) {
  auto pair = open_pair(*row.ours, *row.truth);
  if (!pair.ok()) return fail(row, pair.status()), std::nullopt;
  const ElementSource &ours = *(*pair).ours, &truth = *(*pair).truth;
  row.ours_type = ours.type();
  row.truth_type = truth.type();
  row.shape = ours.shape();
  row.truth_shape = truth.shape();
  row.limits = rules.limits_for(*row.ours, row.ours_type, *row.truth, row.truth_type);
  if (row.limits.ignore) {
    row.verdict = Verdict::Ignored;
    row.reason = "a rule says so";
    return std::nullopt;
  }
  if (ours.count() != truth.count()) {
    row.verdict = Verdict::Differ;
    row.reason = formatted("the shapes {} and {} do not have the same number of elements", graph::to_text(row.shape),
                           graph::to_text(row.truth_shape));
    return std::nullopt;
  }
  return std::move(pair).value();
}

// Whether two shapes have the same extents, those of 1 left out, in another order: then elements at the same place in
// memory are not those of the same index.
bool axes_swapped(graph::Shape a, graph::Shape b) {
  std::erase(a, 1);
  std::erase(b, 1);
  return a != b && std::ranges::is_permutation(a, b);
}

// A file that somebody cuts short while it is mapped ends this with SIGBUS.
Result<Measures> measured_whole(const Row& row, const OpenedPair& pair) {
  Result<Measures> made = Status{};
  Trap trap;
  if (trapped([&] { made = measure(*pair.ours, *pair.truth, row.limits.tolerance()); }, trap)) return made;
  const std::string file = file_of(trap.address);
  if (trap.signal != SIGBUS || file.empty()) std::abort();  // a fault of ours
  return Status{ACL_ERROR_INVALID_FILE, formatted("{} was cut short while it was read", file)};
}

void finish(Row& row, const OpenedPair& pair) {
  auto measured = measured_whole(row, pair);
  if (!measured.ok()) {
    fail(row, measured.status());
    if (measured.status().code == ACL_ERROR_PARSE_FILE && !row.ours->file.empty())
      row.reason = row.ours->file.string() + ": " + row.reason;
    return;
  }
  row.measured = true;
  row.measures = std::move(measured).value();
  row.reason = difference(row.measures, row.limits);
  if (row.reason.empty() && row.measures.count > 0 && axes_swapped(row.shape, row.truth_shape))
    row.reason = formatted("the axes are in another order: {}, should be {}", graph::to_text(row.shape),
                           graph::to_text(row.truth_shape));
  row.verdict = row.reason.empty() ? Verdict::Agree : Verdict::Differ;
}

// How bad a row is, to sort by.
double badness(const Row& row) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (!row.measured || std::isinf(row.measures.least_atol)) return infinity;
  return std::isnan(row.measures.finite_euclidean) ? infinity : row.measures.finite_euclidean;
}

int rank(Verdict verdict) {
  return verdict == Verdict::Unread ? 0 : verdict == Verdict::Differ ? 1 : verdict == Verdict::Agree ? 2 : 3;
}

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Agree:
      return "agree";
    case Verdict::Differ:
      return "differ";
    case Verdict::Ignored:
      return "ignored";
    case Verdict::Unread:
      return "unread";
  }
  return "";
}

size_t Comparison::count(Verdict verdict) const { return std::ranges::count(rows, verdict, &Row::verdict); }

std::vector<const Row*> Comparison::worst_first() const {
  std::vector<const Row*> sorted;
  for (const Row& row : rows) sorted.push_back(&row);
  std::ranges::stable_sort(sorted, [](const Row* a, const Row* b) {
    return std::pair(rank(a->verdict), -badness(*a)) < std::pair(rank(b->verdict), -badness(*b));
  });
  return sorted;
}

std::string Comparison::unpaired() const {
  std::string text;
  for (const auto& [side, lonely] : {std::pair(ours, &only_ours), {truth, &only_truth}}) {
    if (lonely->empty()) continue;
    text += formatted("; {} of {} {} no partner", lonely->size(), side->name, lonely->size() == 1 ? "has" : "have");
    const auto result = [&tensors = side->tensors](const Unmatched& one) { return tensors[one.tensor].result; };
    if (const auto found = std::ranges::find_if(*lonely, result); found != lonely->end())
      text += formatted(", among them the model's result, output {} of {}", side->tensors[found->tensor].index,
                        side->tensors[found->tensor].op);
  }
  return text;
}

std::vector<std::string> Comparison::problems() const {
  std::vector<std::string> all = ours->problems;
  all.insert(all.end(), truth->problems.begin(), truth->problems.end());
  for (const Row& row : rows)
    if (row.verdict == Verdict::Unread) all.push_back(row.reason);
  return all;
}

std::string element_text(long double value, graph::DataType type, const char* pattern) {
  char text[64];
  if (is_whole(type))
    std::snprintf(text, sizeof text, "%.0Lf", value);
  else
    std::snprintf(text, sizeof text, pattern, static_cast<double>(value));
  return text;
}

Row compare_pair(const SideTensor& ours, const SideTensor& truth, const Rules& rules) {
  Row row = row_of(ours, truth, MatchedBy::Name);
  if (const auto pair = opened(row, rules)) finish(row, *pair);
  return row;
}

Comparison compare_sides(const Side& ours, const Side& truth, const Matching& matching, const Rules& rules,
                         const std::function<void()>& done) {
  Comparison made{.ours = &ours, .truth = &truth, .only_ours = matching.ours, .only_truth = matching.truth};
  for (const Pair& pair : matching.pairs)
    made.rows.push_back(row_of(ours.tensors[pair.ours], truth.tensors[pair.truth], pair.by));
  std::mutex mutex;
  const auto told = [&] {
    const std::lock_guard lock(mutex);
    done();
  };
  std::vector<char> large(made.rows.size());
  parallel_pieces(static_cast<int64_t>(made.rows.size()), current_threads(), [&](int64_t at, int64_t) {
    Row& row = made.rows[at];
    const auto pair = opened(row, rules);
    if (pair && pair->ours->count() >= kLarge) {
      large[at] = 1;
      return;
    }
    if (pair) finish(row, *pair);
    told();
  });
  for (size_t at = 0; at < made.rows.size(); ++at) {
    if (!large[at]) continue;
    if (const auto pair = opened(made.rows[at], rules)) finish(made.rows[at], *pair);
    told();
  }
  return made;
}

}  // namespace belay::compare
