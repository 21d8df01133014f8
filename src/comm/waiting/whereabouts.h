// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace belay::comm {

// Where a thread of this process is now: the top frames of its stack, or its line of Python. It is asked by SIGURG,
// which programs ignore unless they say otherwise; where the program has a handler for it, or the thread does not
// answer within 0.2 s, the text is empty. A sleep of that thread may end early.
std::string whereabouts(pid_t thread);

}  // namespace belay::comm
