// SPDX-License-Identifier: Apache-2.0
// Resources of the hardware communication unit. For C++ only.
#ifndef HCOMM_CCU_CCU_RES_H_
#define HCOMM_CCU_CCU_RES_H_

#include "acl/acl_base.h"
#include "hcomm/ccu/ccu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY CcuResult HcommCcuVariableAlloc(CcuInsHandle insHandle, uint8_t dieId, uint32_t num,
                                                    CcuVariableHandle* varHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuEventAlloc(CcuInsHandle insHandle, uint8_t dieId, uint32_t num,
                                                 CcuEventHandle* eventHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuVariableGetAddr(CcuVariableHandle varHandle, uint32_t index, uint64_t* va);
ACL_FUNC_VISIBILITY CcuResult HcommCcuEventGetAddr(CcuEventHandle eventHandle, uint32_t index, uint64_t* va);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsResDescCreate(uint32_t dieId, HcommCcuResDescHandle* resDesc);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsResDescDestroy(HcommCcuResDescHandle resDesc);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsResDescQueryDieId(HcommCcuResDescHandle resDesc, uint32_t* dieId);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsResDescSetNum(HcommCcuResDescHandle resDesc, HcommCcuResType resType,
                                                       uint32_t resNum);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsResDescQueryNum(HcommCcuResDescHandle resDesc, HcommCcuResType resType,
                                                         uint32_t* resNum);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsCreate(const HcommCcuResDescHandle* resDescs, uint32_t resDescNum,
                                                CcuInsHandle* ccuInsHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsCreateDefault(const uint32_t* dieIds, uint32_t dieNum,
                                                       CcuInsHandle* ccuInsHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsDestroy(CcuInsHandle ccuInsHandle);
ACL_FUNC_VISIBILITY CcuResult HcommCcuInsQueryResDesc(CcuInsHandle ccuInsHandle, HcommCcuResDescHandle resDesc);
ACL_FUNC_VISIBILITY CcuResult HcommCcuQueryRemainResDesc(HcommCcuResDescHandle resDesc);
ACL_FUNC_VISIBILITY CcuResult HcommCcuKernelQueryResReq(const void* kernelFunc, const void** kernelArgs,
                                                        uint32_t argNum, HcommCcuResDescHandle resDesc);
ACL_FUNC_VISIBILITY CcuResult HcommCcuGetMemToken(uint64_t srcVa, uint64_t size, uint64_t* tokenInfo);

#ifdef __cplusplus
}
#endif

#endif  // HCOMM_CCU_CCU_RES_H_
