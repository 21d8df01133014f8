// SPDX-License-Identifier: Apache-2.0
#include "report/times.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/files/file.h"
#include "base/text.h"

namespace belay::report {

constexpr size_t kMostBytes = size_t{1} << 30;

Result<std::map<std::string, double>> read_times(const std::filesystem::path& trace) {
  const std::string text = TRY(read_text(trace, kMostBytes));
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  const Status wrong{ACL_ERROR_PARSE_FILE, formatted("{} is not what belay run --trace writes", trace.string())};
  if (!json.is_object() || !json.contains("traceEvents") || !json["traceEvents"].is_array()) return wrong;
  std::map<std::string, std::pair<double, double>> sums;  // time, runs
  for (const nlohmann::json& event : json["traceEvents"]) {
    if (!event.is_object() || !event.contains("cat") || event["cat"] != "kernel") continue;
    if (!event.contains("name") || !event["name"].is_string() || !event.contains("dur") || !event["dur"].is_number())
      return wrong;
    auto& [time, runs] = sums[event["name"]];
    time += event["dur"].get<double>();
    ++runs;
  }
  std::map<std::string, double> means;
  for (const auto& [name, sum] : sums) means[name] = sum.first / sum.second;
  return means;
}

}  // namespace belay::report
