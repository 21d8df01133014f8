// SPDX-License-Identifier: Apache-2.0
// A program as AscendCL users write them: copies on a stream, and callbacks that run on a thread of its own.
#include <atomic>
#include <cstdio>
#include <sstream>
#include <thread>
#include <vector>

#include "acl/acl.h"

#define CHECK(call)                                                              \
  do {                                                                           \
    const aclError code = (call);                                                \
    if (code != ACL_SUCCESS) {                                                   \
      const char* why = aclGetRecentErrMsg();                                    \
      std::fprintf(stderr, "%s returned %d\n%s\n", #call, code, why ? why : ""); \
      return 1;                                                                  \
    }                                                                            \
  } while (false)

namespace {

constexpr int kBatches = 5;
constexpr size_t kBytes = 1 << 20;

struct Batch {
  int number;
  void* device;
  std::vector<unsigned char> host;
};

// Runs on the serving thread, inside aclrtProcessReport; the stream waits for it.
void collect(void* data) {
  auto* batch = static_cast<Batch*>(data);
  aclrtMemcpy(batch->host.data(), kBytes, batch->device, kBytes, ACL_MEMCPY_DEVICE_TO_HOST);
  std::printf("  batch %d: callback saw %d, first to last\n", batch->number,
              batch->host.front() == batch->host.back() ? batch->host.front() : -1);
}

}  // namespace

int main() {
  CHECK(aclInit(nullptr));
  CHECK(aclrtSetDevice(0));
  aclrtContext context;
  aclrtStream stream;
  CHECK(aclrtCreateContext(&context, 0));
  CHECK(aclrtCreateStream(&stream));

  std::atomic<bool> over{false};
  std::thread server([&] {
    aclrtSetCurrentContext(context);
    while (!over) aclrtProcessReport(100);
  });
  std::stringstream id;
  id << server.get_id();
  CHECK(aclrtSubscribeReport(std::stoull(id.str()), stream));

  std::printf("%s: %d batches, each written on the stream and read in a callback\n", aclrtGetSocName(), kBatches);
  std::vector<Batch> batches(kBatches);
  for (int i = 0; i < kBatches; ++i) {
    batches[i] = {i, nullptr, std::vector<unsigned char>(kBytes)};
    CHECK(aclrtMalloc(&batches[i].device, kBytes, ACL_MEM_MALLOC_HUGE_FIRST));
    CHECK(aclrtMemsetAsync(batches[i].device, kBytes, 10 * i + 1, kBytes, stream));
    CHECK(aclrtLaunchCallback(collect, &batches[i], ACL_CALLBACK_BLOCK, stream));
  }
  CHECK(aclrtSynchronizeStream(stream));

  over = true;
  server.join();
  CHECK(aclrtUnSubscribeReport(std::stoull(id.str()), stream));
  for (Batch& batch : batches) CHECK(aclrtFree(batch.device));
  CHECK(aclrtDestroyStream(stream));
  CHECK(aclrtDestroyContext(context));
  CHECK(aclrtResetDevice(0));
  CHECK(aclFinalize());
  return 0;
}
