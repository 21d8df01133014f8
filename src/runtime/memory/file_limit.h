// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

// The limit on the size of files (ulimit -f) holds for shared memory too, which is made of files.
namespace belay {

// Makes a file as long as that; false when the system refuses.
bool resize_file(int fd, size_t bytes);

// What may be the cause when it refuses, to end a sentence with: "; the limit on the size of files (ulimit -f) is ...".
// Empty when there is no limit.
std::string file_limit_text();

}  // namespace belay
