// SPDX-License-Identifier: Apache-2.0
// The hardware communication unit of a communicator. For C++ only.
#ifndef HCCL_HCCL_CCU_RES_H_
#define HCCL_HCCL_CCU_RES_H_

#include "acl/acl_base.h"
#include "hccl/hccl_types.h"
#include "hcomm/ccu/ccu_types.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY HcclResult HcclCommAssignCcuIns(HcclComm comm, CcuInsHandle insHandle);
ACL_FUNC_VISIBILITY HcclResult HcclCommQueryCcuIns(HcclComm comm, CcuInsHandle* insHandles, uint32_t* insNum);
ACL_FUNC_VISIBILITY HcclResult HcclCommQueryAssignedCcuIns(HcclComm comm, CcuInsHandle* insHandles, uint32_t* insNum);

#ifdef __cplusplus
}
#endif

#endif  // HCCL_HCCL_CCU_RES_H_
