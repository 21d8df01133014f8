// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "dump/format/statistics.h"

namespace belay::dump {

enum class Mode : uint8_t { Input, Output, All };
enum class Scene : uint8_t { None, Brief, Norm, Detail, Watcher };
// What a configuration switches on. Watch is the operator kind with the watcher scene.
enum class Kind : uint8_t { None, Operator, Watch, Overflow, Exception };

// Tensors that are left out: the positions ("input0") of operators of one type or name.
struct BlackListEntry {
  std::string name;
  std::vector<std::string> positions;
};

// Operators from `begin` to `end` in execution order, both included.
struct OpRange {
  std::string begin, end;
};

// Steps from `first` to `last`, both included.
struct StepRange {
  uint64_t first, last;
};

// One object of dump_list.
struct ListItem {
  std::string model_name;                  // empty: every model
  std::vector<std::string> layers;         // empty: every operator, unless there are ranges
  std::vector<std::string> watcher_nodes;  // only in the watcher scene
  std::vector<BlackListEntry> type_black_list, name_black_list;
  std::vector<OpRange> ranges;
};

// The "dump" section of acl.json.
struct DumpConfig {
  std::string path;  // as written
  std::vector<ListItem> list;
  Mode mode = Mode::Output;
  // The operators of models and aclop's; the aclnn operators, and alone the steps of a model's operators as well.
  bool op_level = true, kernel_level = true;
  bool op_switch = false;        // single operators too
  std::vector<StepRange> steps;  // empty: every step
  bool stats = false;            // statistics instead of tensors
  uint8_t statistics = kUsualStatistics;
  bool overflow = false;  // dump_debug
  Scene scene = Scene::None;
  std::string kernel_data;  // as written; empty: none
  // What the user should know although the configuration is accepted.
  std::vector<std::string> warnings;

  Kind kind() const;
  // Whether that execution of a model is to be dumped.
  bool wants_step(uint64_t step) const;
};

// How a dump_path is judged (see dump_path.h); tests put their own in its place.
using PathCheck = std::function<Status(const std::string& path)>;

// A pure function of the text of acl.json, but for the look at the directory. Without a dump section, or with an empty
// one, nothing is enabled. 100006 when it nests too deeply; 100009 for all else, the message tells which item is wrong,
// the message id (EP0001...) which kind of mistake it is. The documented order of checks decides between several.
Result<DumpConfig> parse_config(std::string_view text, const PathCheck& check_path);
// The same for the value of "dump" alone, as JSON.
Result<DumpConfig> parse_section(std::string_view json, const PathCheck& check_path);

}  // namespace belay::dump
