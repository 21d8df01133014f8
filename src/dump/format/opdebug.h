// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dump/format/record.h"

// The file that says which operator overflowed: Opdebug.Node_OpDebug.<task>.<stream>.<time>.
namespace belay::dump {

constexpr const char* kOpdebugName = "Node_OpDebug";
constexpr const char* kOpdebugStem = "Opdebug.Node_OpDebug";
// Its data: a block of so many bytes. In the layout with a magic number the record of an accelerator begins at one
// offset, the numbers of that accelerator at the other.
constexpr size_t kOpdebugBytes = 2048, kOpdebugRecordAt = 8, kOpdebugDataAt = 24;
constexpr uint32_t kOpdebugMagic = 0x5a5a5a5a;
// What the name of the file begins with that tells what led to it: <stem><execution>_<stream>_<task>.json.
constexpr const char* kChainStem = "overflow_chain_";

// The block: the layout with a magic number, version 0, one AI Core record with the operator's ids.
std::string opdebug_block(uint64_t model_id, uint64_t stream_id, uint64_t task_id);

// Its header; `address`: where the block is.
Header opdebug_header(uint64_t time, const void* address);

}  // namespace belay::dump
