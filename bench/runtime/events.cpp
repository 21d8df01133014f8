// SPDX-License-Identifier: Apache-2.0
// Recording an event on one stream and waiting for it on another.
#include <benchmark/benchmark.h>

#include "acl/acl.h"

namespace {

void BM_EventAcrossStreams(benchmark::State& state) {
  aclrtStream first, second;
  aclrtEvent event;
  aclrtCreateStream(&first);
  aclrtCreateStream(&second);
  aclrtCreateEventExWithFlag(&event, ACL_EVENT_SYNC);
  for (auto _ : state) {
    aclrtRecordEvent(event, first);
    aclrtStreamWaitEvent(second, event);
    aclrtSynchronizeStream(second);
  }
  aclrtDestroyEvent(event);
  aclrtDestroyStream(first);
  aclrtDestroyStream(second);
}
BENCHMARK(BM_EventAcrossStreams)->UseRealTime();

}  // namespace
