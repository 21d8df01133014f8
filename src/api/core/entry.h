// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <exception>
#include <new>
#include <string>

#include "api/core/trace.h"
#include "base/status.h"

namespace belay::api {

// Keeps the message for aclGetRecentErrMsg and the code for aclrtGetLastError; returns the code to hand to C.
aclError report(const char* function, const Status& error) noexcept;

// Runs a body that returns a Status; nothing thrown inside gets out.
template <class Body>
aclError guarded(const char* function, Body& body) noexcept {
  try {
    const Status status = body();
    return status.ok() ? ACL_SUCCESS : report(function, status);
  } catch (const std::bad_alloc&) {
    return report(function, {ACL_ERROR_BAD_ALLOC, "out of host memory"});
  } catch (const std::exception& e) {
    return report(function, {ACL_ERROR_INTERNAL_ERROR, e.what()});
  }
}

// The body of an exported function that returns aclError. `args` are the function's own, for BELAY_TRACE.
template <class Body, class... Args>
aclError entry(const char* function, Body body, const Args&... args) noexcept {
  if (!tracing()) [[likely]]
    return guarded(function, body);
  Trace trace(function, args...);
  return trace.returned(guarded(function, body));
}

// The body of an exported function that returns something else; on an exception, `fallback`.
template <class T, class Body, class... Args>
T entry_value(const char* function, T fallback, Body body, const Args&... args) noexcept {
  auto run = [&]() noexcept -> T {
    try {
      return body();
    } catch (const std::exception& e) {
      report(function, {ACL_ERROR_INTERNAL_ERROR, e.what()});
      return fallback;
    }
  };
  if (!tracing()) [[likely]]
    return run();
  Trace trace(function, args...);
  return trace.returned(run());
}

// The check that a required pointer was given: 100000, EH0008.
inline Status not_null(const void* pointer, const char* parameter) {
  if (pointer) return {};
  return {ACL_ERROR_INVALID_PARAM, std::string("parameter ") + parameter + " must not be null", "EH0008"};
}

// The body of a function that destroys what the program holds by its address.
template <class T>
aclError destroy(const char* function, T* object, const char* parameter) noexcept {
  return entry(
      function,
      [&]() -> Status {
        TRY(not_null(object, parameter));
        delete object;
        return {};
      },
      object);
}

}  // namespace belay::api
