// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "comm/creation.h"

namespace belay::comm {

// After an abort: waits until every rank has noticed what was aborted. A communicator in which nothing was goes on as
// it is; another one is made anew.
Status resume(const CommunicatorPtr& suspended);

// Makes a communicator anew under its handle, with the same ranks: what was under way on the old one is given up, on
// all ranks. Each of them has to do the same; they meet in the background. Refused when a rank is gone.
Status renew(const CommunicatorPtr& old);

}  // namespace belay::comm
