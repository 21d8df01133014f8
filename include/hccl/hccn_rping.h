// SPDX-License-Identifier: Apache-2.0
// Probes of the network between device cards. For C++ only.
#ifndef HCCL_HCCN_RPING_H_
#define HCCL_HCCN_RPING_H_

#include <stdint.h>

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t HccnResult;
typedef void* HccnRpingCtx;
// Their layouts are not published.
typedef struct HccnRpingInitAttrDef HccnRpingInitAttr;
typedef struct HccnRpingTargetInfoDef HccnRpingTargetInfo;
typedef struct HccnRpingAddTargetConfigDef HccnRpingAddTargetConfig;
typedef struct HccnRpingResultInfoDef HccnRpingResultInfo;
typedef int32_t HccnRpingAddTargetState;

ACL_FUNC_VISIBILITY HccnResult HccnRpingInit(uint32_t devLogicId, HccnRpingInitAttr* initAttr, HccnRpingCtx* rpingCtx);
ACL_FUNC_VISIBILITY HccnResult HccnRpingDeinit(HccnRpingCtx rpingCtx);
ACL_FUNC_VISIBILITY HccnResult HccnRpingAddTarget(HccnRpingCtx rpingCtx, uint32_t targetNum,
                                                  HccnRpingTargetInfo* target);
ACL_FUNC_VISIBILITY HccnResult HccnRpingAddTargetV2(HccnRpingCtx rpingCtx, uint32_t targetNum,
                                                    HccnRpingTargetInfo* target, HccnRpingAddTargetConfig* config);
ACL_FUNC_VISIBILITY HccnResult HccnRpingAddTargetWithCfg(HccnRpingCtx rpingCtx, uint32_t targetNum,
                                                         HccnRpingTargetInfo* target, HccnRpingAddTargetConfig* config);
ACL_FUNC_VISIBILITY HccnResult HccnRpingRemoveTarget(HccnRpingCtx rpingCtx, uint32_t targetNum,
                                                     HccnRpingTargetInfo* target);
ACL_FUNC_VISIBILITY HccnResult HccnRpingGetTarget(HccnRpingCtx rpingCtx, uint32_t targetNum,
                                                  HccnRpingTargetInfo* target, HccnRpingAddTargetState* targetState);
ACL_FUNC_VISIBILITY HccnResult HccnRpingBatchPingStart(HccnRpingCtx rpingCtx, uint32_t pktNum, uint32_t interval,
                                                       uint32_t timeout);
ACL_FUNC_VISIBILITY HccnResult HccnRpingBatchPingStop(HccnRpingCtx rpingCtx);
ACL_FUNC_VISIBILITY HccnResult HccnRpingGetResult(HccnRpingCtx rpingCtx, uint32_t targetNum,
                                                  HccnRpingTargetInfo* target, HccnRpingResultInfo* result);
ACL_FUNC_VISIBILITY HccnResult HccnRpingGetPayload(HccnRpingCtx rpingCtx, void** payload, uint32_t* payloadLen);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCN_RPING_H_
