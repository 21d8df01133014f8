// SPDX-License-Identifier: Apache-2.0
#include "dump/overflow.h"

#include <algorithm>
#include <cstring>

#include "backend/cpu/layout.h"
#include "base/log.h"
#include "dump/finite.h"
#include "dump/names.h"
#include "dump/opdebug.h"

namespace belay::dump {
namespace {

constexpr size_t kOverhead = 1024;  // counted for each file, besides its bytes

size_t stored_bytes(const Tensor& tensor) {
  if (!tensor.present || !tensor.data || tensor.count() <= 0) return 0;
  return backend::storage_bytes(tensor.type, tensor.shape, tensor.layout);
}

// The last word on a tensor whose memory holds something that is not finite: it may be in what pads the blocks.
bool finite_without_padding(const Tensor& tensor) {
  std::vector<std::byte> row_major(graph::bytes_of(tensor.type, tensor.count()));
  Tensor target{tensor.type, tensor.shape, backend::Layout::Plain, row_major.data()};
  if (!backend::cpu::reorder(tensor, target).ok()) return false;
  return all_finite(target.type, target.data, static_cast<uint64_t>(target.count()));
}

bool all_tensors_finite(std::span<const Tensor> tensors) { return std::ranges::all_of(tensors, is_finite); }

}  // namespace

bool is_finite(const Tensor& tensor) {
  const size_t bytes = stored_bytes(tensor), each = graph::bits_of(tensor.type) / 8;
  if (bytes == 0 || each == 0 || all_finite(tensor.type, tensor.data, bytes / each)) return true;
  return bytes != graph::bytes_of(tensor.type, tensor.count()) && finite_without_padding(tensor);
}

void OverflowFinder::keep(const graph::Node& node, std::span<const Tensor> inputs) {
  kept_for_ = nullptr;
  kept_.clear();
  kept_bytes_.clear();
  try {
    if (!all_tensors_finite(inputs)) return;
    for (const Tensor& input : inputs) {
      const size_t bytes = stored_bytes(input);
      const auto* from = input.as<const std::byte>();
      kept_bytes_.emplace_back(from, from + bytes);
      kept_.push_back(input);
      if (bytes > 0) kept_.back().data = kept_bytes_.back().data();
    }
    kept_for_ = &node;
  } catch (const std::exception& e) {
    log_notice(LogModule::Dump, "{} \"{}\" is not watched for overflow: {}", node.type, node.name, e.what());
  }
}

void OverflowFinder::judge_changed(const Setting& setting, const std::string& directory, const RunInfo& run,
                                   const graph::Node& node, const ChosenNode& chosen, std::span<const Tensor> outputs) {
  if (kept_for_ == &node) judge(setting, directory, run, chosen, kept_, outputs);
  kept_for_ = nullptr;
  kept_bytes_.clear();
}

void OverflowFinder::judge(const Setting& setting, const std::string& directory, const RunInfo& run,
                           const ChosenNode& chosen, std::span<const Tensor> inputs, std::span<const Tensor> outputs) {
  try {
    if (all_tensors_finite(outputs) || !all_tensors_finite(inputs)) return;
  } catch (const std::exception& e) {
    log_notice(LogModule::Dump, "\"{}\" is not judged for overflow: {}", chosen.name, e.what());
    return;
  }
  record_opdebug(setting, directory, run);
  recorder_.forget_values();  // copies made for an earlier file may be those of values that changed since
  recorder_.record(setting, directory, run, chosen, inputs, outputs);
}

void OverflowFinder::record_opdebug(const Setting& setting, const std::string& directory, const RunInfo& run) {
  const uint64_t time = next_time();
  Outgoing item{.place = {setting.root, directory,
                          std::string(kOpdebugStem) + "." + file_suffix(run.task_id, run.stream_id, time)}};
  Status status;
  try {
    const std::string block = opdebug_block(run);
    auto head = encode(opdebug_header(time, block.data()));
    status = head.ok() ? Status{} : head.status();
    if (status.ok()) {
      item.head = std::move(head).value() + block;
      item.counted = outlet_.reserve(kOverhead + item.head.size()).take_rest();
      outlet_.submit(std::move(item));
    }
  } catch (const std::exception& e) {
    status = {ACL_ERROR_FAILURE, e.what()};
  }
  if (!status.ok()) outlet_.dropped(item, status.message);
}

}  // namespace belay::dump
