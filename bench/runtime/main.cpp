// SPDX-License-Identifier: Apache-2.0
// Times of the runtime beside plain ones of the same run; scripts/bench makes ratios of them.
#include <benchmark/benchmark.h>

#include "acl/acl.h"

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (aclInit(nullptr) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS) return 1;
  benchmark::RunSpecifiedBenchmarks();
  aclrtResetDevice(0);
  aclFinalize();
  return 0;
}
