// SPDX-License-Identifier: Apache-2.0
#include "commands/run_profile.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <stdexcept>

#include "backend/peak.h"
#include "base/files/file.h"
#include "commands/say.h"
#include "commands/table.h"

namespace belay::tools {
namespace {

constexpr size_t kMostTimelineBytes = size_t{4} << 30;
constexpr size_t kShownOperators = 20;

std::string temporary_file() {
  std::string path = (std::filesystem::temp_directory_path() / "belay-timeline-XXXXXX").string();
  const int descriptor = mkstemp(path.data());
  if (descriptor < 0) throw std::runtime_error("no temporary file can be made in " + path);
  close(descriptor);
  return path;
}

std::string number(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

double over(double above, double below) { return below > 0 ? above / below : 0; }

}  // namespace

RunProfile::RunProfile(const std::string& file)
    : temporary_(file.empty()), file_(temporary_ ? temporary_file() : file) {
  setenv("BELAY_TIMELINE", file_.c_str(), 1);
}

RunProfile::~RunProfile() {
  if (temporary_) unlink(file_.c_str());
}

void RunProfile::read(size_t runs, int threads) {
  const auto text = read_text(file_, kMostTimelineBytes);
  if (!text.ok()) throw std::runtime_error("the timeline is missing: " + text.status().message);
  const auto timeline = nlohmann::json::parse(*text, nullptr, false);
  if (timeline.is_discarded() || !timeline.contains("traceEvents"))
    throw std::runtime_error("the timeline " + file_ + " was not written");
  if (const size_t lost = timeline["otherData"].value("lost", size_t{0}); lost > 0)
    throw std::runtime_error(std::to_string(lost) + " spans did not fit into the timeline: profile fewer runs");
  std::vector<const nlohmann::json*> executions;
  for (const auto& event : timeline["traceEvents"])
    if (event.value("cat", "") == "model") executions.push_back(&event);
  if (executions.size() < runs) throw std::runtime_error("the timeline does not have all executions");
  std::set<uint64_t> wanted;
  for (auto execution = executions.end() - static_cast<std::ptrdiff_t>(runs); execution != executions.end();
       ++execution) {
    wanted.insert((**execution)["args"]["run"].get<uint64_t>());
    total_us_ += (**execution)["dur"].get<double>();
  }
  runs_ = runs;
  threads_ = threads;
  for (const auto& event : timeline["traceEvents"])
    if (event.value("cat", "") == "kernel" && wanted.contains(event["args"]["run"].get<uint64_t>())) add(event);
  std::ranges::stable_sort(kinds_, std::greater(), &Row::us);
  peak_flops_ = backend::product_flops(threads);
  peak_bytes_ = backend::read_bytes(threads);
}

void RunProfile::add(const nlohmann::json& event) {
  const auto& arguments = event["args"];
  const Row one{.name = event["name"],
                .type = arguments["type"],
                .how = arguments["how"],
                .us = event["dur"],
                .flops = arguments["flops"],
                .bytes = arguments.value("bytes", 0.0),
                .loops = arguments["loops"],
                .pieces = arguments["pieces"],
                .helped = arguments["helped"],
                .woken = arguments["woken"]};
  const auto task = arguments["task"].get<uint32_t>();
  const auto found = [](auto& places, auto key, auto& rows) -> Row& {
    const auto [place, added] = places.try_emplace(std::move(key), rows.size());
    if (added) rows.emplace_back();
    return rows[place->second];
  };
  const auto count = [&one](Row& row) {
    ++row.calls;
    row.us += one.us;
    row.flops += one.flops;
    row.bytes += one.bytes;
    row.loops += one.loops;
    row.pieces += one.pieces;
    row.helped += one.helped;
    row.woken += one.woken;
    row.type = one.type;
    row.how = one.how;
  };
  Row& op = found(operator_at_, std::tuple(task, one.name, one.how), operators_);
  op.name = one.name;
  count(op);
  count(found(kind_at_, std::pair(one.type, one.how), kinds_));
  count(kernels_);
}

// The time that the machine would need at the least, in parts of the time that it took.
double RunProfile::roofline(const Row& row) const {
  return over(std::max(over(row.flops, peak_flops_), over(row.bytes, peak_bytes_)), row.us / 1e6);
}

nlohmann::json RunProfile::json(const Row& row) const {
  nlohmann::json shown{{"type", row.type},
                       {"how", row.how},
                       {"calls", per_run(static_cast<double>(row.calls))},
                       {"ms", per_run(row.us) / 1e3},
                       {"share", over(row.us, total_us_)},
                       {"flops", per_run(row.flops)},
                       {"bytes", per_run(row.bytes)},
                       {"gflops_per_s", over(row.flops, row.us) / 1e3},
                       {"gb_per_s", over(row.bytes, row.us) / 1e3},
                       {"roofline", roofline(row)},
                       {"loops", per_run(row.loops)},
                       {"pieces", per_run(row.pieces)},
                       {"helped", per_run(row.helped)},
                       {"woken", per_run(row.woken)}};
  if (!row.name.empty()) shown["name"] = row.name;
  return shown;
}

nlohmann::json RunProfile::json() const {
  nlohmann::json operators = nlohmann::json::array(), kinds = nlohmann::json::array();
  for (const Row& row : operators_) operators.push_back(json(row));
  for (const Row& row : kinds_) kinds.push_back(json(row));
  return {{"runs", runs_},
          {"threads", threads_},
          {"ms", per_run(total_us_) / 1e3},
          {"kernels_ms", per_run(kernels_.us) / 1e3},
          {"flops", per_run(kernels_.flops)},
          {"bytes", per_run(kernels_.bytes)},
          {"peak_gflops_per_s", peak_flops_ / 1e9},
          {"peak_gb_per_s", peak_bytes_ / 1e9},
          {"roofline", roofline(kernels_)},
          {"loops", per_run(kernels_.loops)},
          {"pieces", per_run(kernels_.pieces)},
          {"helped", per_run(kernels_.helped)},
          {"woken", per_run(kernels_.woken)},
          {"kernels", kinds},
          {"operators", operators}};
}

std::vector<std::string> RunProfile::cells(const Row& row) const {
  return {row.type,
          row.how,
          number("%.4g", per_run(static_cast<double>(row.calls))),
          number("%.3f", per_run(row.us) / 1e3),
          number("%.1f %%", 100 * over(row.us, total_us_)),
          number("%.1f", over(row.flops, row.us) / 1e3),
          number("%.1f", over(row.bytes, row.us) / 1e3),
          number("%.0f %%", 100 * roofline(row)),
          number("%.4g", per_run(row.loops)),
          number("%.4g", per_run(row.pieces)),
          row.name};
}

void RunProfile::print() const {
  say("profile of %zu run%s on %d thread%s, each %.3f ms; in kernels %.3f ms (%.1f %%), %.3f GFLOP, %.1f MB\n", runs_,
      runs_ == 1 ? "" : "s", threads_, threads_ == 1 ? "" : "s", per_run(total_us_) / 1e3, per_run(kernels_.us) / 1e3,
      100 * over(kernels_.us, total_us_), per_run(kernels_.flops) / 1e9, per_run(kernels_.bytes) / 1e6);
  say("this machine now: products %.1f GFLOP/s, reading %.1f GB/s; of that the kernels reach %.0f %%\n",
      peak_flops_ / 1e9, peak_bytes_ / 1e9, 100 * roofline(kernels_));
  say("shared with other threads: %.4g loops in %.4g pieces; threads came %.4g times and were woken %.4g times\n",
      per_run(kernels_.loops), per_run(kernels_.pieces), per_run(kernels_.helped), per_run(kernels_.woken));
  std::vector<std::string> head{"type", "kernel",   "calls", "ms",     "share", "GFLOP/s",
                                "GB/s", "roofline", "loops", "pieces", ""};
  std::vector<std::vector<std::string>> table{head};
  for (const Row& row : kinds_) table.push_back(cells(row));
  print_table(table, 2);
  std::vector<const Row*> slowest;
  for (const Row& row : operators_) slowest.push_back(&row);
  std::ranges::stable_sort(slowest, std::greater(), &Row::us);
  if (slowest.size() > kShownOperators) slowest.resize(kShownOperators);
  say("the slowest %zu of %zu operators (--json has all)\n", slowest.size(), operators_.size());
  head.back() = "operator";
  table = {head};
  for (const Row* row : slowest) table.push_back(cells(*row));
  print_table(table, 2);
}

}  // namespace belay::tools
