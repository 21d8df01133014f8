// SPDX-License-Identifier: Apache-2.0
#include "commands/table.h"

#include <algorithm>
#include <cstdio>

#include "base/printable.h"

namespace belay::tools {

void print_table(const std::vector<std::vector<std::string>>& rows, size_t indent) {
  std::vector<size_t> width(rows.front().size(), 0);
  std::vector<std::vector<std::string>> shown = rows;
  for (auto& row : shown)
    for (std::string& cell : row) cell = printable(cell);
  for (const auto& row : shown)
    for (size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  for (const auto& row : shown) {
    std::string text(indent, ' ');
    for (size_t i = 0; i < row.size(); ++i) {
      text += row[i];
      if (i + 1 < row.size()) text.append(width[i] - row[i].size() + 2, ' ');
    }
    text.erase(text.find_last_not_of(' ') + 1);
    std::printf("%s\n", text.c_str());
  }
}

}  // namespace belay::tools
