// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "graph/model/attribute.h"

namespace belay {

// aclInit, a device and a context, as long as it lives. Exits when there is none.
class AclSession {
 public:
  AclSession();
  ~AclSession();
};

// Loads an .om with aclmdlLoadFromFile, executes it once and unloads it: what a program sees of its outputs.
Result<std::vector<graph::Constant>> run_model(const std::string& path, const std::vector<graph::Constant>& inputs);

}  // namespace belay
