// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>

#include "api/core/entry.h"
#include "base/text.h"
#include "hccl/hccl_types.h"

namespace belay::api {

// The HcclResult of an error: its own, or what stands for a failure of the runtime beneath.
Status as_hccl(Status status);

// The body of an exported HCCL function.
template <class Body, class... Args>
HcclResult hccl_entry(const char* function, Body body, const Args&... args) noexcept {
  const auto translated = [&]() -> Status {
    try {
      return as_hccl(body());
    } catch (const std::bad_alloc&) {
      return {HCCL_E_MEMORY, "out of host memory", "EI0007"};
    } catch (const std::exception& e) {
      return {HCCL_E_INTERNAL, e.what()};
    }
  };
  return static_cast<HcclResult>(entry(function, translated, args...));
}

// The check that a pointer was given: E_PTR, EI0003.
inline Status given(const void* pointer, const char* parameter) {
  if (pointer) return {};
  return {HCCL_E_PTR, formatted("parameter {} must not be null", parameter), "EI0003"};
}

}  // namespace belay::api
