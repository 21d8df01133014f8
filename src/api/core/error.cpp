// SPDX-License-Identifier: Apache-2.0
#include "api/core/error.h"

#include <atomic>
#include <mutex>

#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/catalogue.h"
#include "base/log/log.h"
#include "base/log/recent_errors.h"
#include "base/threads/fork.h"
#include "base/threads/thread_object.h"

namespace belay::api {
namespace {

struct ThreadErrors {
  RecentErrors recent;
  std::string handed_out;  // what aclGetRecentErrMsg returned last on this thread
};

ThreadErrors& thread_errors() { return thread_object<ThreadErrors>(); }

struct ProcessErrors {
  std::mutex mutex;
  RecentErrors recent;
};

thread_local aclError thread_last_error = ACL_SUCCESS;
std::atomic<bool> process_scope = false;

ProcessErrors& process_errors() {
  static ProcessErrors& errors = *new ProcessErrors;
  return errors;
}

LogModule module_of(aclError code) {
  switch (code / 1000) {
    case 107:
    case 207:
    case 507:
      return LogModule::Runtime;
    case 145:
    case 245:
    case 545:
      return LogModule::Ge;
    default:
      return LogModule::AscendCl;
  }
}

void keep(const char* id, std::string message) {
  if (!process_scope.load(std::memory_order_relaxed)) return thread_errors().recent.add(id, std::move(message));
  std::lock_guard lock(process_errors().mutex);
  process_errors().recent.add(id, std::move(message));
}

std::optional<std::string> take() {
  if (!process_scope.load(std::memory_order_relaxed)) return thread_errors().recent.take();
  std::lock_guard lock(process_errors().mutex);
  return process_errors().recent.take();
}

const char* hand_out() {
  auto text = take();
  if (!text) return nullptr;
  ThreadErrors& mine = thread_errors();
  mine.handed_out = std::move(*text);
  return mine.handed_out.c_str();
}

aclError level_refused(const char* function, aclrtLastErrLevel level) {
  return report(function, {ACL_ERROR_INVALID_PARAM, formatted("level is {}; it must be ACL_RT_THREAD_LEVEL (0)", level),
                           "EH0007"});
}

}  // namespace

void set_error_scope(bool per_process) { process_scope.store(per_process, std::memory_order_relaxed); }

aclError last_error() { return thread_last_error; }
void set_last_error(aclError code) { thread_last_error = code; }

bool records(aclError code) {
  return module_of(code) == LogModule::Runtime && code != ACL_ERROR_RT_FEATURE_NOT_SUPPORT;
}

aclError report(const char* function, const Status& error) noexcept {
  if (records(error.code) && !error.unrecorded) set_last_error(error.code);
  if (error.silent) return error.code;
  try {
    const char* id = error.message_id ? error.message_id : usual_message_id(error.code);
    std::string message = formatted("{}: {}", function, error.message);
    if (orphaned()) message += formatted("; {}", kOrphaned);
    log_at(module_of(error.code), LogLevel::Error, "{}({}) {}", id, error.code, message);
    keep(id, std::move(message));
  } catch (const std::exception&) {
    // Out of memory: the code alone must do.
  }
  return error.code;
}

}  // namespace belay::api

using namespace belay;
using namespace belay::api;

const char* aclGetRecentErrMsg() {
  return entry_value<const char*>(__func__, nullptr, [] { return hand_out(); });
}

aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  return entry_value<aclError>(
      __func__, ACL_ERROR_INTERNAL_ERROR,
      [&] { return level == ACL_RT_THREAD_LEVEL ? last_error() : level_refused("aclrtPeekAtLastError", level); },
      level);
}

aclError aclrtGetLastError(aclrtLastErrLevel level) {
  return entry_value<aclError>(
      __func__, ACL_ERROR_INTERNAL_ERROR,
      [&] {
        if (level != ACL_RT_THREAD_LEVEL) return level_refused("aclrtGetLastError", level);
        const aclError code = last_error();
        set_last_error(ACL_SUCCESS);
        return code;
      },
      level);
}
