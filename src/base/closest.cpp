// SPDX-License-Identifier: Apache-2.0
#include "base/closest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace belay {
namespace {

constexpr size_t most_names = 3;
constexpr size_t longest = 256;  // what is longer is compared by its beginning

// How many letters must be added, taken away, changed, or exchanged with their neighbour.
size_t distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest), b = b.substr(0, longest);
  std::vector<size_t> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    before.swap(above);
    above.swap(row);
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
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
  const size_t letters = std::min(wanted.size(), longest);
  for (const std::string_view name : names) {
    const size_t others = std::min(name.size(), longest);
    if (std::max(letters, others) - std::min(letters, others) >= least) continue;
    const size_t far = distance(wanted, name);
    if (far < least) least = far, nearest = name;
  }
  return nearest;
}

}  // namespace belay
