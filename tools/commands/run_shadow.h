// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace belay::tools {

// The model in double beside the run, as the library does it for BELAY_SHADOW, and its table. Failures are
// std::runtime_error.
class RunShadow {
 public:
  // Before aclInit: has the library write its table to a directory that is removed again.
  RunShadow();
  ~RunShadow();
  RunShadow(const RunShadow&) = delete;
  RunShadow& operator=(const RunShadow&) = delete;

  // After aclFinalize.
  void read();

  nlohmann::json json() const;
  void print() const;

 private:
  std::string directory_;
  std::vector<std::vector<std::string>> rows_;  // as in the file, without the line of names
};

}  // namespace belay::tools
