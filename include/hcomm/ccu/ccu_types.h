// SPDX-License-Identifier: Apache-2.0
// Types of the hardware communication unit. For C++ only.
#ifndef HCOMM_CCU_CCU_TYPES_H_
#define HCOMM_CCU_CCU_TYPES_H_

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t CcuResult;
typedef void* CcuInsHandle;
typedef void* CcuKernelHandle;
typedef void* CcuVariableHandle;
typedef void* CcuEventHandle;
typedef void* HcommCcuResDescHandle;
typedef int32_t HcommCcuResType;

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_TYPES_H_
