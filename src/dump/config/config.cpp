// SPDX-License-Identifier: Apache-2.0
#include "dump/config/config.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/exception_words.h"
#include "base/strict.h"
#include "base/text.h"
#include "dump/config/checks.h"

namespace belay::dump {
namespace {

constexpr size_t deepest = 10;

Result<Json> parse_json(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    return wrong("EP0004", "the configuration is not JSON: " + json_words(e, text));
  }
}

std::vector<std::string> strings(const Json& object, const char* key) {
  const Json* list = find(object, key);
  return list ? list->get<std::vector<std::string>>() : std::vector<std::string>();
}

std::vector<BlackListEntry> black_list(const Json& item, const char* key) {
  std::vector<BlackListEntry> entries;
  if (const Json* list = find(item, key))
    for (const Json& entry : *list) entries.push_back({text_of(entry, "name"), strings(entry, "pos")});
  return entries;
}

ListItem list_item(const Json& item) {
  ListItem made{.model_name = text_of(item, "model_name"),
                .layers = strings(item, "layer"),
                .watcher_nodes = strings(item, "watcher_nodes"),
                .type_black_list = black_list(item, "optype_blacklist"),
                .name_black_list = black_list(item, "opname_blacklist")};
  if (const Json* ranges = find(item, "opname_range"))
    for (const Json& range : *ranges) made.ranges.push_back({text_of(range, "begin"), text_of(range, "end")});
  return made;
}

// What the documented checks have accepted, as a value.
DumpConfig made_config(const Json& dump) {
  DumpConfig config;
  config.path = text_of(dump, "dump_path");
  config.scene = scene_of(dump);
  config.overflow = text_of(dump, "dump_debug") == "on";
  config.op_switch = text_of(dump, "dump_op_switch") == "on";
  config.kernel_data = text_of(dump, "dump_kernel_data");
  const std::string mode = text_of(dump, "dump_mode"), level = text_of(dump, "dump_level");
  if (mode == "input") config.mode = Mode::Input;
  if (mode == "all" || config.overflow) config.mode = Mode::All;
  config.op_level = level != "kernel";
  config.kernel_level = level != "op";
  config.stats = text_of(dump, "dump_data") == "stats";
  if (find(dump, "dump_stats")) config.statistics = statistics_of(strings(dump, "dump_stats"));
  if (const Json* list = find(dump, "dump_list"))
    for (const Json& item : *list) config.list.push_back(list_item(item));
  return config;
}

void warn_of_repeated_models(DumpConfig& config) {
  std::map<std::string, size_t> times;
  for (const ListItem& item : config.list)
    if (!item.model_name.empty()) ++times[item.model_name];
  for (const auto& [name, count] : times)
    if (count > 1)
      config.warnings.push_back(formatted(
          "dump_list names model \"{}\" {} times: {}; name it once, with all that is wanted of it", name, count,
          strict_mode() ? "the layers and ranges of the last item count"
                        : "the items are put together, where an NPU takes the layers and ranges of the last"));
}

void add_warnings(DumpConfig& config) {
  if (config.kind() == Kind::Exception && !config.list.empty())
    config.warnings.push_back("dump_list is ignored: dump_scene asks for an exception dump, and both cannot be on");
  else
    warn_of_repeated_models(config);
  if (!config.kernel_data.empty())
    config.warnings.push_back("dump_kernel_data is accepted, but there are no device kernels here: it yields no files");
}

Result<DumpConfig> parse_object(const Json& dump, const PathCheck& check_path) {
  if (!dump.is_object()) return wrong("EP0001", formatted("dump is {}; it must be an object", dump.dump()));
  if (dump.empty()) return DumpConfig{};
  TRY(check_types(dump));
  TRY(check_values(dump));
  TRY(check_constraints(dump, check_path));
  DumpConfig config = made_config(dump);
  // Where dump_step was not checked, it may still be wrong.
  if (auto steps = steps_of(dump); steps.ok())
    config.steps = std::move(steps).value();
  else
    config.warnings.push_back(steps.status().message + "; it is ignored");
  add_warnings(config);
  return config;
}

}  // namespace

Kind DumpConfig::kind() const {
  if (scene == Scene::Watcher) return Kind::Watch;
  if (scene != Scene::None) return Kind::Exception;
  if (overflow) return Kind::Overflow;
  return !list.empty() || op_switch ? Kind::Operator : Kind::None;
}

bool DumpConfig::wants_step(uint64_t step) const {
  return steps.empty() ||
         std::ranges::any_of(steps, [=](const StepRange& range) { return range.first <= step && step <= range.last; });
}

Result<DumpConfig> parse_config(std::string_view text, const PathCheck& check_path) {
  if (text.empty()) return DumpConfig{};
  if (nesting_depth(text) > deepest)
    return Status{ACL_ERROR_PARSE_FILE, formatted("braces or brackets nest deeper than {}", deepest), "EP0004"};
  const Json root = TRY(parse_json(text));
  const Json* dump = root.is_object() ? find(root, "dump") : nullptr;
  return dump ? parse_object(*dump, check_path) : DumpConfig{};
}

Result<DumpConfig> parse_section(std::string_view json, const PathCheck& check_path) {
  return parse_object(TRY(parse_json(json)), check_path);
}

}  // namespace belay::dump
