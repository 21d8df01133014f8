// SPDX-License-Identifier: Apache-2.0
// A program's own memory allocator for the executions of a stream.
#include "acl/acl_rt_allocator.h"
#include "api/core/entry.h"
#include "runtime/device/soc.h"
#include "runtime/memory/user_allocator.h"

using namespace belay;
using namespace belay::api;

namespace {

AllocatorFunctions* as_functions(aclrtAllocatorDesc desc) { return static_cast<AllocatorFunctions*>(desc); }

template <class Value>
Status set(aclrtAllocatorDesc desc, Value AllocatorFunctions::*field, Value value, const char* parameter) {
  TRY(not_null(desc, "allocatorDesc"));
  TRY(not_null(reinterpret_cast<const void*>(value), parameter));
  as_functions(desc)->*field = value;
  return {};
}

template <class Value>
void hand_out(Value* to, Value value) {
  if (to) *to = value;
}

// The Atlas 200I/500 A2 inference products have no allocators of programs.
Status check_soc() {
  const std::string_view soc = soc_name();
  if (!soc.starts_with("Ascend310B")) return {};
  return {ACL_ERROR_RT_FEATURE_NOT_SUPPORT,
          "allocators of programs are not supported on " + std::string(soc) + "; leave aclrtAllocatorRegister out",
          "EE1006"};
}

}  // namespace

aclrtAllocatorDesc aclrtAllocatorCreateDesc() {
  return entry_value<aclrtAllocatorDesc>(__func__, nullptr, [] { return new AllocatorFunctions; });
}

aclError aclrtAllocatorDestroyDesc(aclrtAllocatorDesc allocatorDesc) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(allocatorDesc, "allocatorDesc"));
        delete as_functions(allocatorDesc);
        return {};
      },
      allocatorDesc);
}

aclError aclrtAllocatorSetObjToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocator allocator) {
  return entry(
      __func__, [&] { return set(allocatorDesc, &AllocatorFunctions::object, allocator, "allocator"); }, allocatorDesc,
      allocator);
}

aclError aclrtAllocatorSetAllocFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocFunc func) {
  return entry(
      __func__, [&] { return set(allocatorDesc, &AllocatorFunctions::allocate, func, "func"); }, allocatorDesc, func);
}

aclError aclrtAllocatorSetFreeFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorFreeFunc func) {
  return entry(
      __func__, [&] { return set(allocatorDesc, &AllocatorFunctions::free, func, "func"); }, allocatorDesc, func);
}

aclError aclrtAllocatorSetAllocAdviseFuncToDesc(aclrtAllocatorDesc allocatorDesc, aclrtAllocatorAllocAdviseFunc func) {
  return entry(
      __func__, [&] { return set(allocatorDesc, &AllocatorFunctions::allocate_at, func, "func"); }, allocatorDesc,
      func);
}

aclError aclrtAllocatorSetGetAddrFromBlockFuncToDesc(aclrtAllocatorDesc allocatorDesc,
                                                     aclrtAllocatorGetAddrFromBlockFunc func) {
  return entry(
      __func__, [&] { return set(allocatorDesc, &AllocatorFunctions::get_address, func, "func"); }, allocatorDesc,
      func);
}

aclError aclrtAllocatorRegister(aclrtStream stream, aclrtAllocatorDesc allocatorDesc) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));  // the default stream cannot be named by null here
        TRY(not_null(allocatorDesc, "allocatorDesc"));
        TRY(check_soc());
        const AllocatorFunctions& functions = *as_functions(allocatorDesc);
        if (!functions.complete())
          return {ACL_ERROR_INVALID_PARAM,
                  "the descriptor lacks the object, the alloc, the free or the get-address function", "EH0012"};
        register_allocator(stream, std::make_shared<UserAllocator>(functions, allocatorDesc, stream));
        return {};
      },
      stream, allocatorDesc);
}

aclError aclrtAllocatorUnregister(aclrtStream stream) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        unregister_allocator(stream);
        return {};
      },
      stream);
}

aclError aclrtAllocatorGetByStream(aclrtStream stream, aclrtAllocatorDesc* allocatorDesc, aclrtAllocator* allocator,
                                   aclrtAllocatorAllocFunc* allocFunc, aclrtAllocatorFreeFunc* freeFunc,
                                   aclrtAllocatorAllocAdviseFunc* allocAdviseFunc,
                                   aclrtAllocatorGetAddrFromBlockFunc* getAddrFromBlockFunc) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(stream, "stream"));
        TRY(not_null(allocatorDesc, "allocatorDesc"));
        const auto found = find_allocator(stream);
        if (!found) return {ACL_ERROR_INVALID_PARAM, "no allocator is registered for this stream", "EH0012"};
        *allocatorDesc = found->desc();
        hand_out(allocator, found->functions().object);
        hand_out(allocFunc, found->functions().allocate);
        hand_out(freeFunc, found->functions().free);
        hand_out(allocAdviseFunc, found->functions().allocate_at);
        hand_out(getAddrFromBlockFunc, found->functions().get_address);
        return {};
      },
      stream, allocatorDesc, allocator);
}
