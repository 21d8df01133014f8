// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "acl/acl.h"
#include "base/status.h"
#include "graph/model/attribute.h"
#include "replay/operator.h"

namespace belay::tools {

// Runs operators by the calls that any AscendCL program makes: each is a model with one operator, as fused ones and
// those with subgraphs cannot be said to aclopExecuteV2, and as the programs of a capsule do it. One at a time for the
// process.
class ReplayRunner {
 public:
  ReplayRunner();
  ~ReplayRunner();
  ReplayRunner(const ReplayRunner&) = delete;
  ReplayRunner& operator=(const ReplayRunner&) = delete;

  Result<std::vector<graph::Constant>> run(const replay::Operator& op);

 private:
  struct Library {
    Library();
    ~Library() { aclFinalize(); }
  };
  struct Device {
    Device();
    ~Device() { aclrtResetDevice(0); }
  };
  const Library library_;
  const Device device_;
};

}  // namespace belay::tools
