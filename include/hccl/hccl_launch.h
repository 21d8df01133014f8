// SPDX-License-Identifier: Apache-2.0
// User-written communication kernels. For C++ only.
#ifndef HCCL_HCCL_LAUNCH_H_
#define HCCL_HCCL_LAUNCH_H_

#include <string.h>

#include "acl/acl_rt.h"
#include "hccl/hccl_types.h"
#include "hccl/hcomm_res_defs.h"

#ifdef __cplusplus
extern "C" {
#endif

const uint32_t P2P_MAX_ARG_SIZE = 8192;

// Kinds of operator descriptors: their numbers are not published.
typedef int32_t HcclOpDescType;

// Its fields are not published.
typedef struct {
  uint64_t raws[6];
} HcclOpP2pDesc;

typedef struct {
  CommAbiHeader header;
  HcclOpDescType opDescType;
  char opName[256];
  union {
    HcclOpP2pDesc p2pDesc;
    uint8_t raws[80];
  };
} HcclOpDesc;

typedef struct {
  char soName[256];
  char funcName[256];
  void* args;
  uint32_t argSize;
} HcclKernelFuncInfo;

typedef struct {
  CommAbiHeader header;
  uint64_t timeOut;
  uint8_t reserved[104];
} HcclKernelLaunchCfg;

typedef struct {
  ThreadHandle thread;
  uint8_t params[P2P_MAX_ARG_SIZE];
} HcclP2pKernelParam;

static inline HcclResult HcclOpDescInit(HcclOpDesc* opDesc) {
  if (opDesc == nullptr) return HCCL_E_PTR;
  memset(opDesc, 0xff, sizeof(HcclOpDesc));
  const CommAbiHeader header = {1, 0x0f0f0f0f, sizeof(HcclOpDesc), 0};
  opDesc->header = header;
  return HCCL_SUCCESS;
}

static inline HcclResult HcclKernelLaunchCfgInit(HcclKernelLaunchCfg* kernelLaunchCfg) {
  if (kernelLaunchCfg == nullptr) return HCCL_E_PTR;
  memset(kernelLaunchCfg, 0xff, sizeof(HcclKernelLaunchCfg));
  const CommAbiHeader header = {1, 0x0f0f0f0f, sizeof(HcclKernelLaunchCfg), 0};
  kernelLaunchCfg->header = header;
  return HCCL_SUCCESS;
}

ACL_FUNC_VISIBILITY HcclResult HcclAicpuKernelLaunch(HcclComm comm, const HcclOpDesc* opInfo,
                                                     const HcclKernelFuncInfo* funcInfo, ThreadHandle aicpuThreadHandle,
                                                     aclrtStream userStream,
                                                     const HcclKernelLaunchCfg* kernelLaunchCfg);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_LAUNCH_H_
