// SPDX-License-Identifier: Apache-2.0
// Kernels and selectors that a program registers for operators of its own. There is no device that could run the
// kernels; what the selectors choose is kept and checked.
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "acl/acl_op.h"
#include "api/core/entry.h"
#include "api/operators/call.h"
#include "base/text.h"

using namespace belay;
using namespace belay::api;

// What a selector says of the kernel to use.
struct aclopKernelDesc {
  std::string kernel;
  uint32_t block_dim = 0;
  std::vector<std::byte> arguments;
  std::vector<size_t> workspaces;
};

namespace {

struct Registry {
  std::mutex mutex;
  std::map<std::string, aclopCompileFunc, std::less<>> selectors;
  std::set<std::pair<std::string, std::string>> kernels;  // operator, kernel id
};

Registry& registry() {
  static auto& only = *new Registry;
  return only;
}

Status create_kernel(const char* type, const char* id, const char* name, void* data, int size) {
  TRY(not_null(type, "opType"));
  TRY(not_null(id, "kernelId"));
  TRY(not_null(name, "kernelName"));
  TRY(not_null(data, "binData"));
  if (size <= 0) return {ACL_ERROR_INVALID_PARAM, "binSize must be above 0", "EH0009"};
  std::lock_guard lock(registry().mutex);
  if (registry().kernels.emplace(type, id).second) return {};
  return {ACL_ERROR_KERNEL_ALREADY_REGISTERED, formatted("{} has a kernel \"{}\" already", type, id)};
}

Status update(const OpDescs& descs) {
  TRY(check(descs));
  aclopCompileFunc selector = nullptr;
  {
    std::lock_guard lock(registry().mutex);
    const auto found = registry().selectors.find(descs.type);
    if (found == registry().selectors.end())
      return {ACL_ERROR_BIN_SELECTOR_NOT_REGISTERED,
              formatted("no selector is registered for {}; call aclopRegisterCompileFunc", descs.type)};
    selector = found->second;
  }
  aclopKernelDesc chosen;
  const aclError code =
      selector(descs.input_count, descs.inputs, descs.output_count, descs.outputs, descs.attributes, &chosen);
  if (code != ACL_SUCCESS) return {code, formatted("the selector of {} failed", descs.type)};
  std::lock_guard lock(registry().mutex);
  if (registry().kernels.contains({descs.type, chosen.kernel})) return {};
  return {ACL_ERROR_KERNEL_NOT_FOUND,
          formatted("the selector of {} chose the kernel \"{}\", which was not created", descs.type, chosen.kernel)};
}

}  // namespace

aclError aclopCreateKernel(const char* opType, const char* kernelId, const char* kernelName, void* binData, int binSize,
                           aclopEngineType enginetype, aclDataDeallocator deallocator) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(create_kernel(opType, kernelId, kernelName, binData, binSize));
        if (deallocator) deallocator(binData, static_cast<size_t>(binSize));  // nothing here runs it
        return {};
      },
      opType, kernelId, kernelName, binData, binSize, enginetype);
}

aclError aclopRegisterCompileFunc(const char* opType, aclopCompileFunc func) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(opType, "opType"));
        TRY(not_null(reinterpret_cast<const void*>(func), "func"));
        std::lock_guard lock(registry().mutex);
        if (registry().selectors.emplace(opType, func).second) return {};
        return {ACL_ERROR_BIN_SELECTOR_ALREADY_REGISTERED, formatted("{} has a selector already", opType)};
      },
      opType);
}

aclError aclopUnregisterCompileFunc(const char* opType) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(opType, "opType"));
        std::lock_guard lock(registry().mutex);
        registry().selectors.erase(opType);
        return {};
      },
      opType);
}

aclError aclopSetKernelArgs(aclopKernelDesc* kernelDesc, const char* kernelId, uint32_t blockDim, const void* args,
                            uint32_t argSize) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(kernelDesc, "kernelDesc"));
        TRY(not_null(kernelId, "kernelId"));
        TRY(not_null(args, "args"));
        const auto* bytes = static_cast<const std::byte*>(args);
        kernelDesc->kernel = kernelId;
        kernelDesc->block_dim = blockDim;
        kernelDesc->arguments.assign(bytes, bytes + argSize);
        return {};
      },
      kernelDesc, kernelId, blockDim, args, argSize);
}

aclError aclopSetKernelWorkspaceSizes(aclopKernelDesc* kernelDesc, int numWorkspaces, size_t* workspaceSizes) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(kernelDesc, "kernelDesc"));
        if (numWorkspaces < 0) return {ACL_ERROR_INVALID_PARAM, "numWorkspaces must not be negative", "EH0009"};
        if (numWorkspaces > 0) TRY(not_null(workspaceSizes, "workspaceSizes"));
        kernelDesc->workspaces.assign(workspaceSizes, workspaceSizes + numWorkspaces);
        return {};
      },
      kernelDesc, numWorkspaces, workspaceSizes);
}

aclError aclopUpdateParams(const char* opType, int numInputs, const aclTensorDesc* const inputDesc[], int numOutputs,
                           const aclTensorDesc* const outputDesc[], const aclopAttr* attr) {
  return entry(
      __func__,
      [&] {
        return update({opType, numInputs, inputDesc, numOutputs, outputDesc, attr});
      },
      opType, numInputs, inputDesc, numOutputs, outputDesc, attr);
}

aclError aclopSetMaxOpQueueNum(uint64_t maxOpNum) {
  return entry(
      __func__,
      [&]() -> Status {
        if (maxOpNum > 0) return {};
        return {ACL_ERROR_INVALID_PARAM, "maxOpNum must be above 0", "EH0009"};
      },
      maxOpNum);
}
