// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FUSED_LINEAR_ONLINE_MAX_SUM_H_
#define ACLNNOP_ACLNN_FUSED_LINEAR_ONLINE_MAX_SUM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedLinearOnlineMaxSum(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedLinearOnlineMaxSumGetWorkspaceSize(const aclTensor* input,
    const aclTensor* weight, const aclTensor* target, int64_t vocabStartIndex, int64_t vocabEndIndex,
    aclTensor* logitsMaxLocalOut, aclTensor* sumExpLogitsLocalOut, aclTensor* predictedLogitsLocalOut,
    aclTensor* targetMaskOut, aclTensor* maskedTargetOut, aclTensor* vocabParallelLogitsOutOptional,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_LINEAR_ONLINE_MAX_SUM_H_
