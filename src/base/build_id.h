// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace belay {

// What the linker wrote into the program or library that this code is in, in hexadecimal digits: another build has
// another one. Empty when it wrote nothing.
std::string build_id();

}  // namespace belay
