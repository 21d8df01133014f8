// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace belay {

// The cores that this process may use: those it may run on, and no more than its container's limit of processor time
// allows (1.5 cores count as 2). BELAY_CORES puts another number in its place. Found once.
int usable_cores();

// The least limit of processor time, in cores, of a control group and those above it; 0: none. `membership` is the text
// of /proc/self/cgroup, `root` the directory where control groups are mounted.
double cgroup_cores(const std::string& root, const std::string& membership);

}  // namespace belay
