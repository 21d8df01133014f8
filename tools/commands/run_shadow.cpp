// SPDX-License-Identifier: Apache-2.0
#include "commands/run_shadow.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "base/files/file.h"
#include "commands/say.h"
#include "commands/table.h"

namespace belay::tools {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostTableBytes = size_t{256} << 20;
constexpr size_t kShown = 20;
constexpr size_t kColumns = 12;
enum Column { kName, kType, kOutput, kStored, kRuns, kAdded, kOwn, kShare, kWorst, kRelative, kTrue, kRemark };

// The fields of a line; quotes as csv has them.
std::vector<std::string> fields_of(const std::string& text, size_t& at) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      if (quoted && at + 1 < text.size() && text[at + 1] == '"')
        fields.back() += text[++at];
      else
        quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else if (c == '\n' && !quoted) {
      ++at;
      break;
    } else {
      fields.back() += c;
    }
  }
  return fields;
}

double number(const std::string& text) { return std::strtod(text.c_str(), nullptr); }

std::string shown(const char* format, const std::string& text) {
  char made[64];
  std::snprintf(made, sizeof made, format, number(text));
  return made;
}

}  // namespace

RunShadow::RunShadow() : directory_((fs::temp_directory_path() / "belay-shadow-XXXXXX").string()) {
  if (!mkdtemp(directory_.data())) throw std::runtime_error("no temporary directory can be made: " + directory_);
  setenv("BELAY_SHADOW", directory_.c_str(), 1);
}

RunShadow::~RunShadow() {
  std::error_code ignored;
  fs::remove_all(directory_, ignored);
}

void RunShadow::read() {
  for (const auto& entry : fs::directory_iterator(directory_)) {
    if (entry.path().extension() != ".csv") continue;
    const auto text = read_text(entry.path(), kMostTableBytes);
    if (!text.ok()) throw std::runtime_error(text.status().message);
    size_t at = 0;
    (void)fields_of(*text, at);
    while (at < (*text).size())
      if (auto fields = fields_of(*text, at); fields.size() == kColumns) rows_.push_back(std::move(fields));
  }
  if (rows_.empty()) throw std::runtime_error("the shadow saw no operator run");
}

nlohmann::json RunShadow::json() const {
  nlohmann::json rows = nlohmann::json::array();
  const auto real = [](const std::string& text) {
    const double value = number(text);
    return value < 1e300 ? nlohmann::json(value) : nlohmann::json("inf");
  };
  for (const auto& row : rows_)
    rows.push_back({{"name", row[kName]},
                    {"type", row[kType]},
                    {"output", number(row[kOutput])},
                    {"data_type", row[kStored]},
                    {"runs", number(row[kRuns])},
                    {"added_relative_error", real(row[kAdded])},
                    {"own_error", real(row[kOwn])},
                    {"share_of_allowed", real(row[kShare])},
                    {"worst_element", number(row[kWorst])},
                    {"true_relative_error", real(row[kRelative])},
                    {"true_error", real(row[kTrue])},
                    {"not_checkable", row[kRemark]}});
  return rows;
}

void RunShadow::print() const {
  const auto judged =
      static_cast<size_t>(std::ranges::count_if(rows_, [](const auto& row) { return row[kRemark].empty(); }));
  const auto wrong = std::ranges::count_if(rows_, [](const auto& row) { return number(row[kShare]) > 1; });
  say("in double beside it: %zu outputs judged, %zu not checkable, %td off by more than their types permit\n", judged,
      rows_.size() - judged, wrong);
  std::vector<std::vector<std::string>> table = {
      {"operator", "type", "adds", "of allowed", "true error", "relative", ""}};
  for (const auto& row : rows_) {
    if (table.size() > kShown || !row[kRemark].empty()) break;
    table.push_back({row[kName] + (row[kOutput] == "0" ? "" : ":" + row[kOutput]), row[kType],
                     shown("%.2e", row[kAdded]), shown("%.3f", row[kShare]), shown("%.3g", row[kTrue]),
                     shown("%.2e", row[kRelative]), number(row[kShare]) > 1 ? "WRONG" : ""});
  }
  print_table(table, 2);
  if (judged > kShown) say("the %zu of %zu that add most (--json has all)\n", kShown, judged);
  for (const auto& row : rows_)
    if (!row[kRemark].empty()) say("  %s\n", row[kRemark].c_str());
}

}  // namespace belay::tools
