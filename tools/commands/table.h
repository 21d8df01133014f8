// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace belay::tools {

// Columns as wide as their widest cell; the last is left as it is. Each line begins with `indent` blanks. Cells are
// made printable (base/printable.h).
void print_table(const std::vector<std::vector<std::string>>& rows, size_t indent = 0);

}  // namespace belay::tools
