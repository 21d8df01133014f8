// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/status.h"

namespace belay::dump {

// The arguments of one aclnn kernel, as a record.
struct OpArgs {
  std::string op_type;
  std::string first_input;          // "<dtype>_<format>_<d0>_<d1>" of the first input; empty when it is missing
  std::string json;                 // the record for <pid>_debug and <pid>
  std::string json_without_binary;  // the same without bin_type and bin_info, for <pid>_opcompile
};

// Collects the arguments of aclnn kernels between aclopStartDumpArgs and aclopStopDumpArgs. Safe from any thread.
class OpArgsRecords {
 public:
  // 500001 when it was started before, or the directory cannot be made or used.
  Status start(const std::string& path);
  // Writes what was collected into <pid>, <pid>_opcompile and <pid>_debug below the path. Nothing when not started.
  // 500001 with the counts when files could not be written.
  Status stop();
  // Whether add() wants anything now.
  bool started() const;
  void add(OpArgs args);

 private:
  // What could not be written.
  struct Lost {
    size_t files = 0, bytes = 0;
    std::string first;  // why, of the first one
  };

  void write(const std::string& directory, size_t& next, bool binary, bool (*wanted)(const std::string& op_type),
             Lost& lost);

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  bool started_ = false;
  std::string path_;
  std::vector<OpArgs> records_;
  std::set<std::string> seen_;  // equal records are kept once
  // Numbers of the next files, never reset.
  size_t next_tuned_ = 0, next_compiled_ = 0, next_debug_ = 0;
};

OpArgsRecords& op_args();

}  // namespace belay::dump
