// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_APPLY_ADAM_W_H_
#define ACLNNOP_ACLNN_APPLY_ADAM_W_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamW(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamWGetWorkspaceSize(aclTensor* varRef, aclTensor* mRef, aclTensor* vRef,
    const aclTensor* beta1Power, const aclTensor* beta2Power, const aclTensor* lr, const aclTensor* weightDecay,
    const aclTensor* beta1, const aclTensor* beta2, const aclTensor* eps, const aclTensor* grad,
    const aclTensor* maxGradNormOptional, bool amsgrad, bool maximize, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_ADAM_W_H_
