// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

// For commands: what they print arrives, or they say that it did not.
namespace belay {

// To be called first in main. A stream that the command was started without (>&-) is opened so that using it fails;
// else the first file of ours would get its number, and what is printed would be written into that file.
void hold_standard_streams();

// To be called last in main: why not all that was printed has reached standard output; empty when it has.
std::string unwritten_output();

}  // namespace belay
