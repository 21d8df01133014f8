// SPDX-License-Identifier: Apache-2.0
#include "case_files.h"

#include <fstream>
#include <iterator>
#include <sstream>

#include "base/text.h"

namespace belay {

Result<std::vector<graph::Constant>> read_tensors(const std::string& stem) {
  std::vector<graph::Constant> tensors;
  for (int i = 0;; ++i) {
    std::ifstream file(formatted("{}_{}", stem, i), std::ios::binary);
    std::string line;
    if (!std::getline(file, line)) return tensors;
    std::stringstream head(line);
    int type = 0;
    head >> type;
    graph::Shape shape(std::istream_iterator<int64_t>(head), {});
    const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    tensors.push_back(graph::make_constant(static_cast<graph::DataType>(type), std::move(shape), bytes));
  }
}

}  // namespace belay
