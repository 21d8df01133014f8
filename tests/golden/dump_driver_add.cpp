// SPDX-License-Identifier: Apache-2.0
// The documented example: [4,2] tensors, 0..7 + {1,1,1,2,2,2,3,3}. In C++, because the headers of aclnn are.
#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

#include "acl/acl.h"
#include "acl/acl_op_compiler.h"
#include "aclnnop/aclnn_add.h"

namespace {

constexpr int64_t kDims[] = {4, 2}, kStrides[] = {2, 1};
constexpr size_t kCount = 8, kBytes = kCount * sizeof(float);
constexpr float kOther[kCount] = {1, 1, 1, 2, 2, 2, 3, 3};
using Memory = std::array<float*, 3>;

aclError call_aclnn(const Memory& memory, aclrtStream stream) {
  std::array<aclTensor*, 3> tensors;
  for (size_t i = 0; i < 3; ++i)
    tensors[i] = aclCreateTensor(kDims, 2, ACL_FLOAT, kStrides, 0, ACL_FORMAT_ND, kDims, 2, memory[i]);
  float one = 1;
  aclScalar* alpha = aclCreateScalar(&one, ACL_FLOAT);
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  void* workspace = nullptr;
  aclError code = aclnnAddGetWorkspaceSize(tensors[0], tensors[1], alpha, tensors[2], &bytes, &executor);
  if (!code && bytes) code = aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST);
  if (!code) code = aclnnAdd(workspace, bytes, executor, stream);
  if (!code) code = aclrtSynchronizeStream(stream);
  if (workspace) aclrtFree(workspace);
  for (aclTensor* tensor : tensors) aclDestroyTensor(tensor);
  aclDestroyScalar(alpha);
  return code;
}

aclError call_aclop(const Memory& memory, aclrtStream stream) {
  std::array<aclTensorDesc*, 3> descs;
  std::array<aclDataBuffer*, 3> buffers;
  for (size_t i = 0; i < 3; ++i) {
    descs[i] = aclCreateTensorDesc(ACL_FLOAT, 2, kDims, ACL_FORMAT_ND);
    buffers[i] = aclCreateDataBuffer(memory[i], kBytes);
  }
  aclError code = aclopCompileAndExecuteV2("Add", 2, descs.data(), buffers.data(), 1, &descs[2], &buffers[2], nullptr,
                                           ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, stream);
  if (!code) code = aclrtSynchronizeStream(stream);
  for (aclTensorDesc* desc : descs) aclDestroyTensorDesc(desc);
  for (aclDataBuffer* buffer : buffers) aclDestroyDataBuffer(buffer);
  return code;
}

}  // namespace

extern "C" aclError add_two(int aclnn, float last) {
  Memory memory{};
  aclrtStream stream = nullptr;
  if (aclrtCreateStream(&stream)) return -1;
  for (float*& tensor : memory)
    if (aclrtMalloc(reinterpret_cast<void**>(&tensor), kBytes, ACL_MEM_MALLOC_HUGE_FIRST)) return -1;
  float values[2][kCount], sum[kCount] = {};
  for (size_t i = 0; i < kCount; ++i) values[0][i] = static_cast<float>(i);
  std::copy(std::begin(kOther), std::end(kOther), values[1]);
  if (last != 0) values[0][kCount - 1] = values[1][kCount - 1] = last;
  for (size_t i = 0; i < 2; ++i)
    if (aclrtMemcpy(memory[i], kBytes, values[i], kBytes, ACL_MEMCPY_HOST_TO_DEVICE)) return -1;
  aclError code = aclnn ? call_aclnn(memory, stream) : call_aclop(memory, stream);
  if (aclrtMemcpy(sum, kBytes, memory[2], kBytes, ACL_MEMCPY_DEVICE_TO_HOST)) return -1;
  if (!code && last == 0 && sum[7] != 10) code = -1;
  if (last != 0) std::printf("sum %g\n", static_cast<double>(sum[kCount - 1]));
  for (float* tensor : memory) aclrtFree(tensor);
  aclrtDestroyStream(stream);
  return code;
}
