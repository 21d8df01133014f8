// SPDX-License-Identifier: Apache-2.0
#include "inspect/dump_tree.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <tuple>

#include "base/text.h"

namespace belay::inspect {
namespace {

namespace fs = std::filesystem;

constexpr const char* mapping_file = "mapping.csv";

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  for (const char c : text) {
    if (c == separator)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

bool all_digits(const std::string& text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char c) { return c >= '0' && c <= '9'; });
}

// The numbers at the end of the parts, at most `limit`.
size_t trailing_numbers(const std::vector<std::string>& parts, size_t limit) {
  size_t count = 0;
  while (count < limit && count < parts.size() && all_digits(parts[parts.size() - 1 - count])) ++count;
  return count;
}

// Names that were too long, by the digits that stand for them.
class Mapping {
 public:
  std::optional<std::string> find(const fs::path& folder, const std::string& digits) {
    auto [place, fresh] = folders_.try_emplace(folder);
    if (fresh) read(folder / mapping_file, place->second);
    const auto found = place->second.find(digits);
    return found == place->second.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  static void read(const fs::path& path, std::map<std::string, std::string>& names) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (const size_t comma = line.find(','); comma != std::string::npos)
        names[line.substr(0, comma)] = line.substr(comma + 1);
  }

  std::map<fs::path, std::map<std::string, std::string>> folders_;
};

std::optional<FoundDump> look_at(const fs::path& path, Mapping& mapping) {
  const std::string file_name = path.filename();
  const bool csv = file_name.ends_with(".csv");
  const std::string stem = csv ? file_name.substr(0, file_name.size() - 4) : file_name;
  std::optional<FoundDump> found;
  if (all_digits(stem)) {
    const auto name = mapping.find(path.parent_path(), file_name);
    found = parse_dump_name(name.value_or(""));
    if (!found) found = FoundDump{.name = name.value_or(file_name), .statistics = csv};
    found->mapped = true;
  } else {
    found = parse_dump_name(file_name);
  }
  if (found) found->path = path;
  return found;
}

bool named_like_a_dump(const fs::path& path) {
  const auto dump = parse_dump_name(path.filename());
  return dump && dump->stream;
}

void search(const fs::path& top, Mapping& mapping, DumpTree& tree) {
  std::error_code error;
  auto entry = fs::recursive_directory_iterator(top, fs::directory_options::skip_permission_denied, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code ignored;
    if (!entry->is_regular_file(ignored)) {
      if (const std::string why = why_passed_over(*entry, named_like_a_dump(entry->path())); !why.empty())
        tree.problems.push_back(formatted("{}: {}", entry->path().string(), why));
      continue;
    }
    auto dump = look_at(entry->path(), mapping);
    if (!dump) continue;
    dump->folder = entry->path().parent_path().lexically_relative(top);
    tree.files.push_back(std::move(*dump));
  }
  if (error) tree.problems.push_back(formatted("{} cannot be read to its end: {}", top.string(), error.message()));
}

}  // namespace

std::optional<FoundDump> parse_dump_name(const std::string& name) {
  FoundDump found{.name = name, .statistics = name.ends_with(".csv")};
  auto parts = split(found.statistics ? name.substr(0, name.size() - 4) : name, '.');
  // <op_type>.<op_name> and then 2 to 7 numbers; the last of 3 is the time, and of 7 the third (FFTS+ adds four).
  const size_t numbers = trailing_numbers(parts, 7);
  if (parts.size() < 3 || numbers == 0 || parts.size() == numbers) return std::nullopt;
  const auto number = [&](size_t index) {
    return parse_number(parts[parts.size() - numbers + index]).value_or(UINT64_MAX);
  };
  found.op_type = parts[0];
  for (size_t i = 1; i < parts.size() - numbers; ++i) found.op_name += (i > 1 ? "." : "") + parts[i];
  if (found.op_type == "exception_info" && numbers >= 2) {
    found.stream = number(0);
    found.task = number(1);
    found.time = number(numbers - 1);
    return found;
  }
  if (numbers >= 2) found.task = number(0);
  if (numbers >= 3) found.stream = number(1);
  found.time = number(std::min<size_t>(numbers, 3) - 1);
  return found;
}

std::string why_passed_over(const fs::directory_entry& entry, bool named) {
  std::error_code error, ignored;
  const fs::file_status status = entry.status(error);
  if (fs::is_regular_file(status)) return "";
  if (fs::is_directory(status)) {
    if (entry.is_symlink(ignored)) return "it is a link to a folder, which is not followed";
    if (::access(entry.path().c_str(), R_OK | X_OK) != 0) return "the folder cannot be read: permission denied";
    return named ? "it is a folder, though it is named like a file" : "";
  }
  if (!named) return "";
  if (fs::exists(status)) return "it is not a regular file";
  return error && error != std::errc::no_such_file_or_directory ? error.message() : "it is a link to nothing";
}

Result<DumpTree> find_dumps(const std::vector<fs::path>& paths) {
  DumpTree tree;
  Mapping mapping;
  for (const fs::path& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      search(path, mapping, tree);
    } else if (!fs::exists(path, error)) {
      return Status{ACL_ERROR_INVALID_FILE, formatted("{} does not exist", path.string())};
    } else if (auto dump = look_at(path, mapping)) {
      tree.files.push_back(std::move(*dump));
    } else {
      return Status{
          ACL_ERROR_INVALID_FILE,
          formatted("{} is not named like a dump file; expected <op type>.<op name>.<task>.<stream>.<time>, with or "
                    "without .csv",
                    path.string())};
    }
  }
  std::ranges::stable_sort(tree.files, [](const FoundDump& a, const FoundDump& b) {
    return std::tie(a.folder, a.time, a.name) < std::tie(b.folder, b.time, b.name);
  });
  return tree;
}

}  // namespace belay::inspect
