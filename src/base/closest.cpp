// SPDX-License-Identifier: Apache-2.0
#include "base/closest.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace belay {
namespace {

constexpr size_t most_names = 3;
constexpr size_t longest = 256;  // what is longer is compared by its beginning

// How many letters must be added, taken away or changed.
size_t distance(std::string_view a, std::string_view b) {
  a = a.substr(0, longest), b = b.substr(0, longest);
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t changed = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, changed});
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

}  // namespace belay
