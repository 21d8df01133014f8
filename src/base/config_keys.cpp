// SPDX-License-Identifier: Apache-2.0
#include "base/config_keys.h"

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <span>

#include "base/closest.h"
#include "base/log/log.h"
#include "base/text.h"

namespace belay {
namespace {

using Json = nlohmann::json;

// A key, and the keys of the object, or of the objects in the list, that is its value.
struct Key {
  std::string_view name;
  std::span<const Key> inside = {};
};

constexpr Key kBlackListEntry[] = {{"name"}, {"pos"}};
constexpr Key kRange[] = {{"begin"}, {"end"}};
constexpr Key kListItem[] = {{"model_name"},
                             {"layer"},
                             {"watcher_nodes"},
                             {"optype_blacklist", kBlackListEntry},
                             {"opname_blacklist", kBlackListEntry},
                             {"opname_range", kRange}};
constexpr Key kDump[] = {
    {"dump_path"}, {"dump_list", kListItem}, {"dump_mode"},  {"dump_level"}, {"dump_op_switch"},  {"dump_step"},
    {"dump_data"}, {"dump_stats"},           {"dump_debug"}, {"dump_scene"}, {"dump_kernel_data"}};
constexpr Key kProfiler[] = {{"switch"},
                             {"output"},
                             {"storage_limit"},
                             {"aic_metrics"},
                             {"aicpu"},
                             {"l2"},
                             {"hccl"},
                             {"msproftx"},
                             {"task_tsfw"},
                             {"task_memory"},
                             {"instr_profiling"},
                             {"ascendcl"},
                             {"runtime_api"},
                             {"task_time"},
                             {"ge_api"},
                             {"sys_hardware_mem_freq"},
                             {"sys_io_sampling_freq"},
                             {"dvpp_freq"},
                             {"sys_lp_freq"},
                             {"sys_interconnection_freq"},
                             {"host_sys_usage_freq"},
                             {"sys_cpu_freq"},
                             {"instr_profiling_freq"},
                             {"llc_profiling"},
                             {"sys_mem_serviceflow"},
                             {"host_sys"},
                             {"host_sys_usage"},
                             {"optype"}};
constexpr Key kStackSize[] = {{"aicore_stack_size"}, {"simt_stack_size"}, {"simt_divergence_stack_size"}};
constexpr Key kDefaultDevice[] = {{"default_device"}};
constexpr Key kGraph[] = {{"event_mode"}};
constexpr Key kTop[] = {{"dump", kDump},
                        {"profiler", kProfiler},
                        {"err_msg_mode"},
                        {"max_opqueue_num"},
                        {"StackSize", kStackSize},
                        {"defaultDevice", kDefaultDevice},
                        {"simd_printf_fifo_size_per_core"},
                        {"simt_printf_fifo_size"},
                        {"acl_graph", kGraph}};

std::string sentence(const std::string& place, std::string_view key, std::span<const Key> known) {
  std::vector<std::string_view> names;
  for (const Key& each : known) names.push_back(each.name);
  const std::string_view meant = closest_name(key, names);
  return formatted("{} is not a known key and is ignored; {} {}", place,
                   meant.empty() ? "the closest known keys are" : "did you mean",
                   meant.empty() ? closest_names(key, names) : std::string(meant) + "?");
}

void look_at(const Json& object, std::span<const Key> known, const std::string& place,
             std::vector<std::string>& found) {
  if (!object.is_object() || known.empty()) return;
  for (const auto& [key, value] : object.items()) {
    const std::string here = place.empty() ? key : place + "." + key;
    const auto row = std::ranges::find(known, key, &Key::name);
    if (row == known.end()) {
      found.push_back(sentence(here, key, known));
    } else if (value.is_array()) {
      for (size_t i = 0; i < value.size(); ++i) look_at(value[i], row->inside, formatted("{}[{}]", here, i), found);
    } else {
      look_at(value, row->inside, here, found);
    }
  }
}

}  // namespace

std::vector<std::string> unknown_keys(std::string_view acl_json) {
  std::vector<std::string> found;
  const Json root = Json::parse(acl_json, nullptr, false);
  if (root.is_object()) look_at(root, kTop, "", found);
  return found;
}

void say_unknown_keys(std::string_view acl_json) {
  static auto& mutex = *new std::mutex;
  static auto& said = *new std::set<std::string>;
  for (const std::string& text : unknown_keys(acl_json)) {
    std::unique_lock lock(mutex);
    const bool is_new = said.insert(text).second;
    lock.unlock();
    if (is_new) log_notice(LogModule::AscendCl, "acl.json: {}", text);
  }
}

}  // namespace belay
