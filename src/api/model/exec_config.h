// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "acl/acl_mdl.h"
#include "runtime/stream/signal.h"

// The options of executions; without them calls wait for ever.
struct aclmdlExecConfigHandle {
  belay::Timeout stream_timeout;
  belay::Timeout event_timeout;
};
