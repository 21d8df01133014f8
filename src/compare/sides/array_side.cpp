// SPDX-License-Identifier: Apache-2.0
#include "compare/sides/array_side.h"

#include <algorithm>

#include "base/text.h"
#include "compare/arrays/array_file.h"
#include "inspect/dump_tree.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShortestTime = 10;  // digits of seconds; what is shorter belongs to the name

struct Ending {
  std::string before, after;
};

// The text split at its last dot; `before` is empty when there is none.
Ending last_part(const std::string& text) {
  const size_t dot = text.rfind('.');
  if (dot == std::string::npos) return {"", text};
  return {text.substr(0, dot), text.substr(dot + 1)};
}

// "<dump file>.output.0", or "output.0" of a file that has the name of a dump file.
bool read_converted(const std::string& name, SideTensor& tensor) {
  const Ending index = last_part(name), kind = last_part(index.before);
  const auto number = parse_number(index.after);
  if (!number || (kind.after != "output" && kind.after != "input") || kind.before.empty()) return false;
  const auto dump = inspect::parse_dump_name(kind.before);
  tensor.op = dump ? dump->op_name : kind.before;
  if (dump) {
    tensor.op_type = dump->op_type;
    tensor.task = dump->task.value_or(0);
    tensor.time = dump->time;
  }
  tensor.input = kind.after == "input";
  tensor.index = static_cast<size_t>(*number);
  return true;
}

// "<operator>.<output>.<time>".
bool read_ground_truth(const std::string& name, SideTensor& tensor) {
  const Ending time = last_part(name), index = last_part(time.before);
  const auto when = parse_number(time.after), output = parse_number(index.after);
  if (!when || !output || index.before.empty() || time.after.size() < kShortestTime) return false;
  tensor.op = index.before;
  tensor.index = static_cast<size_t>(*output);
  tensor.time = *when;
  return true;
}

SideTensor tensor_of(const fs::path& file, const fs::path& folder, ArrayEntry entry) {
  SideTensor tensor{.place = folder, .file = file};
  const std::string stem = file.stem().string();
  const bool of_a_dump = !entry.name.empty() && inspect::parse_dump_name(stem).has_value();
  tensor.tensor = entry.name.empty() ? stem : of_a_dump ? stem + "." + entry.name : entry.name;
  if (!read_converted(tensor.tensor, tensor) && !read_ground_truth(tensor.tensor, tensor)) tensor.op = tensor.tensor;
  tensor.open = std::move(entry.open);
  return tensor;
}

void add_file(const fs::path& file, const fs::path& folder, Side& side) {
  auto read = read_array_file(file);
  if (!read.ok()) {
    side.problems.push_back(read.status().message);
    return;
  }
  ArrayFile found = std::move(read).value();
  for (ArrayEntry& entry : found.arrays) side.tensors.push_back(tensor_of(file, folder, std::move(entry)));
  std::ranges::move(found.problems, std::back_inserter(side.problems));
}

// The search for dump files went the same way before, and may have said it.
void add_problem(Side& side, std::string problem) {
  if (std::ranges::find(side.problems, problem) == side.problems.end()) side.problems.push_back(std::move(problem));
}

}  // namespace

void add_arrays(const fs::path& path, Side& side) {
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    if (is_array_file(path)) add_file(path, "", side);
    return;
  }
  std::vector<fs::path> files;
  auto entry = fs::recursive_directory_iterator(path, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    if (!is_array_file(entry->path())) continue;
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) files.push_back(entry->path());
    if (const std::string why = inspect::why_passed_over(*entry, true); !why.empty())
      add_problem(side, formatted("{}: {}", entry->path().string(), why));
  }
  if (error) add_problem(side, formatted("{} cannot be read to its end: {}", path.string(), error.message()));
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const fs::path folder = file.parent_path().lexically_relative(path);
    add_file(file, folder == "." ? fs::path() : folder, side);
  }
}

}  // namespace belay::compare
