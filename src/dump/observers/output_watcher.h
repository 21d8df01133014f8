// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <vector>

#include "dump/observers/tensor_recorder.h"

namespace belay::dump {

// The watch scene: files of watched outputs as they are after their own operator and after others, and a line in
// watch_summary.csv for each that somebody else changed. The plan of the memory tells whether it was needed then. Used
// by one thread at a time.
class OutputWatcher {
 public:
  OutputWatcher(Outlet& outlet, TensorRecorder& recorder) : outlet_(outlet), recorder_(recorder) {}

  // An execution of one of the model's graphs begins.
  void begins(const Setting& setting, const std::string& directory, const RunInfo& run, const Selection& selection,
              const executor::MemoryPlan& plan);
  // A task of the model ran.
  void ran(const Setting& setting, const std::string& directory, const RunInfo& run, const Selection& selection,
           const graph::Node& node);
  // What was seen no longer counts: another setting, or an execution that is not dumped.
  void forget();

 private:
  struct Output {
    executor::PlannedOutput planned;
    std::vector<std::byte> seen;  // its memory as it was last seen; empty before the operator's first run
  };
  struct Watched {
    const graph::Node* node;
    const ChosenNode* chosen;
    std::pair<uint32_t, uint32_t> tasks;  // of its graph
    uint32_t task;                        // its own
    uint64_t ran_in;                      // the execution of its last run, if anything was seen
    std::vector<Output> outputs;
  };
  // Bytes that differ, counted in the order in which the file has them.
  struct Change {
    uint64_t first = 0, bytes = 0;
    bool planned = true;  // all of them lie where the plan put something else meanwhile
  };

  Watched& find_or_add(const graph::Node& node, uint32_t task);
  static Change change_of(const Watched& watched, const Output& output, const RunInfo& run, const graph::Node* writer);
  // The lines about one watched operator; what is there now counts as seen.
  static std::string compare(Watched& watched, const RunInfo& run, const graph::Node* writer);
  void record(const Setting& setting, const std::string& directory, const RunInfo& run, const ChosenNode& chosen,
              const Watched& watched);
  void add_lines(const Setting& setting, const std::string& directory, std::string lines);

  Outlet& outlet_;
  TensorRecorder& recorder_;
  std::vector<Watched> watched_;  // in the order of their tasks
  std::set<std::string> begun_;   // directories whose summary has its first line
};

}  // namespace belay::dump
