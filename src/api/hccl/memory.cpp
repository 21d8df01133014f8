// SPDX-License-Identifier: Apache-2.0
// Memory that is declared to communicators: ranges, windows; and memory fit for them.
#include "acl/acl_rt.h"
#include "api/hccl/checks.h"
#include "api/hccl/entry.h"
#include "api/hccl/pkg_inc.h"
#include "hccl/hccl_comm.h"
#include "hcomm/hcomm_res.h"

using namespace belay;
using namespace belay::api;

namespace {

// Handles of windows begin with this, so that they are no addresses.
constexpr uint64_t kWindow = uint64_t{0x57} << 48;

uintptr_t number_of(const void* address) { return reinterpret_cast<uintptr_t>(address); }

void* handle_of(uint64_t window) { return reinterpret_cast<void*>(kWindow | window << 4); }
uint64_t window_of(const void* handle) {
  return (number_of(handle) & kWindow) == kWindow ? (number_of(handle) & ~kWindow) >> 4 : 0;
}

Status no_window(const char* parameter) {
  return {HCCL_E_PARA, formatted("{} is no window that is registered", parameter), "EI0003"};
}

Status zero(uint64_t value, const char* parameter) {
  if (value == 0) return {};
  return {HCCL_E_PARA, formatted("{} is {}; it must be 0", parameter, value), "EI0003"};
}

Status not_empty(uint64_t size) { return size ? Status{} : Status{HCCL_E_PARA, "size is 0", "EI0003"}; }

}  // namespace

HcclResult HcclCommSetMemoryRange(HcclComm comm, void* baseVirPtr, size_t size, size_t alignment, uint64_t flags) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(baseVirPtr, "baseVirPtr"));
        TRY(not_empty(size));
        TRY(zero(alignment, "alignment"));
        TRY(zero(flags, "flags"));
        return in->memory->add_range(number_of(baseVirPtr), size);
      },
      comm, baseVirPtr, size, alignment, flags);
}

HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void* baseVirPtr) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(baseVirPtr, "baseVirPtr"));
        return in->memory->remove_range(number_of(baseVirPtr));
      },
      comm, baseVirPtr);
}

HcclResult HcclCommActivateCommMemory(HcclComm comm, void* virPtr, size_t size, size_t offset, aclrtDrvMemHandle handle,
                                      uint64_t flags) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(virPtr, "virPtr"));
        TRY(given(handle, "handle"));
        TRY(not_empty(size));
        TRY(zero(offset, "offset"));
        TRY(zero(flags, "flags"));
        return in->memory->add_part(number_of(virPtr), size);
      },
      comm, virPtr, size, offset, handle, flags);
}

HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void* virPtr) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(virPtr, "virPtr"));
        return in->memory->remove_part(number_of(virPtr));
      },
      comm, virPtr);
}

HcclResult HcclCommSymWinRegister(HcclComm comm, void* addr, uint64_t size, HcclCommSymWindow* winHandle,
                                  uint32_t flag) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(addr, "addr"));
        TRY(given(winHandle, "winHandle"));
        TRY(not_empty(size));
        if (flag != 1) return {HCCL_E_PARA, formatted("flag is {}; it must be 1", flag), "EI0003"};
        *winHandle = handle_of(in->memory->add_window(number_of(addr), size));
        return {};
      },
      comm, addr, size, winHandle, flag);
}

HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        TRY(given(winHandle, "winHandle"));
        for (const auto& communicator : comm::communicators().all())
          if (communicator->memory->remove_window(window_of(winHandle))) return {};
        return no_window("winHandle");
      },
      winHandle);
}

HcclResult HcclCommSymWinGet(HcclComm comm, void* ptr, size_t size, HcclCommSymWindow* winHandle, size_t* offset) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(ptr, "ptr"));
        TRY(given(winHandle, "winHandle"));
        TRY(given(offset, "offset"));
        const auto found = in->memory->find_window(number_of(ptr), size);
        if (found.number == 0)
          return {HCCL_E_NOT_FOUND, formatted("no window holds {} and {} bytes", ptr, size), "EI0003"};
        *winHandle = handle_of(found.number);
        *offset = found.offset;
        return {};
      },
      comm, ptr, size, winHandle, offset);
}

HcclResult HcclCommRegister(HcclComm comm, void* addr, uint64_t size, void** handle, uint32_t flag) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(addr, "addr"));
        TRY(given(handle, "handle"));
        TRY(not_empty(size));
        *handle = handle_of(in->memory->add_window(number_of(addr), size));
        return {};
      },
      comm, addr, size, handle, flag);
}

HcclResult HcclCommDeregister(HcclComm comm, void* handle) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(handle, "handle"));
        return in->memory->remove_window(window_of(handle)) ? Status{} : no_window("handle");
      },
      comm, handle);
}

HcclResult HcclCommExchangeMem(HcclComm comm, void* windowHandle, uint32_t* peerRanks, uint32_t peerRankNum) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        const Visit in = TRY(find_communicator(comm));
        TRY(given(windowHandle, "windowHandle"));
        TRY(given(peerRanks, "peerRanks"));
        if (!in->memory->has_window(window_of(windowHandle))) return no_window("windowHandle");
        for (uint32_t i = 0; i < peerRankNum; ++i) TRY(check_rank(peerRanks[i], *in, "peerRanks"));
        return {};  // every rank reaches all memory that it is given
      },
      comm, windowHandle, peerRanks, peerRankNum);
}

HcommResult HcommMemAlloc(void** ptr, size_t size) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (!ptr || size == 0) return {HCCL_E_PARA, "ptr must not be null, and size not 0", "EI0003"};
        if (aclrtMalloc(ptr, size, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS) return {};
        return {HCCL_E_MEMORY, formatted("there is no device memory for {} bytes", size), "EI0011"};
      },
      ptr, size);
}

HcommResult HcommMemFree(void* ptr) {
  return hccl_entry(
      __func__,
      [&]() -> Status {
        if (aclrtFree(ptr) == ACL_SUCCESS) return {};
        return {HCCL_E_PARA, "ptr is not memory that HcommMemAlloc gave", "EI0003"};
      },
      ptr);
}
