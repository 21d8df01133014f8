// SPDX-License-Identifier: Apache-2.0
// The log: records and callbacks.
#ifndef BASE_ACL_LOG_H_
#define BASE_ACL_LOG_H_

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#define ACL_LOG_API __attribute__((visibility("default")))
#define ACL_LOG_WEAK __attribute__((weak))

#ifdef __cplusplus
extern "C" {
#endif

typedef uintptr_t acllogCallbackHandle;

typedef enum {
  OUTPUT_TYPE_DEBUG = 0,
  OUTPUT_TYPE_RUN = 1,
  OUTPUT_TYPE_BOTH = 2,
  OUTPUT_TYPE_MAX = 3
} acllogOutputLogType;

typedef int32_t (*acllogRecordCallback)(void* userData, uint32_t outputLogType, const char* logContent, size_t length);

ACL_LOG_API int32_t acllogRegisterCallback(acllogRecordCallback callbackFunc, void* userData, uint32_t outputLogType,
                                           acllogCallbackHandle* callbackHandle);
ACL_LOG_API int32_t acllogUnregisterCallback(acllogCallbackHandle callback);
ACL_LOG_API ACL_LOG_WEAK int32_t acllogCheckDebugLevel(int32_t moduleId, int32_t logLevel);
ACL_LOG_API ACL_LOG_WEAK void acllogRecord(int32_t moduleId, int32_t level, const char* fmt, ...);
ACL_LOG_API ACL_LOG_WEAK void acllogVaList(int32_t moduleId, int32_t level, const char* fmt, va_list list);

#ifdef __cplusplus
}
#endif

#endif  // BASE_ACL_LOG_H_
