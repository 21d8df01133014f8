// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H_
#define ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormBackward(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnBatchNormBackwardGetWorkspaceSize(const aclTensor* gradOut,
    const aclTensor* input, const aclTensor* weight, const aclTensor* runningMean, const aclTensor* runningVar,
    const aclTensor* saveMean, const aclTensor* saveInvstd, bool training, double eps, const aclBoolArray* outputMask,
    aclTensor* gradInput, aclTensor* gradWeight, aclTensor* gradBias, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_BATCH_NORM_BACKWARD_H_
