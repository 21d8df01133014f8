// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/output_watcher.h"

#include <algorithm>
#include <cstring>

#include "backend/layout.h"
#include "base/log/log.h"
#include "base/text.h"
#include "dump/format/csv.h"
#include "dump/format/names.h"

namespace belay::dump {
namespace {

constexpr const char* kSummary = "watch_summary.csv";
constexpr const char* kTitle = "Step,Writer,Watched,Output,First Offset,Changed Bytes,State\n";

size_t memory_of(const Tensor& tensor) {
  if (!tensor.present || !tensor.data || tensor.count() <= 0) return 0;
  return tensor.bytes();
}

// As the file has them.
std::vector<std::byte> row_major(Tensor tensor, const void* memory) {
  std::vector<std::byte> bytes(graph::bytes_of(tensor.type, tensor.count()));
  if (bytes.empty()) return bytes;
  tensor.data = const_cast<void*>(memory);
  Tensor target{tensor.type, tensor.shape, backend::Layout::Plain, bytes.data()};
  if (tensor.layout == backend::Layout::Plain || !backend::reorder(tensor, target).ok())
    std::memcpy(bytes.data(), memory, bytes.size());
  return bytes;
}

bool contains(const std::pair<uint32_t, uint32_t>& tasks, uint32_t task) {
  return tasks.first <= task && task < tasks.second;
}

}  // namespace

void OutputWatcher::forget() { watched_.clear(); }

OutputWatcher::Watched& OutputWatcher::find_or_add(const graph::Node& node, uint32_t task) {
  const auto found = std::ranges::find(watched_, &node, &Watched::node);
  if (found != watched_.end()) return *found;
  const auto at = std::ranges::upper_bound(watched_, task, {}, &Watched::task);
  return *watched_.insert(at, Watched{&node, nullptr, {}, task, 0, {}});
}

void OutputWatcher::begins(const Setting& setting, const std::string& directory, const RunInfo& run,
                           const Selection& selection, const executor::MemoryPlan& plan) {
  std::string lines;
  for (const auto& [node, chosen] : selection.nodes) {
    auto planned = plan.outputs_of(*node);
    if (planned.empty()) continue;
    Watched& watched = find_or_add(*node, planned[0].task);
    watched.chosen = &chosen;
    watched.tasks = plan.tasks();
    watched.outputs.resize(planned.size());
    for (size_t o = 0; o < planned.size(); ++o) {
      Output& output = watched.outputs[o];
      const bool same = !planned[o].callers && planned[o].tensor.data == output.planned.tensor.data;
      if (!same) output.seen.clear();  // between two executions it belongs to the program
      output.planned = std::move(planned[o]);
    }
    if (watched.ran_in != run.data_index) lines += compare(watched, run, nullptr);
  }
  add_lines(setting, directory, std::move(lines));
}

void OutputWatcher::ran(const Setting& setting, const std::string& directory, const RunInfo& run,
                        const Selection& selection, const graph::Node& node) {
  std::string lines;
  for (Watched& watched : watched_)
    if (watched.node != &node) lines += compare(watched, run, &node);
  if (!lines.empty()) add_lines(setting, directory, std::move(lines));
  const bool writes = selection.writers.contains(&node);
  for (Watched& watched : watched_) {
    if (watched.node == &node) {
      for (Output& output : watched.outputs) {
        const auto* memory = output.planned.tensor.as<const std::byte>();
        output.seen.assign(memory, memory + memory_of(output.planned.tensor));
      }
      watched.ran_in = run.data_index;
      record(setting, directory, run, *watched.chosen, watched);
    } else if (writes) {
      ChosenNode chosen = *watched.chosen;
      chosen.name = node.name + "_To_" + watched.node->name;
      chosen.stem = mangled(watched.node->type) + "." + mangled(chosen.name);
      record(setting, directory, run, chosen, watched);
    }
  }
}

void OutputWatcher::record(const Setting& setting, const std::string& directory, const RunInfo& run,
                           const ChosenNode& chosen, const Watched& watched) {
  std::vector<Tensor> outputs;
  for (const Output& output : watched.outputs) outputs.push_back(output.planned.tensor);
  recorder_.record(setting, directory, run, chosen, {}, outputs);
}

OutputWatcher::Change OutputWatcher::change_of(const Watched& watched, const Output& output, const RunInfo& run,
                                               const graph::Node* writer) {
  const bool elsewhere =
      writer && !contains(watched.tasks, run.task_id);  // its graph has ended, its memory is given back
  const uint64_t age = run.data_index - watched.ran_in;
  const auto has_happened = [&](const executor::PlannedOutput::Reuse& reuse) {
    const bool before = writer && reuse.task <= run.task_id, after = reuse.task > watched.task;
    if (age == 0) return after && before;
    return age > 1 || after || before;
  };
  const auto* now = output.planned.tensor.as<const std::byte>();
  Change change{.planned = true};
  for (size_t i = 0; i < output.seen.size() && !elsewhere && change.planned; ++i)
    change.planned = now[i] == output.seen[i] ||
                     std::ranges::any_of(output.planned.reuses, [&](const executor::PlannedOutput::Reuse& reuse) {
                       return reuse.begin <= i && i < reuse.end && has_happened(reuse);
                     });
  const auto old_bytes = row_major(output.planned.tensor, output.seen.data());
  const auto new_bytes = row_major(output.planned.tensor, now);
  for (size_t i = 0; i < old_bytes.size(); ++i)
    if (old_bytes[i] != new_bytes[i] && change.bytes++ == 0) change.first = i;
  return change;
}

std::string OutputWatcher::compare(Watched& watched, const RunInfo& run, const graph::Node* writer) {
  std::string lines;
  for (size_t o = 0; o < watched.outputs.size(); ++o) {
    Output& output = watched.outputs[o];
    const auto* now = output.planned.tensor.as<const std::byte>();
    if (output.seen.empty() || std::memcmp(now, output.seen.data(), output.seen.size()) == 0) continue;
    const Change change = change_of(watched, output, run, writer);
    output.seen.assign(now, now + output.seen.size());
    if (change.bytes == 0) continue;  // only what pads its blocks
    const bool live = writer && watched.ran_in == run.data_index && contains(watched.tasks, run.task_id) &&
                      run.task_id < output.planned.last_reader;
    lines += formatted("{},{},{},{},{},{},{}\n", run.data_index, writer ? csv_field(writer->name) : "",
                       csv_field(watched.node->name), o, change.first, change.bytes,
                       live             ? "live"
                       : change.planned ? "reused"
                                        : "free");
    if (live)
      log_notice(LogModule::Dump,
                 "\"{}\" changed {} bytes of output {} of \"{}\" which others still read, from offset {}", writer->name,
                 change.bytes, o, watched.node->name, change.first);
  }
  return lines;
}

// The first line is written although nothing may follow: it says that somebody watched. A callback gets dump files
// only.
void OutputWatcher::add_lines(const Setting& setting, const std::string& directory, std::string lines) {
  if (outlet_.has_callback()) return;
  const std::string above = directory.substr(0, directory.rfind('/'));
  if (begun_.insert(setting.root->shown() + "/" + above).second) lines = kTitle + lines;
  if (lines.empty()) return;
  Outgoing item{.place = {setting.root, above, kSummary}, .head = std::move(lines), .grows = true};
  item.counted = outlet_.reserve(kFileOverhead + item.head.size()).take_rest();
  if (outlet_.may_wait())
    outlet_.submit_and_wait(std::move(item));  // several threads write files, and the lines must keep their order
  else
    outlet_.submit(std::move(item));
}

}  // namespace belay::dump
