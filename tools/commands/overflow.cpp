// SPDX-License-Identifier: Apache-2.0
// belay overflow: the operators that overflowed, the first one first.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "commands/commands.h"
#include "commands/table.h"
#include "inspect/opdebug.h"
#include "inspect/overflow.h"

namespace belay::tools {
namespace {

using inspect::Overflow;
using inspect::OverflowTensor;
using Json = nlohmann::ordered_json;

struct OverflowOptions {
  std::vector<std::filesystem::path> dumps;
  size_t most = SIZE_MAX;
  bool json = false;
};

std::string statistic(const OverflowTensor& tensor, const std::string& name) {
  for (const auto& [key, value] : tensor.line.statistics)
    if (key == name) return value;
  return "";
}

std::string name_of(const Overflow& overflow) {
  if (!overflow.op) return "an operator whose file is not there";
  const std::string name = overflow.tensors.empty() ? overflow.op->op_name : overflow.tensors[0].line.op_name;
  return overflow.op->op_type + " " + name;
}

void print_text(const std::vector<Overflow>& overflows) {
  for (size_t i = 0; i < overflows.size(); ++i) {
    const Overflow& overflow = overflows[i];
    std::printf("%zu. %s: task %llu, stream %llu, status 0x%llx\n   %s\n", i + 1, name_of(overflow).c_str(),
                static_cast<unsigned long long>(overflow.task), static_cast<unsigned long long>(overflow.stream),
                static_cast<unsigned long long>(overflow.status), overflow.debug.path.parent_path().c_str());
    if (overflow.tensors.empty()) continue;
    std::vector<std::vector<std::string>> rows{
        {"tensor", "dtype", "shape", "max", "min", "mean", "nan", "-inf", "+inf", "first not finite"}};
    for (const OverflowTensor& tensor : overflow.tensors) {
      rows.push_back({tensor.line.label, tensor.line.type, tensor.line.shape});
      for (const char* name : {"max", "min", "mean", "nan", "-inf", "+inf"})
        rows.back().push_back(statistic(tensor, name));
      rows.back().push_back(tensor.first_index.empty() ? "" : tensor.first_value + " at " + tensor.first_index);
    }
    print_table(rows, 3);
  }
}

void print_json(const std::vector<Overflow>& overflows) {
  Json list = Json::array();
  for (const Overflow& overflow : overflows) {
    Json tensors = Json::array();
    for (const OverflowTensor& tensor : overflow.tensors) {
      Json entry{{"tensor", tensor.line.label}, {"dtype", tensor.line.type}, {"shape", Json::parse(tensor.line.shape)}};
      for (const auto& [name, value] : tensor.line.statistics) {
        const Json number = Json::parse(value, nullptr, false);
        entry[name] = number.is_number() ? number : Json(value);
      }
      if (!tensor.first_index.empty()) {
        entry["first_index"] = Json::parse(tensor.first_index);
        entry["first_value"] = tensor.first_value;
      }
      tensors.push_back(std::move(entry));
    }
    Json entry{{"file", overflow.debug.path.string()},
               {"model_id", overflow.model_id},
               {"stream_id", overflow.stream},
               {"task_id", overflow.task},
               {"status", overflow.status}};
    if (overflow.op) {
      entry["op_type"] = overflow.op->op_type;
      entry["op_name"] = overflow.tensors.empty() ? overflow.op->op_name : overflow.tensors[0].line.op_name;
      entry["op_file"] = overflow.op->path.string();
    }
    entry["tensors"] = std::move(tensors);
    list.push_back(std::move(entry));
  }
  std::printf("%s\n", list.dump(1).c_str());
}

int show_overflows(const OverflowOptions& options) {
  auto found = inspect::find_dumps(options.dumps);
  if (!found.ok()) {
    std::fprintf(stderr, "belay overflow: %s\n", found.status().message.c_str());
    return kBadInput;
  }
  std::vector<inspect::FoundDump> records;
  for (const inspect::FoundDump& dump : *found)
    if (inspect::is_opdebug(dump.name)) records.push_back(dump);
  std::ranges::stable_sort(records, {}, &inspect::FoundDump::time);
  if (records.size() > options.most) records.resize(options.most);
  std::vector<Overflow> overflows;
  bool broken = false;
  for (const inspect::FoundDump& record : records) {
    auto overflow = inspect::read_overflow(record, *found);
    if (overflow.ok()) {
      overflows.push_back(std::move(overflow).value());
      continue;
    }
    broken = true;
    std::fprintf(stderr, "belay overflow: %s\n", overflow.status().message.c_str());
  }
  if (options.json)
    print_json(overflows);
  else if (records.empty())
    std::printf("no overflow is recorded\n");
  else
    print_text(overflows);
  return broken ? kBadInput : records.empty() ? kAgree : kDiffer;
}

}  // namespace

void add_overflow(CLI::App& app, int& exit_code) {
  auto* command = app.add_subcommand("overflow", "the operators that overflowed, in the order of time");
  auto options = std::make_shared<OverflowOptions>();
  command->add_option("dump", options->dumps, "directories with an overflow dump beneath them")->required();
  command->add_option("-n", options->most, "how many to show at most");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] { exit_code = show_overflows(*options); });
}

}  // namespace belay::tools
