// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace belay {

// From now on a program that touches opaque memory is told, on stderr: which block it was, who made and who freed it,
// and which line touched it. Then it ends by SIGSEGV, or as its own handlers have it. Called again, it gets in front of
// handlers that were installed since. Nothing to do, and nearly no cost, when memory is not opaque.
void report_touches();

}  // namespace belay
