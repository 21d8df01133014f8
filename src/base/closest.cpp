// SPDX-License-Identifier: Apache-2.0
#include "base/closest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace belay {
namespace {

constexpr size_t most_names = 3;
constexpr size_t longest = 256;  // what is longer is compared by its beginning

// How many letters must be added, taken away, changed, or exchanged with their neighbour; `limit` when it is that or
// more: then only what is less than that far from the diagonal is looked at.
size_t distance(std::string_view a, std::string_view b, size_t limit = std::string_view::npos) {
  a = a.substr(0, longest), b = b.substr(0, longest);
  limit = std::min(limit, a.size() + b.size() + 1);
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit) return limit;
  std::vector<size_t> before(b.size() + 1, limit), above(b.size() + 1, limit), row(b.size() + 1, limit);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = std::min(j, limit);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    const size_t first = i < limit ? 1 : i - limit + 1, last = std::min(b.size(), i + limit - 1);
    row[first - 1] = first == 1 ? std::min(i, limit) : limit;
    size_t least = row[first - 1];
    for (size_t j = first; j <= last; ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]), limit});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
      least = std::min(least, row[j]);
    }
    if (last < b.size()) row[last + 1] = limit;
    if (least >= limit) return limit;
  }
  return row.back();
}

}  // namespace

std::string closest_names(std::string_view wanted, std::span<const std::string_view> names) {
  std::vector<std::pair<size_t, std::string_view>> by_distance;
  for (const std::string_view name : names) by_distance.emplace_back(distance(wanted, name), name);
  std::ranges::sort(by_distance);
  by_distance.erase(std::unique(by_distance.begin(), by_distance.end()), by_distance.end());
  std::string text;
  for (size_t i = 0; i < std::min(most_names, by_distance.size()); ++i)
    text += (i ? ", " : "") + std::string(by_distance[i].second);
  return text;
}

std::string_view closest_name(std::string_view wanted, std::span<const std::string_view> names) {
  std::string_view nearest;
  size_t least = std::max<size_t>(2, wanted.size() / 3) + 1;
  for (const std::string_view name : names) {
    const size_t far = distance(wanted, name, least);
    if (far < least) least = far, nearest = name;
  }
  return nearest;
}

}  // namespace belay
