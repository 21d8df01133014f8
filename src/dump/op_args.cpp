// SPDX-License-Identifier: Apache-2.0
#include "dump/op_args.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "base/log.h"
#include "base/text.h"
#include "dump/environment.h"

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

void write_file(const std::string& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool whole = file >= 0 && write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  if (!whole) log_error(LogModule::Dump, "{} cannot be written: {}", path, strerror(errno));
  if (file >= 0) close(file);
}

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
                          bool (*wanted)(const std::string& op_type)) {
  if (!make_private_directories(directory))
    log_error(LogModule::Dump, "{} cannot be made: {}", directory, strerror(errno));
  for (const OpArgs& record : records_) {
    if (!wanted(record.op_type)) continue;
    const std::string name = record.first_input.empty() ? record.op_type : record.op_type + "_" + record.first_input;
    write_file(formatted("{}/{}_{}.json", directory, name, next++), binary ? record.json : record.json_without_binary);
  }
}

void OpArgsRecords::stop() {
  std::lock_guard lock(mutex_);
  if (!started_) return;
  const std::string base = path_ + "/" + std::to_string(getpid());
  write(base, next_tuned_, true, is_tuned);
  write(base + "_opcompile", next_compiled_, false, is_compiled);
  write(base + "_debug", next_debug_, true, any);
  if (records_.empty())
    log_notice(LogModule::Dump,
               "aclopStopDumpArgs: no aclnn operator ran since aclopStartDumpArgs; nothing is recorded");
  records_.clear();
  seen_.clear();
  started_ = false;
}

OpArgsRecords& op_args() {
  static auto& records = *new OpArgsRecords;
  return records;
}

}  // namespace belay::dump
