// SPDX-License-Identifier: Apache-2.0
// Kernels of the hardware communication unit. For C++ only.
#ifndef HCOMM_CCU_CCU_LAUNCH_H_
#define HCOMM_CCU_CCU_LAUNCH_H_

#include "acl/acl_base.h"
#include "hcomm/ccu/ccu_types.h"
#include "hcomm/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY CcuResult HcommCcuKernelRegisterStart(CcuInsHandle insHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuKernelRegister(CcuInsHandle insHandle, uint32_t dieId, const char* kernelFuncName,
                                                     const void* kernelFunc, const void** kernelArgs, uint32_t argNum,
                                                     CcuKernelHandle* kernelHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuKernelRegisterEnd(CcuInsHandle insHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuGetTaskArgsNum(CcuKernelHandle kernelHandle, uint32_t* taskArgsNum);
ACL_FUNC_VISIBILITY CcuResult HcommCcuKernelLaunch(ThreadHandle threadHandle, CcuKernelHandle kernelHandle,
                                                   const void* taskArgs, uint32_t argNum);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_LAUNCH_H_
