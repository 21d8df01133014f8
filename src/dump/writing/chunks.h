// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "acl/acl_dump.h"
#include "dump/writing/outgoing.h"

namespace belay::dump {

// What acldumpRegCallback takes.
using DumpCallback = int32_t (*)(const acldumpChunk* chunk, int32_t length);

// A chunk carries at most this much of a file.
constexpr size_t kMostChunkBytes = 128 << 20;

// Hands the file to the callback, in order, in chunks of at most `most` bytes of its content. What it returns is logged
// when it is not 0; nothing it throws gets out.
void deliver(const Outgoing& item, DumpCallback callback, size_t most = kMostChunkBytes);

}  // namespace belay::dump
