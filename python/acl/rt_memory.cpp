// SPDX-License-Identifier: Apache-2.0
// acl.rt: memory.
#include "bind.h"
#include "key.h"

namespace belay::python {
namespace {

// The configuration as C wants it: none for {}.
class Config {
 public:
  explicit Config(const MallocConfig& given)
      : attributes_(given.attributes), config_{attributes_.data(), attributes_.size()} {}
  aclrtMallocConfig* get() { return attributes_.empty() ? nullptr : &config_; }

 private:
  List<aclrtMallocAttribute> attributes_;
  aclrtMallocConfig config_;
};

aclError malloc_host_with_cfg(void** pointer, uint64_t size, const MallocConfig& config) {
  return aclrtMallocHostWithCfg(pointer, size, Config(config).get());
}

template <aclError (*allocate)(void**, size_t, aclrtMemMallocPolicy, aclrtMallocConfig*)>
aclError malloc_with_cfg(void** pointer, size_t size, aclrtMemMallocPolicy policy, const MallocConfig& config) {
  return allocate(pointer, size, policy, Config(config).get());
}

aclError granularity(const aclrtPhysicalMemProp* prop, aclrtMemGranularityOptions option, size_t* size) {
  aclrtPhysicalMemProp copy = *prop;  // C's parameter is not const
  return aclrtMemGetAllocationGranularity(&copy, option, size);
}

aclError set_pid(uint64_t handle, const List<int32_t>& pids) {
  List<int32_t> copy = pids;
  return aclrtMemSetPidToShareableHandle(handle, copy.data(), copy.size());
}

aclError export_key(void* pointer, size_t size, size_t length, uint64_t flag, std::string* key) {
  return fill_text(length, *key, [&](char* to) { return aclrtIpcMemGetExportKey(pointer, size, to, length, flag); });
}

aclError set_import_pid(const char* key, const List<int32_t>& pids) {
  List<int32_t> copy = pids;
  return aclrtIpcMemSetImportPid(key, copy.data(), copy.size());
}

aclError uce_info(int32_t device, size_t size, List<aclrtMemUceInfo>* info) {
  if (size > MAX_MEM_UCE_INFO_ARRAY_SIZE) return ACL_ERROR_INVALID_PARAM;
  size_t found = 0;
  info->resize(size);
  const aclError code = aclrtGetMemUceInfo(device, info->data(), size, &found);
  info->resize(code == ACL_SUCCESS ? std::min(found, size) : 0);
  return code;
}

aclError uce_repair(int32_t device, const List<aclrtMemUceInfo>& info) {
  List<aclrtMemUceInfo> copy = info;
  return aclrtMemUceRepair(device, copy.data(), copy.size());
}

}  // namespace

PyMethodDef* rt_memory_methods() {
  static PyMethodDef methods[] = {row<"malloc", aclrtMalloc>(),
                                  row<"malloc_cached", aclrtMallocCached>(),
                                  row<"malloc_align32", aclrtMallocAlign32>(),
                                  row<"malloc_with_cfg", malloc_with_cfg<aclrtMallocWithCfg>>(),
                                  row<"malloc_for_task_scheduler", malloc_with_cfg<aclrtMallocForTaskScheduler>>(),
                                  row<"malloc_host", aclrtMallocHost>(),
                                  row<"malloc_host_with_cfg", malloc_host_with_cfg>(),
                                  row<"free", aclrtFree>(),
                                  row<"free_host", aclrtFreeHost>(),
                                  row<"memcpy", aclrtMemcpy>(),
                                  row<"memcpy_async", aclrtMemcpyAsync>(),
                                  row<"memcpy_async_with_condition", aclrtMemcpyAsyncWithCondition>(),
                                  row<"memcpy2d", aclrtMemcpy2d>(),
                                  row<"memcpy2d_async", aclrtMemcpy2dAsync>(),
                                  row<"get_memcpy_desc_size", aclrtGetMemcpyDescSize>(),
                                  echo<"set_memcpy_desc", aclrtSetMemcpyDesc>(),
                                  row<"memcpy_async_with_desc", aclrtMemcpyAsyncWithDesc>(),
                                  row<"memset", aclrtMemset>(),
                                  row<"memset_async", aclrtMemsetAsync>(),
                                  row<"mem_flush", aclrtMemFlush>(),
                                  row<"mem_invalidate", aclrtMemInvalidate>(),
                                  row<"get_mem_info", aclrtGetMemInfo>(),
                                  row<"cmo_async", aclrtCmoAsync>(),
                                  row<"reduce_async", aclrtReduceAsync>(),
                                  row<"host_register", aclrtHostRegister>(),
                                  row<"host_register_v2", aclrtHostRegisterV2>(),
                                  row<"host_unregister", aclrtHostUnregister>(),
                                  row<"host_get_device_pointer", aclrtHostGetDevicePointer>(),
                                  row<"pointer_get_attributes", aclrtPointerGetAttributes>(),
                                  row<"reserve_mem_address", aclrtReserveMemAddress>(),
                                  row<"release_mem_address", aclrtReleaseMemAddress>(),
                                  row<"malloc_physical", aclrtMallocPhysical>(),
                                  row<"free_physical", aclrtFreePhysical>(),
                                  row<"map_mem", aclrtMapMem>(),
                                  row<"unmap_mem", aclrtUnmapMem>(),
                                  row<"mem_get_allocation_granularity", granularity>(),
                                  row<"mem_export_to_shareable_handle", aclrtMemExportToShareableHandle>(),
                                  row<"mem_import_from_shareable_handle", aclrtMemImportFromShareableHandle>(),
                                  row<"mem_set_pid_to_shareable_handle", set_pid>(),
                                  row<"ipc_mem_get_export_key", export_key>(),
                                  row<"ipc_mem_set_import_pid", set_import_pid>(),
                                  row<"ipc_mem_import_by_key", aclrtIpcMemImportByKey>(),
                                  row<"ipc_mem_close", aclrtIpcMemClose>(),
                                  row<"get_mem_uce_info", uce_info>(),
                                  row<"mem_uce_repair", uce_repair>(),
                                  {}};
  return methods;
}

}  // namespace belay::python
