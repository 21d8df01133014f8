// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "backend/work.h"
#include "base/timeline.h"
#include "executor/observer.h"

namespace belay::executor {

// Runs a kernel and tells the timeline of it. `work` returns what the kernel had to do; it is called after the kernel
// has run and is no part of its time.
template <class Run, class WorkOf>
Status timed(const RunInfo& info, const graph::Node& node, std::string_view how, const Run& run, const WorkOf& work) {
  timeline::Span span;
  span.kind = timeline::Kind::Kernel;
  const PoolCounters before = pool_counters();
  span.start = timeline::now();
  Status status = run();
  span.end = timeline::now();
  const PoolCounters after = pool_counters();
  span.pool = {after.loops - before.loops, after.pieces - before.pieces, after.helped - before.helped,
               after.woken - before.woken};
  span.stream = static_cast<int32_t>(info.stream_id);
  span.model = info.model_id;
  span.task = info.task_id;
  span.run = info.data_index;
  span.name = std::string_view(node.name);
  span.type = std::string_view(node.type);
  span.how = how;
  const backend::Work did = work();
  span.flops = did.flops;
  span.bytes = did.bytes;
  timeline::add(span);
  return status;
}

}  // namespace belay::executor
