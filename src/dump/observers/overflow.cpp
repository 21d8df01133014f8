// SPDX-License-Identifier: Apache-2.0
#include "dump/observers/overflow.h"

#include <algorithm>
#include <cmath>

#include "backend/finite.h"
#include "base/exception_words.h"
#include "base/log/log.h"
#include "base/text.h"
#include "dump/format/names.h"
#include "dump/format/opdebug.h"

namespace belay::dump {
namespace {

size_t stored_bytes(const Tensor& tensor) {
  if (!tensor.present || !tensor.data || tensor.count() <= 0) return 0;
  return tensor.bytes();
}

bool all_finite(std::span<const Tensor> tensors) {
  return std::ranges::all_of(tensors, [](const Tensor& tensor) { return backend::is_finite(tensor); });
}

}  // namespace

void OverflowFinder::keep(const graph::Node& node, std::span<const Tensor> inputs) {
  kept_finite_ = false;
  kept_.clear();
  kept_bytes_.clear();
  try {
    if (!all_finite(inputs)) return;
    for (const Tensor& input : inputs) {
      const size_t bytes = stored_bytes(input);
      const auto* from = input.as<const std::byte>();
      kept_bytes_.emplace_back(from, from + bytes);
      kept_.push_back(input);
      if (bytes > 0) kept_.back().data = kept_bytes_.back().data();
    }
    kept_finite_ = true;
  } catch (const std::exception& e) {
    log_notice(LogModule::Dump, "{} \"{}\" is not watched for overflow: {}", node.type, node.name, exception_words(e));
  }
}

void OverflowFinder::judge_changed(const Setting& setting, const std::string& directory, const RunInfo& run,
                                   const ChosenNode& chosen, std::span<const Tensor> outputs) {
  if (kept_finite_) judge(setting, directory, run, chosen, kept_, outputs);
  kept_finite_ = false;
  kept_bytes_.clear();
}

bool OverflowFinder::overflows(const RunInfo& run, const ChosenNode& chosen, std::span<const Tensor> inputs,
                               std::span<const Tensor> outputs) {
  std::vector<double> most;
  for (const Tensor& output : outputs) most.push_back(backend::largest_magnitude(output));
  if (tells_ == Tells::OpdebugAndGrowth) growth_.saw(chosen, inputs, outputs, most);
  if (run.clipped) return true;
  return !std::ranges::all_of(most, [](double each) { return std::isfinite(each); }) && all_finite(inputs);
}

void OverflowFinder::judge(const Setting& setting, const std::string& directory, const RunInfo& run,
                           const ChosenNode& chosen, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  try {
    if (!overflows(run, chosen, inputs, outputs)) return;
  } catch (const std::exception& e) {
    log_notice(LogModule::Dump, "\"{}\" is not checked for overflow: {}", chosen.name, exception_words(e));
    return;
  }
  if (tells_ != Tells::Nothing) record_opdebug(setting, directory, run);
  recorder_.forget_values();  // copies made for an earlier file may be those of values that changed since
  recorder_.record(setting, directory, run, chosen, inputs, outputs);
  if (tells_ == Tells::OpdebugAndGrowth) record_growth(setting, directory, run, chosen);
}

void OverflowFinder::record_opdebug(const Setting& setting, const std::string& directory, const RunInfo& run) {
  const uint64_t time = next_time();
  Outgoing item{.place = {setting.root, directory,
                          std::string(kOpdebugStem) + "." + file_suffix(run.task_id, run.stream_id, time)}};
  const std::string block = opdebug_block(run.model_id, run.stream_id, run.task_id);
  auto head = encode(opdebug_header(time, block.data()));
  if (head.ok())
    submit(std::move(item), std::move(head).value() + block);
  else
    outlet_.dropped(*setting.root, block.size(), head.status().message);
}

// Beside the directories of the executions, where the vendor's tools do not look. A callback gets dump files only.
void OverflowFinder::record_growth(const Setting& setting, const std::string& directory, const RunInfo& run,
                                   const ChosenNode& chosen) {
  if (outlet_.has_callback()) return;
  const std::string name = formatted("{}{}_{}_{}.json", kChainStem, run.data_index, run.stream_id, run.task_id);
  std::string chain = growth_.chain_of(chosen, run);
  if (chain.empty()) return;
  submit({.place = {setting.root, directory.substr(0, directory.rfind('/')), name}}, std::move(chain));
}

void OverflowFinder::submit(Outgoing item, std::string content) {
  const auto root = item.place.root;
  const size_t bytes = content.size();
  try {
    item.counted = outlet_.reserve(kFileOverhead + bytes).take_rest();
    item.head = std::move(content);
    outlet_.submit(std::move(item));
  } catch (const std::exception& e) {
    outlet_.dropped(*root, bytes, exception_words(e));
  }
}

}  // namespace belay::dump
