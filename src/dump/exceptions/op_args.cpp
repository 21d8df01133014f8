// SPDX-License-Identifier: Apache-2.0
#include "dump/exceptions/op_args.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/files/atomic_file.h"
#include "base/log/log.h"
#include "base/log/log_delay.h"
#include "base/text.h"
#include "dump/config/environment.h"

namespace belay::dump {
namespace {

constexpr std::array<std::string_view, 19> kTuned = {
    "FlashAttentionScore",
    "FlashAttentionScoreGrad",
    "MatMul",
    "MatMulV2",
    "BatchMatMul",
    "BatchMatMulV2",
    "Transpose",
    "TransData",
    "Gelu",
    "GeluGrad",
    "FastGelu",
    "FastGeluGrad",
    "SoftmaxV2",
    "LayerNorm",
    "LayerNormV3",
    "LayerNormXBackpropV2",
    "LayerNormXBackpropV3",
    "LayerNormBetaGammaBackpropV2",
    "Renorm",
};
constexpr std::array<std::string_view, 8> kNotCompiled = {
    "ReduceSum", "ReduceMin", "ReduceMax", "ArgMinWithValue", "ArgMaxWithValue", "FusedInferAttentionScore",
    "GatherV2",  "Range"};

bool is_tuned(const std::string& op_type) { return std::ranges::find(kTuned, op_type) != kTuned.end(); }
bool is_compiled(const std::string& op_type) { return std::ranges::find(kNotCompiled, op_type) == kNotCompiled.end(); }
bool any(const std::string&) { return true; }

}  // namespace

Status OpArgsRecords::start(const std::string& path) {
  std::lock_guard lock(mutex_);
  if (started_)
    return {ACL_ERROR_FAILURE, "aclopStartDumpArgs was called before; call aclopStopDumpArgs first", "EP0008"};
  if (path.empty() || !make_private_directories(path))
    return {ACL_ERROR_FAILURE,
            formatted("\"{}\" cannot be made or is not a directory that can be read and written", path), "EP0006"};
  path_ = absolute_path(path);
  started_ = true;
  return {};
}

bool OpArgsRecords::started() const {
  std::lock_guard lock(mutex_);
  return started_;
}

void OpArgsRecords::add(OpArgs args) {
  std::lock_guard lock(mutex_);
  if (started_ && seen_.insert(args.json).second) records_.push_back(std::move(args));
}

void OpArgsRecords::write(const std::string& directory, size_t& next, bool binary,
                          bool (*wanted)(const std::string& op_type), Lost& lost) {
  (void)make_private_directories(directory);  // else each of the files says so
  for (const OpArgs& record : records_) {
    if (!wanted(record.op_type)) continue;
    const std::string name = record.first_input.empty() ? record.op_type : record.op_type + "_" + record.first_input;
    const std::string& json = binary ? record.json : record.json_without_binary;
    const Status written = write_file(formatted("{}/{}_{}.json", directory, name, next++), json, 0600);
    if (written.ok()) continue;
    if (lost.files++ == 0) lost.first = written.message;
    lost.bytes += json.size();
  }
}

Status OpArgsRecords::stop() {
  const LogDelay delay;
  std::lock_guard lock(mutex_);
  if (!started_) return {};
  Lost lost;
  const std::string base = path_ + "/" + std::to_string(getpid());
  write(base, next_tuned_, true, is_tuned, lost);
  write(base + "_opcompile", next_compiled_, false, is_compiled, lost);
  write(base + "_debug", next_debug_, true, any, lost);
  if (records_.empty())
    log_notice(LogModule::Dump,
               "aclopStopDumpArgs: no aclnn operator ran since aclopStartDumpArgs; nothing is recorded");
  records_.clear();
  seen_.clear();
  started_ = false;
  if (lost.files == 0) return {};
  return {ACL_ERROR_FAILURE,
          formatted("{} files of operators' arguments with {} bytes could not be written; the first: {}", lost.files,
                    lost.bytes, lost.first),
          "EH0004"};
}

OpArgsRecords& op_args() {
  static auto& records = *new OpArgsRecords;
  return records;
}

}  // namespace belay::dump
