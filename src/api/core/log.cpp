// SPDX-License-Identifier: Apache-2.0
#include "base/log/log.h"

#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "acl/acl_base.h"
#include "api/core/entry.h"
#include "base/acl_log.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr size_t longest_message = 1024;

[[gnu::format(printf, 1, 0)]] std::string printed(const char* fmt, va_list list) {
  char buffer[longest_message + 1];
  const int length = vsnprintf(buffer, sizeof buffer, fmt, list);
  if (length < 0) return "(the message could not be formatted)";
  std::string text(buffer, std::min(static_cast<size_t>(length), longest_message));
  if (static_cast<size_t>(length) > longest_message) text += "...[truncated]";
  return text;
}

bool known_level(int level) { return level >= ACL_DEBUG && level <= ACL_ERROR; }

void app_log(aclLogLevel level, const char* func, const char* file, uint32_t line, const char* fmt, va_list list) {
  if (!func || !file || !fmt || !known_level(level)) return;
  if (!log_enabled(LogModule::App, static_cast<LogLevel>(level))) return;
  log_line(LogModule::App, static_cast<LogLevel>(level), file, line,
           formatted("{} {}:{}:{}: \"{}\"", gettid(), func, file, line, printed(fmt, list)));
}

// Modules of the log library are numbers; we have no names for them.
void module_log(int32_t module, int32_t level, const char* fmt, va_list list) {
  if (!fmt || !known_level(level) || !log_enabled(static_cast<LogLevel>(level))) return;
  log_line(formatted("MODULE{}", module).c_str(), static_cast<LogLevel>(level), printed(fmt, list));
}

Result<uint64_t> observe(acllogRecordCallback callback, void* user_data, uint32_t type) {
  const uint64_t number = add_log_observer([=](bool run, std::string_view line) {
    const uint32_t shown = run ? OUTPUT_TYPE_RUN : OUTPUT_TYPE_DEBUG;
    if (type == OUTPUT_TYPE_BOTH || type == shown) callback(user_data, shown, line.data(), line.size());
  });
  if (number != 0) return number;
  return Status{ACL_ERROR_INVALID_PARAM, "a log callback cannot register another one"};
}

Status register_callback(acllogRecordCallback callback, void* user_data, uint32_t type, acllogCallbackHandle* handle) {
  TRY(not_null(reinterpret_cast<const void*>(callback), "callbackFunc"));
  TRY(not_null(handle, "callbackHandle"));
  if (type >= OUTPUT_TYPE_MAX)
    return {ACL_ERROR_INVALID_PARAM,
            formatted("outputLogType is {}; it must be OUTPUT_TYPE_DEBUG (0), _RUN (1) or _BOTH (2)", type), "EH0007"};
  *handle = TRY(observe(callback, user_data, type));
  return {};
}

Status unregister_callback(acllogCallbackHandle handle) {
  if (remove_log_observer(handle)) return {};
  return {ACL_ERROR_INVALID_PARAM, "no such callback is registered, or the call came from inside a log callback"};
}

}  // namespace

void aclAppLog(aclLogLevel logLevel, const char* func, const char* file, uint32_t line, const char* fmt, ...) {
  va_list list;
  va_start(list, fmt);
  entry(
      __func__,
      [&]() -> Status {
        app_log(logLevel, func, file, line, fmt, list);
        return {};
      },
      logLevel, func, file, line, fmt);
  va_end(list);
}

int32_t acllogRegisterCallback(acllogRecordCallback callbackFunc, void* userData, uint32_t outputLogType,
                               acllogCallbackHandle* callbackHandle) {
  const auto body = [&] { return register_callback(callbackFunc, userData, outputLogType, callbackHandle); };
  return entry(__func__, body, callbackFunc, userData, outputLogType, callbackHandle) == ACL_SUCCESS ? 0 : -1;
}

int32_t acllogUnregisterCallback(acllogCallbackHandle callback) {
  return entry(
             __func__, [&] { return unregister_callback(callback); }, callback) == ACL_SUCCESS
             ? 0
             : -1;
}

int32_t acllogCheckDebugLevel(int32_t moduleId, int32_t logLevel) {
  return entry_value<int32_t>(
      __func__, 0, [&] { return known_level(logLevel) && log_enabled(static_cast<LogLevel>(logLevel)) ? 1 : 0; },
      moduleId, logLevel);
}

void acllogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list) {
  entry(
      __func__,
      [&]() -> Status {
        module_log(moduleId, level, fmt, list);
        return {};
      },
      moduleId, level, fmt);
}

void acllogRecord(int32_t moduleId, int32_t level, const char* fmt, ...) {
  va_list list;
  va_start(list, fmt);
  entry(
      __func__,
      [&]() -> Status {
        module_log(moduleId, level, fmt, list);
        return {};
      },
      moduleId, level, fmt);
  va_end(list);
}
