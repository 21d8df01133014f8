// SPDX-License-Identifier: Apache-2.0
#include "compare/sides/array_side.h"

#include <unistd.h>

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
  auto entries = read_array_file(file);
  if (!entries.ok()) {
    side.problems.push_back(entries.status().message);
    return;
  }
  for (ArrayEntry& entry : std::move(entries).value())
    side.tensors.push_back(tensor_of(file, folder, std::move(entry)));
}

// Why what has a tensor's name, or may hold tensors, is passed over; "" when it is not.
std::string why_passed_over(const fs::directory_entry& entry) {
  std::error_code error, ignored;
  const fs::file_status status = entry.status(error);
  if (fs::is_regular_file(status)) return "";
  if (fs::is_directory(status) && entry.is_symlink(ignored)) return "it is a link to a folder, which is not followed";
  const auto dump = inspect::parse_dump_name(entry.path().filename());
  if (fs::is_directory(status)) {
    if (::access(entry.path().c_str(), R_OK | X_OK) != 0) return "the folder cannot be read: permission denied";
    return is_array_file(entry.path()) || (dump && dump->stream) ? "it is a folder, though it is named like a file"
                                                                 : "";
  }
  if (!is_array_file(entry.path()) && !dump) return "";
  if (fs::exists(status)) return "it is not a regular file";
  return error && error != std::errc::no_such_file_or_directory ? error.message() : "it is a link to nothing";
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
    std::error_code ignored;
    if (entry->is_regular_file(ignored) && is_array_file(entry->path())) files.push_back(entry->path());
    if (const std::string why = why_passed_over(*entry); !why.empty())
      side.problems.push_back(formatted("{}: {}", entry->path().string(), why));
  }
  if (error) side.problems.push_back(formatted("{} cannot be read: {}", path.string(), error.message()));
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    const fs::path folder = file.parent_path().lexically_relative(path);
    add_file(file, folder == "." ? fs::path() : folder, side);
  }
}

}  // namespace belay::compare
