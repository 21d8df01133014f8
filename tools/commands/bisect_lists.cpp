// SPDX-License-Identifier: Apache-2.0
#include "commands/bisect_lists.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "base/files/atomic_file.h"
#include "base/json_text.h"

namespace belay::tools {

std::vector<std::string> write_bisect_lists(const bisect::Answer& answer, const std::string& folder) {
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
    const nlohmann::ordered_json lists{{"black-list", {{"to-add", *answer.black}}}};
    write("modify_mixlist.json", json_text(lists, 2) + "\n");
  }
  return files;
}

}  // namespace belay::tools
