// SPDX-License-Identifier: Apache-2.0
// From launch to completion: aclnnAdd on 16 elements beside the smallest task the C interface can queue (an event's
// record), on one stream that waits for work, in turns of one run.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

#include "acl/acl.h"
#include "aclnnop/aclnn_add.h"

namespace {

constexpr int kRounds = 40, kPerRound = 100;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

// Nanoseconds of each of kPerRound calls, until the stream is idle again.
template <class Launch>
void measure(aclrtStream stream, std::vector<double>& times, Launch launch) {
  for (int i = 0; i < kPerRound; ++i) {
    const auto begin = std::chrono::steady_clock::now();
    launch();
    aclrtSynchronizeStream(stream);
    times.push_back(std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
}

aclTensor* tensor(void* memory) {
  const int64_t dims[] = {16};
  return aclCreateTensor(dims, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 1, memory);
}

}  // namespace

int main() {
  aclrtStream stream;
  aclrtEvent event;
  if (aclInit(nullptr) || aclrtSetDevice(0) || aclrtCreateStream(&stream) || aclrtCreateEvent(&event)) return 1;
  void* memory[3];
  for (void*& block : memory)
    if (aclrtMalloc(&block, 64, ACL_MEM_MALLOC_HUGE_FIRST)) return 1;
  aclTensor *self = tensor(memory[0]), *other = tensor(memory[1]), *out = tensor(memory[2]);
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t size = 0;
  aclOpExecutor* executor = nullptr;
  if (aclnnAddGetWorkspaceSize(self, other, alpha, out, &size, &executor) || aclSetAclOpExecutorRepeatable(executor))
    return 1;

  std::vector<double> empty, add, both;
  for (int round = 0; round < kRounds; ++round) {
    measure(stream, empty, [&] { aclrtRecordEvent(event, stream); });
    measure(stream, add, [&] { aclnnAdd(nullptr, 0, executor, stream); });
    measure(stream, both, [&] {
      aclOpExecutor* once = nullptr;
      aclnnAddGetWorkspaceSize(self, other, alpha, out, &size, &once);
      aclnnAdd(nullptr, 0, once, stream);
    });
  }
  std::printf("empty task       %8.0f ns\n", median(empty));
  std::printf("aclnnAdd         %8.0f ns  %.2f x\n", median(add), median(add) / median(empty));
  std::printf("with first phase %8.0f ns  %.2f x\n", median(both), median(both) / median(empty));
  return 0;
}
