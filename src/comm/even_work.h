// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/call.h"

namespace belay::comm {

// This rank's part of an operation in which every rank counts alike: what goes to whom follows from the call. Its
// `count` is the HCCL function's. The host may touch the memory.
Work even_work(const Call& call, const void* send, void* recv, uint32_t rank, uint32_t size);

}  // namespace belay::comm
