// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "base/files/disk_cache.h"

// Fills a cache while the program goes on: disks are slow, and nobody needs the file who has its content.
namespace belay {

// Has a thread store `bytes` bytes of content, which it keeps until then. The process may end at any time: exit waits
// for what is still to be stored, any other end leaves it out. Whoever makes more than the disk takes waits for it.
void store_later(DiskCache& cache, std::string key, std::string label, std::shared_ptr<const void> content,
                 size_t bytes);

// Waits until what was given to store_later is stored.
void finish_storing();

}  // namespace belay
