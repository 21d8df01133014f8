// SPDX-License-Identifier: Apache-2.0
#include "dump/config/checks.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "base/text.h"

namespace belay::dump {
namespace {

using Names = std::initializer_list<const char*>;

constexpr size_t longest_path = 512;
constexpr size_t most_black_list_entries = 100;
constexpr size_t most_step_pieces = 100;
constexpr const char* add_op_level = "add \"dump_level\":\"op\"";

// In the order of their bits.
constexpr const char* statistic_names[] = {"Max", "Min", "Avg", "Nan", "Negative Inf", "Positive Inf", "L2norm"};

std::string item_path(const std::string& list, size_t index) { return formatted("{}[{}]", list, index); }

Status is_string(const Json& value, const std::string& item) {
  if (value.is_string()) return {};
  return wrong("EP0001", formatted("{} is {}; it must be a string", item, value.dump()));
}

Status string_member(const Json& object, const char* key, const std::string& prefix = "") {
  const Json* value = find(object, key);
  return value ? is_string(*value, prefix + key) : Status{};
}

// An array whose every element passes `check(element, item)`.
template <class Check>
Status array_member(const Json& object, const char* key, const std::string& prefix, const char* of, Check check) {
  const Json* list = find(object, key);
  if (!list) return {};
  const std::string item = prefix + key;
  if (!list->is_array()) return wrong("EP0001", formatted("{} must be an array of {}", item, of));
  for (size_t i = 0; i < list->size(); ++i) TRY(check((*list)[i], item_path(item, i)));
  return {};
}

Status string_array_member(const Json& object, const char* key, const std::string& prefix = "") {
  return array_member(object, key, prefix, "strings", is_string);
}

Status is_object(const Json& value, const std::string& item) {
  return value.is_object() ? Status{} : wrong("EP0001", formatted("{} must be an object", item));
}

Status is_black_list_entry(const Json& entry, const std::string& item) {
  TRY(is_object(entry, item));
  TRY(string_member(entry, "name", item + "."));
  return string_array_member(entry, "pos", item + ".");
}

Status is_range(const Json& range, const std::string& item) {
  TRY(is_object(range, item));
  TRY(string_member(range, "begin", item + "."));
  return string_member(range, "end", item + ".");
}

Status is_list_item(const Json& value, const std::string& item) {
  TRY(is_object(value, item));
  const std::string prefix = item + ".";
  TRY(string_member(value, "model_name", prefix));
  TRY(string_array_member(value, "layer", prefix));
  TRY(string_array_member(value, "watcher_nodes", prefix));
  TRY(array_member(value, "optype_blacklist", prefix, "objects", is_black_list_entry));
  TRY(array_member(value, "opname_blacklist", prefix, "objects", is_black_list_entry));
  return array_member(value, "opname_range", prefix, "objects", is_range);
}

// `allowed` is in alphabetical order, as the message lists it.
Status one_of(const std::string& value, const std::string& item, Names allowed) {
  if (value.empty()) return wrong("EP0001", item + " must not be empty");
  if (std::ranges::any_of(allowed, [&](const char* name) { return value == name; })) return {};
  std::string set;
  for (const char* name : allowed) set += (set.empty() ? "" : "/") + std::string(name);
  return wrong("EP0002", formatted("{} is \"{}\"; it must be one of {}", item, value, set));
}

Status value_member(const Json& dump, const char* key, Names allowed) {
  return find(dump, key) ? one_of(text_of(dump, key), key, allowed) : Status{};
}

// Calls `each` for the pieces of `text` between separators, empty ones too, until one fails.
template <class Each>
Status for_pieces(std::string_view text, char separator, Each each) {
  for (;;) {
    const size_t end = text.find(separator);
    TRY(each(text.substr(0, end)));
    if (end == text.npos) return {};
    text.remove_prefix(end + 1);
  }
}

Status conflict(std::string message) { return wrong("EP0005", std::move(message)); }

bool on(const Json& dump, const char* key) { return text_of(dump, key) == "on"; }

Status check_scene(const Json& dump, const char* scene) {
  for (const char* key : {"dump_debug", "dump_op_switch"})
    if (on(dump, key)) return conflict(formatted("{} cannot be \"on\" together with dump_scene \"{}\"", key, scene));
  return {};
}

Status check_path_item(const Json& dump, const PathCheck& check_path) {
  if (!find(dump, "dump_path")) return wrong("EP0001", "dump_path is missing: name a directory for the files");
  const std::string path = text_of(dump, "dump_path");
  if (path.empty()) return wrong("EP0001", "dump_path must not be empty");
  if (path.size() > longest_path)
    return wrong("EP0003", formatted("dump_path has {} bytes; at most {} are allowed", path.size(), longest_path));
  return check_path(path);
}

Status check_black_list(const Json& item, const char* key, const std::string& prefix) {
  const Json* list = find(item, key);
  if (!list || list->size() <= most_black_list_entries) return {};
  return wrong("EP0003", formatted("{}{} has {} entries; at most {} are allowed", prefix, key, list->size(),
                                   most_black_list_entries));
}

Status needs_op_level(const Json& item, const char* key, const std::string& prefix, bool op_level) {
  const Json* list = find(item, key);
  if (!list || list->empty() || op_level) return {};
  return conflict(
      formatted("{}{} works only with dump_level \"op\" (the default is \"all\"): {}", prefix, key, add_op_level));
}

Status check_ranges(const Json& item, const std::string& prefix, bool op_level) {
  const Json* ranges = find(item, "opname_range");
  if (!ranges || ranges->empty()) return {};
  TRY(needs_op_level(item, "opname_range", prefix, op_level));
  if (text_of(item, "model_name").empty())
    return wrong("EP0001", formatted("{}model_name is missing: opname_range needs it", prefix));
  for (size_t i = 0; i < ranges->size(); ++i)
    for (const char* key : {"begin", "end"})
      if (text_of((*ranges)[i], key).empty())
        return wrong("EP0003", formatted("{}{}.{} must name an operator", prefix, item_path("opname_range", i), key));
  return {};
}

Status check_watcher_nodes(const Json& item, const std::string& prefix, bool watching) {
  const Json* nodes = find(item, "watcher_nodes");
  if (!watching) {
    if (!nodes || nodes->empty()) return {};
    return conflict(formatted("{}watcher_nodes works only with dump_scene \"watcher\"", prefix));
  }
  if (!nodes || nodes->empty())
    return wrong("EP0001",
                 formatted("{}watcher_nodes is {}: name the operators to watch", prefix, nodes ? "empty" : "missing"));
  if (find(item, "model_name"))
    return conflict(formatted("{}model_name cannot be given with dump_scene \"watcher\"", prefix));
  return {};
}

Status check_list_item(const Json& item, const std::string& prefix, const Json& dump) {
  const bool op_level = text_of(dump, "dump_level") == "op";
  if (!on(dump, "dump_op_switch")) {
    if (find(item, "model_name") && text_of(item, "model_name").empty())
      return wrong("EP0001", prefix + "model_name must not be empty; leave it out for all models");
    if (const Json* layers = find(item, "layer"); layers && layers->empty())
      return wrong("EP0001", prefix + "layer must not be empty; leave it out for all operators");
  }
  TRY(check_watcher_nodes(item, prefix, scene_of(dump) == Scene::Watcher));
  for (const char* key : {"optype_blacklist", "opname_blacklist"}) TRY(check_black_list(item, key, prefix));
  for (const char* key : {"optype_blacklist", "opname_blacklist"}) TRY(needs_op_level(item, key, prefix, op_level));
  return check_ranges(item, prefix, op_level);
}

Status check_statistics(const Json& dump) {
  const Json* items = find(dump, "dump_stats");
  if (!items) return {};
  if (items->empty()) return wrong("EP0001", "dump_stats must not be empty; leave it out for the usual items");
  if (text_of(dump, "dump_data") != "stats") return conflict("dump_stats works only with dump_data \"stats\"");
  return {};
}

Result<StepRange> step_range(std::string_view piece) {
  std::vector<uint64_t> parts;
  TRY(for_pieces(piece, '-', [&](std::string_view part) -> Status {
    const bool digits = !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    if (!digits || parts.size() == 2)
      return wrong("EP0003",
                   formatted("dump_step has the piece \"{}\"; write numbers and ranges as in 0|3-5|10", piece));
    parts.push_back(parse_number(part).value_or(UINT64_MAX));
    return {};
  }));
  if (parts.front() > parts.back())
    return wrong("EP0003", formatted("dump_step has the range \"{}\", whose end is before its beginning", piece));
  return StepRange{parts.front(), parts.back()};
}

}  // namespace

Status wrong(const char* id, std::string message) { return {ACL_ERROR_INVALID_DUMP_CONFIG, std::move(message), id}; }

const Json* find(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() ? &*found : nullptr;
}

std::string text_of(const Json& object, const char* key) {
  const Json* value = find(object, key);
  return value ? value->get<std::string>() : std::string();
}

Status check_types(const Json& dump) {
  for (const char* key : {"dump_path", "dump_mode", "dump_op_switch", "dump_level", "dump_scene", "dump_data",
                          "dump_debug", "dump_kernel_data", "dump_step"})
    TRY(string_member(dump, key));
  TRY(string_array_member(dump, "dump_stats"));
  return array_member(dump, "dump_list", "", "objects", is_list_item);
}

Status check_values(const Json& dump) {
  TRY(value_member(dump, "dump_mode", {"all", "input", "output"}));
  TRY(value_member(dump, "dump_data", {"stats", "tensor"}));
  TRY(value_member(dump, "dump_op_switch", {"off", "on"}));
  TRY(value_member(dump, "dump_level", {"all", "kernel", "op"}));
  TRY(value_member(dump, "dump_debug", {"off", "on"}));
  TRY(value_member(dump, "dump_scene",
                   {"aic_err_brief_dump", "aic_err_detail_dump", "aic_err_norm_dump", "lite_exception", "watcher"}));
  if (find(dump, "dump_kernel_data"))
    TRY(for_pieces(text_of(dump, "dump_kernel_data"), ',', [](std::string_view piece) {
      return one_of(std::string(piece), "dump_kernel_data", {"all", "assert", "printf", "tensor", "timestamp"});
    }));
  return array_member(dump, "dump_stats", "", "strings", [](const Json& value, const std::string& item) {
    return one_of(value.get<std::string>(), item,
                  {"Avg", "L2norm", "Max", "Min", "Nan", "Negative Inf", "Positive Inf"});
  });
}

Status check_constraints(const Json& dump, const PathCheck& check_path) {
  const Scene scene = scene_of(dump);
  if (scene != Scene::None) TRY(check_scene(dump, text_of(dump, "dump_scene").c_str()));
  if (scene == Scene::Watcher && find(dump, "dump_mode") && text_of(dump, "dump_mode") != "output")
    return conflict("dump_mode must be \"output\" with dump_scene \"watcher\"");
  if (scene != Scene::None && scene != Scene::Watcher) return {};  // an exception scene: the rest does not matter
  TRY(check_path_item(dump, check_path));
  const Json* list = find(dump, "dump_list");
  if (on(dump, "dump_debug")) {
    if (on(dump, "dump_op_switch")) return conflict("dump_op_switch cannot be \"on\" together with dump_debug \"on\"");
    if (list && !list->empty()) return conflict("dump_list cannot be given together with dump_debug \"on\"");
    return {};
  }
  TRY(steps_of(dump));
  for (size_t i = 0; list && i < list->size(); ++i)
    TRY(check_list_item((*list)[i], item_path("dump_list", i) + ".", dump));
  return check_statistics(dump);
}

Scene scene_of(const Json& dump) {
  const std::string scene = text_of(dump, "dump_scene");
  if (scene == "watcher") return Scene::Watcher;
  if (scene == "aic_err_norm_dump") return Scene::Norm;
  if (scene == "aic_err_detail_dump") return Scene::Detail;
  return scene.empty() ? Scene::None : Scene::Brief;
}

uint8_t statistics_of(const std::vector<std::string>& names) {
  uint8_t bits = 0;
  for (size_t i = 0; i < std::size(statistic_names); ++i)
    if (std::ranges::find(names, statistic_names[i]) != names.end()) bits |= 1 << i;
  return bits;
}

Result<std::vector<StepRange>> steps_of(const Json& dump) {
  std::vector<StepRange> ranges;
  const std::string steps = text_of(dump, "dump_step");
  if (steps.empty()) return ranges;
  if (static_cast<size_t>(std::ranges::count(steps, '|')) >= most_step_pieces)
    return wrong("EP0003", formatted("dump_step has more than {} pieces", most_step_pieces));
  TRY(for_pieces(steps, '|', [&](std::string_view piece) -> Status {
    ranges.push_back(TRY(step_range(piece)));
    return {};
  }));
  return ranges;
}

}  // namespace belay::dump
