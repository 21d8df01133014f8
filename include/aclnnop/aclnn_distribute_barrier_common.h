// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_COMMON_H_
#define ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_COMMON_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnInnerDistributeBarrier(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInnerDistributeBarrierGetWorkspaceSize(const aclTensor* xRef,
    const aclTensor* timeOut, const aclTensor* elasticInfo, const char* group, int64_t worldSize,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_DISTRIBUTE_BARRIER_COMMON_H_
