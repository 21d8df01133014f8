// SPDX-License-Identifier: Apache-2.0
// belay show: one line per tensor of a dump.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/dump_page.h"
#include "commands/json_values.h"
#include "commands/progress.h"
#include "commands/say.h"
#include "commands/table.h"
#include "dump/format/csv.h"
#include "inspect/describe.h"

namespace belay::tools {
namespace {

using inspect::TensorLine;
using Json = nlohmann::ordered_json;

struct ShowOptions {
  std::vector<std::filesystem::path> dumps;
  std::string op;
  size_t values = 4;
  bool json = false, csv = false;
  std::filesystem::path html;
};

struct ShownFile {
  inspect::FoundDump dump;
  std::vector<TensorLine> lines;
};

bool matches(const inspect::FoundDump& dump, const std::string& wanted) {
  return wanted.empty() || dump.op_type == wanted || dump.op_name.find(wanted) != std::string::npos;
}

std::string value_of(const TensorLine& line, const std::string& name) {
  for (const auto& [key, value] : line.statistics)
    if (key == name) return value;
  return "";
}

const std::vector<std::string>& statistic_columns() {
  static const std::vector<std::string> names{"max", "min", "mean", "l2norm", "nan", "-inf", "+inf"};
  return names;
}

void print_lines(const std::vector<ShownFile>& files) {
  std::filesystem::path folder = "?";
  std::vector<std::vector<std::string>> rows;
  const auto flush = [&] {
    if (rows.size() > 1) print_table(rows);
    rows.clear();
  };
  for (const ShownFile& file : files) {
    if (file.dump.path.parent_path() != folder) {
      flush();
      folder = file.dump.path.parent_path();
      say("%s\n", folder.c_str());
      rows.push_back({"type", "op", "tensor", "dtype", "shape"});
      rows.front().insert(rows.front().end(), statistic_columns().begin(), statistic_columns().end());
      rows.front().push_back("first values");
    }
    for (const TensorLine& line : file.lines) {
      std::vector<std::string> row{line.op_type, line.op_name, line.label, line.type, line.shape};
      for (const std::string& name : statistic_columns()) row.push_back(value_of(line, name));
      row.push_back(line.first);
      rows.push_back(std::move(row));
    }
  }
  flush();
}

void print_json(const std::vector<ShownFile>& files) {
  Json list = Json::array();
  for (const ShownFile& file : files) {
    for (const TensorLine& line : file.lines) {
      Json entry{{"file", file.dump.path.string()},
                 {"op_type", line.op_type},
                 {"op_name", line.op_name},
                 {"tensor", line.label},
                 {"dtype", line.type},
                 {"shape", dims_json(line.shape)},
                 {"format", line.format},
                 {"bytes", line.bytes}};
      for (const auto& [name, value] : line.statistics) entry[name] = number_json(value);
      if (!line.first.empty()) entry["first"] = line.first;
      list.push_back(std::move(entry));
    }
  }
  std::printf("%s\n", json_text(list, 1).c_str());
}

void print_csv(const std::vector<ShownFile>& files) {
  say("file,op_type,op_name,tensor,dtype,shape,format,bytes");
  for (const std::string& name : statistic_columns()) say(",%s", name.c_str());
  say("\n");
  for (const ShownFile& file : files) {
    for (const TensorLine& line : file.lines) {
      std::string shape = line.shape;
      std::erase_if(shape, [](char c) { return c == '[' || c == ']'; });
      std::ranges::replace(shape, ',', 'x');
      say("%s,%s,%s,%s,%s,%s,%s,%llu", dump::csv_field(file.dump.path).c_str(), dump::csv_field(line.op_type).c_str(),
          dump::csv_field(line.op_name).c_str(), line.label.c_str(), line.type.c_str(), shape.c_str(),
          line.format.c_str(), static_cast<unsigned long long>(line.bytes));
      for (const std::string& name : statistic_columns()) say(",%s", value_of(line, name).c_str());
      say("\n");
    }
  }
}

int show(const ShowOptions& options) {
  auto found = inspect::find_dumps(options.dumps);
  if (!found.ok()) {
    complain("belay show: %s\n", found.status().message.c_str());
    return kBadInput;
  }
  std::vector<ShownFile> files;
  bool broken = !(*found).problems.empty();
  for (const std::string& problem : (*found).problems) complain("belay show: %s\n", problem);
  Progress progress("reading", (*found).files.size());
  for (const inspect::FoundDump& dump : (*found).files) {
    progress.advance();
    if (!matches(dump, options.op)) continue;
    auto lines = inspect::describe(dump, options.values);
    if (lines.ok()) {
      files.push_back({dump, std::move(lines).value()});
      continue;
    }
    broken = true;
    complain("belay show: %s\n", lines.status().message.c_str());
  }
  if (files.empty() && !broken) {
    complain("belay show: no dump files%s found\n", options.op.empty() ? "" : " of that operator");
    return kBadInput;
  }
  if (!options.html.empty()) {
    write_dump_page(
        options.dumps, [&](const auto& dump) { return matches(dump, options.op); }, nullptr, options.html);
    return broken ? kBadInput : kAgree;
  }
  (options.json ? print_json : options.csv ? print_csv : print_lines)(files);
  return broken ? kBadInput : kAgree;
}

}  // namespace

void add_show(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("show", "Print one line per dumped tensor: operator, type, shape, statistics, values");
  auto options = std::make_shared<ShowOptions>();
  command->add_option("dump", options->dumps, "Dump files, or directories: all files beneath them are taken")
      ->type_name("DUMP")
      ->required();
  command
      ->add_option("--op", options->op, "Only operators of this type, or with this text in their name (default: all)")
      ->type_name("NAME");
  command->add_option("--values", options->values, "Show this many values of each tensor (default: 4)")
      ->type_name("N")
      ->check(whole_number(0, 1000000));
  auto* json = command->add_flag("--json", options->json, "Print JSON (default: a table)");
  auto* csv = command->add_flag("--csv", options->csv, "Print CSV (default: a table)")->excludes(json);
  command->add_option("--html", options->html, "Write a page to look at instead (default: a table)")
      ->type_name("FILE")
      ->excludes(json)
      ->excludes(csv);
  command->callback([options, &exit_code] { exit_code = show(*options); });
}

}  // namespace belay::tools
