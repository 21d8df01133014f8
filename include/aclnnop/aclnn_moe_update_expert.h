// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MOE_UPDATE_EXPERT_H_
#define ACLNNOP_ACLNN_MOE_UPDATE_EXPERT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeUpdateExpert(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMoeUpdateExpertGetWorkspaceSize(const aclTensor* expertIds,
    const aclTensor* eplbTable, const aclTensor* expertScalesOptional, const aclTensor* pruningThresholdOptional,
    const aclTensor* activeMaskOptional, int64_t localRankId, int64_t worldSize, int64_t balanceMode,
    aclTensor* balancedExpertIds, aclTensor* balancedActiveMask, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MOE_UPDATE_EXPERT_H_
