// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/exchange.h"

namespace belay::comm {

// Runs this rank's part of a collective operation. Reductions go in the order of the ranks, element by element, so that
// every rank and every form of a communicator gets the same bits. Takes `work` when the others may see it. After an
// attempt (Exchange::attempt) it goes on where it was.
Status run_collective(Exchange& exchange, Work& work);
// Whether it is worth an attempt: few bytes, and each step may be done again.
bool is_small(const Work& work);

// The same for a communicator of one rank: what is sent is received, `call.count` elements.
void run_alone(const Work& work);

}  // namespace belay::comm
