// SPDX-License-Identifier: Apache-2.0
#include "commands/bisect_lists.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/atomic_file.h"
#include "base/json_text.h"

namespace belay::tools {
namespace {

using Json = nlohmann::ordered_json;

// Matches the name, whatever is in it.
std::string pattern_of(std::string name) {
  for (char& letter : name)
    if (letter == '[' || letter == ']' || letter == '*') letter = '?';
  return name;
}

Json compare_rules(const compare::Limits& limits, const std::vector<bisect::Needed>& needed) {
  const std::pair<const char*, const std::optional<double>&> numbers[] = {{"rtol", limits.rtol},
                                                                          {"atol", limits.atol},
                                                                          {"cosine", limits.cosine},
                                                                          {"euclidean", limits.euclidean},
                                                                          {"peak", limits.peak}};
  std::vector<std::string> patterns;
  for (const bisect::Needed& one : needed) patterns.push_back(pattern_of(one.op.name));
  patterns.push_back("trans_Cast_*");  // from the narrow type to float32
  Json rules = Json::array();
  for (const std::string& pattern : patterns) {
    Json rule{{"op", pattern}};
    for (const auto& [key, number] : numbers)
      if (number) rule[key] = *number;
    rules.push_back(std::move(rule));
  }
  return {{"rules", rules}};
}

}  // namespace

std::vector<std::string> write_bisect_lists(const bisect::Question& question, const bisect::Answer& answer,
                                            const std::string& folder) {
  std::vector<std::string> files;
  if (answer.kind == bisect::Answer::Kind::NeverPasses) return files;
  std::filesystem::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    files.push_back(folder + "/" + name);
    if (const Status written = write_file(files.back(), text); !written.ok()) throw std::runtime_error(written.message);
  };
  std::string kept;
  for (const bisect::Needed& one : answer.needed) kept += one.op.name + "\n";
  write("keep_dtype.cfg", kept);
  if (answer.black) {
    const Json lists{{"black-list", {{"to-add", *answer.black}}}};
    write("modify_mixlist.json", json_text(lists, 2) + "\n");
  }
  write("compare_rules.json", json_text(compare_rules(limits_for(question), answer.needed), 2) + "\n");
  return files;
}

}  // namespace belay::tools
