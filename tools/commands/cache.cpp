// SPDX-License-Identifier: Apache-2.0
// belay cache: the packed weights that loading models left on the disk.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <ctime>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/files/disk_cache.h"
#include "base/json_text.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/say.h"
#include "commands/table.h"

namespace belay::tools {
namespace {

using Json = nlohmann::ordered_json;

struct CacheOptions {
  std::string action = "list";
  bool json = false;
};

// The files that one model left.
struct Share {
  size_t files = 0;
  uint64_t bytes = 0;
  time_t used = 0;
};

std::map<std::string, Share> shares_of(const DiskCache& cache) {
  std::map<std::string, Share> shares;
  for (const auto& entry : cache.entries(true)) {
    Share& share = shares[entry.label];
    ++share.files;
    share.bytes += entry.bytes;
    share.used = std::max(share.used, entry.used.tv_sec);
  }
  return shares;
}

uint64_t bytes_in(const DiskCache& cache) {
  uint64_t bytes = 0;
  for (const auto& entry : cache.entries(false)) bytes += entry.bytes;
  return bytes;
}

std::string size_text(uint64_t bytes) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f MiB", static_cast<double>(bytes) / (1 << 20));
  return text;
}

std::string time_text(time_t seconds) {
  char text[32];
  tm parts{};
  localtime_r(&seconds, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return text;
}

std::string name_text(const std::string& label) { return label.empty() ? "(from memory)" : label; }

Json describe(DiskCache& cache, const std::string& action) {
  Json report{{"directory", cache.directory()}, {"limit", cache.most_bytes()}};
  if (action == "clear") {
    std::vector<std::string> kept;
    report["removed_bytes"] = cache.clear(kept);
    report["bytes"] = bytes_in(cache);
    report["kept"] = kept;
    return report;
  }
  report["bytes"] = bytes_in(cache);
  if (action == "size") return report;
  report["models"] = Json::array();
  for (const auto& [label, share] : shares_of(cache))
    report["models"].push_back(
        {{"model", label}, {"files", share.files}, {"bytes", share.bytes}, {"used", share.used}});
  return report;
}

void print_models(const Json& models) {
  std::vector<std::vector<std::string>> rows{{"last used", "size", "files", "model"}};
  for (const Json& model : models)
    rows.push_back({time_text(model["used"]), size_text(model["bytes"]), std::to_string(model["files"].get<size_t>()),
                    name_text(model["model"])});
  if (rows.size() > 1) print_table(rows);
}

void print(const Json& report, const std::string& action) {
  if (action == "clear") say("removed %s from ", size_text(report["removed_bytes"]).c_str());
  if (action == "list") print_models(report["models"]);
  if (action != "clear")
    say("%s of at most %s in ", size_text(report["bytes"]).c_str(), size_text(report["limit"]).c_str());
  say("%s\n", report["directory"].get<std::string>().c_str());
}

}  // namespace

void add_cache(CLI::App& app, int& exit_code) {
  auto* command =
      app.add_subcommand("cache", "List, measure or clear the packed weights that loading left on the disk");
  auto options = std::make_shared<CacheOptions>();
  command->add_option("action", options->action, "What to do: list, size or clear (default: list)")
      ->type_name("")
      ->check(one_of({"list", "size", "clear"}));
  command->add_flag("--json", options->json, "Print JSON (default: text)");
  command->callback([options, &exit_code] {
    DiskCache* const cache = disk_cache();
    exit_code = kAgree;
    if (!cache) return (void)say(options->json ? "{\"directory\": null}\n" : "the cache is off\n");
    const Json report = describe(*cache, options->action);
    if (options->json)
      std::printf("%s\n", json_text(report, 2).c_str());
    else
      print(report, options->action);
    if (options->action != "clear" || report["kept"].empty()) return;
    for (const Json& kept : report["kept"])
      complain("belay cache: cannot remove %s\n", kept.get<std::string>().c_str());
    exit_code = kBadInput;
  });
}

}  // namespace belay::tools
