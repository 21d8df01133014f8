// SPDX-License-Identifier: Apache-2.0
// Converts the node cases that collect_node_cases.py wrote. One line for each that fails, and the sums.
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>

#include "convert/convert.h"

namespace {

struct Case {
  std::string name, op, skip;
};

std::vector<Case> read_cases(const std::string& directory) {
  std::ifstream file(directory + "/cases.tsv");
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields;
    std::stringstream stream(line + "\t");
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    fields.resize(5);
    cases.push_back({fields[0], fields[1], fields[4]});
  }
  return cases;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 2) return std::cerr << "usage: node_cases DIRECTORY\n", 2;
  const std::string directory = arguments[1];
  std::map<std::string, int> sums;
  for (const Case& one : read_cases(directory)) {
    if (!one.skip.empty()) {
      ++sums["skipped: " + one.skip];
      continue;
    }
    const auto converted = belay::convert::convert_onnx(directory + "/" + one.name + "/model.onnx", {.name = one.name});
    ++sums[converted.ok() ? "converted" : "failed"];
    if (!converted.ok()) std::cout << one.name << ": " << converted.status().message << "\n";
  }
  for (const auto& [what, sum] : sums) std::cout << sum << "\t" << what << "\n";
  return sums.contains("failed") ? 1 : 0;
}
