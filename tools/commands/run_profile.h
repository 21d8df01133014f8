// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace belay::tools {

// Where the time of a model's executions went, from the timeline that the library writes. Failures are
// std::runtime_error.
class RunProfile {
 public:
  // Before aclInit: has the library write a timeline, to this file or, when it is empty, to one that is removed again.
  explicit RunProfile(const std::string& file);
  ~RunProfile();
  RunProfile(const RunProfile&) = delete;
  RunProfile& operator=(const RunProfile&) = delete;

  // After aclFinalize: takes the last `runs` executions from the file, and measures what the machine gives.
  void read(size_t runs, int threads);

  nlohmann::json json() const;
  void print() const;

 private:
  // Of one operator, or of all with the same type and kernel. Sums over the runs.
  struct Row {
    std::string name, type, how;
    size_t calls = 0;
    double us = 0, flops = 0, bytes = 0;
    double loops = 0, pieces = 0, helped = 0, woken = 0;  // of the pool of threads
  };

  void add(const nlohmann::json& event);
  double per_run(double sum) const { return sum / static_cast<double>(runs_); }
  double roofline(const Row& row) const;
  nlohmann::json json(const Row& row) const;
  std::vector<std::string> cells(const Row& row) const;

  const bool temporary_;
  const std::string file_;
  size_t runs_ = 1;
  int threads_ = 1;
  double total_us_ = 0;
  Row kernels_;                         // all of them
  std::vector<Row> operators_, kinds_;  // in the order in which they ran first; the slowest first
  std::map<std::tuple<uint32_t, std::string, std::string>, size_t> operator_at_;  // by task, name and kernel
  std::map<std::pair<std::string, std::string>, size_t> kind_at_;                 // by type and kernel
  double peak_flops_ = 0, peak_bytes_ = 0;
};

}  // namespace belay::tools
