// SPDX-License-Identifier: Apache-2.0
// Communicators. For C++ only.
#ifndef HCCL_HCCL_COMM_H_
#define HCCL_HCCL_COMM_H_

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "acl/acl.h"
#include "hccl/hccl_launch.h"
#include "hccl/hccl_res.h"
#include "hccl/hccl_types.h"

#define HCCL_WEAK __attribute__((weak))

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
  HCCL_OP_EXPANSION_MODE_INVALID = -1,
  HCCL_OP_EXPANSION_MODE_AI_CPU = 0,
  HCCL_OP_EXPANSION_MODE_AIV = 1,
  HCCL_OP_EXPANSION_MODE_HOST = 2,
  HCCL_OP_EXPANSION_MODE_HOST_TS = 3,
  HCCL_OP_EXPANSION_MODE_CCU_MS = 4,
  HCCL_OP_EXPANSION_MODE_CCU_SCHED = 5,
  HCCL_OP_EXPANSION_AIV_ONLY = 6
} HcclOpExpansionMode;

typedef enum {
  HCCL_CONFIG_TYPE_INVALID = -1,
  HCCL_CONFIG_TYPE_OP_EXPANSION_MODE = 0,
  HCCL_CONFIG_TYPE_HCCL_ALGO = 1
} HcclConfigType;

typedef HcclOpExpansionMode HcclConfigTypeOpExpansionMode;

typedef HcclResult (*HcclCommStateCallback)(HcclComm comm, HcclCommStatePhase state, void* args);

ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommInitClusterInfo(const char* clusterInfo, uint32_t rank,
                                                                 HcclComm* comm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommInitClusterInfoConfig(const char* clusterInfo, uint32_t rank,
                                                                       HcclCommConfig* config, HcclComm* comm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCreateSubCommConfig(HcclComm* comm, uint32_t rankNum, uint32_t* rankIds,
                                                                 uint64_t subCommId, uint32_t subCommRankId,
                                                                 HcclCommConfig* config, HcclComm* subComm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclGetRootInfo(HcclRootInfo* rootInfo);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommInitRootInfo(uint32_t nRanks, const HcclRootInfo* rootInfo,
                                                              uint32_t rank, HcclComm* comm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommInitRootInfoConfig(uint32_t nRanks, const HcclRootInfo* rootInfo,
                                                                    uint32_t rank, const HcclCommConfig* config,
                                                                    HcclComm* comm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclSetConfig(HcclConfig config, HcclConfigValue configValue);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclGetConfig(HcclConfig config, HcclConfigValue* configValue);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclGetCommName(HcclComm comm, char* commName);
ACL_FUNC_VISIBILITY HcclResult HcclCommGetHandleWithName(const char* commName, HcclComm* comm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclGetRankSize(HcclComm comm, uint32_t* rankSize);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclGetRankId(HcclComm comm, uint32_t* rank);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclBarrier(HcclComm comm, aclrtStream stream);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommDestroy(HcclComm comm);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommInitAll(uint32_t ndev, int32_t* devices, HcclComm* comms);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclGetCommAsyncError(HcclComm comm, HcclResult* asyncError);
ACL_FUNC_VISIBILITY HCCL_WEAK const char* HcclGetErrorString(HcclResult code);
ACL_FUNC_VISIBILITY HCCL_WEAK uint32_t HcclGetCommConfigCapability(void);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommSuspend(HcclComm comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommRegCommStateCallback(const char* regName, HcclCommStateCallback cb, void* args);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommResume(HcclComm comm);
ACL_FUNC_VISIBILITY HcclResult HcclCommGetStatus(const char* commId, HcclCommStatus* status);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommSetMemoryRange(HcclComm comm, void* baseVirPtr, size_t size,
                                                                size_t alignment, uint64_t flags);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommUnsetMemoryRange(HcclComm comm, void* baseVirPtr);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommActivateCommMemory(HcclComm comm, void* virPtr, size_t size,
                                                                    size_t offset, aclrtDrvMemHandle handle,
                                                                    uint64_t flags);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommDeactivateCommMemory(HcclComm comm, void* virPtr);
ACL_FUNC_VISIBILITY HCCL_WEAK HcclResult HcclCommWorkingDevNicSet(HcclComm comm, uint32_t* ranks, bool* useBackup,
                                                                  uint32_t nRanks);
ACL_FUNC_VISIBILITY HcclResult HcclGroupStart(void);
ACL_FUNC_VISIBILITY HcclResult HcclGroupEnd(void);
ACL_FUNC_VISIBILITY HcclResult HcclGroupStatusGet(bool* isGroupEnabled);
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinRegister(HcclComm comm, void* addr, uint64_t size,
                                                      HcclCommSymWindow* winHandle, uint32_t flag);
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinDeregister(HcclCommSymWindow winHandle);
ACL_FUNC_VISIBILITY HcclResult HcclCommSymWinGet(HcclComm comm, void* ptr, size_t size, HcclCommSymWindow* winHandle,
                                                 size_t* offset);
ACL_FUNC_VISIBILITY HcclResult HcclConfigGetInfo(HcclComm comm, HcclConfigType cfgType, uint32_t infoLen, void* info);

// Fills a configuration with its header and the defaults; call it before setting a field.
static inline void HcclCommConfigInit(HcclCommConfig* config) {
  if (config == nullptr) return;
  const size_t size = sizeof(HcclCommConfig);
  memset(config, 0, size);
  memcpy(config->reserved, &size, sizeof(size));
  memcpy(config->reserved + 8, &HCCL_COMM_CONFIG_MAGIC_WORD, sizeof(uint32_t));
  memcpy(config->reserved + 12, &HCCL_COMM_CONFIG_VERSION, sizeof(uint32_t));
  config->hcclBufferSize = HCCL_COMM_BUFFSIZE_CONFIG_NOT_SET;
  config->hcclDeterministic = HCCL_COMM_DETERMINISTIC_CONFIG_NOT_SET;
  config->hcclOpExpansionMode = HCCL_COMM_DEFAULT_OP_EXPANSION_MODE;
  config->hcclRdmaTrafficClass = HCCL_COMM_TRAFFIC_CLASS_CONFIG_NOT_SET;
  config->hcclRdmaServiceLevel = HCCL_COMM_SERVICE_LEVEL_CONFIG_NOT_SET;
  config->hcclExecTimeOut = HCCL_COMM_EXECTIMEOUT_CONFIG_NOT_SET;
  config->hcclQos = HCCL_COMM_QOS_CONFIG_NOT_SET;
  config->hcclSymWinMaxMemSizePerRank = HCCL_DEFAULT_SYMMETRIC_MEMORY_STRIDE;
  config->hcclChannelSqDepth = HCCL_COMM_SQ_DEPTH_CONFIG_NOT_SET;
}

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_COMM_H_
