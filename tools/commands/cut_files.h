// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay::tools {

// From now on a command that reads a mapped file which somebody cuts short ends with kBadInput and the file's name,
// not with SIGBUS alone. Without effect on other faults.
void name_cut_files();

}  // namespace belay::tools
