// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FUSED_ADAMW_H_
#define ACLNNOP_ACLNN_FUSED_ADAMW_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedAdamw(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedAdamwGetWorkspaceSize(const aclTensorList* paramsRef,
    const aclTensorList* grads, const aclTensorList* expAvgsRef, const aclTensorList* expAvgSqsRef,
    const aclTensorList* maxExpAvgSqsRef, const aclTensorList* stateSteps, const aclTensor* gradScaleOptional,
    const aclTensor* foundInfOptional, double lr, double beta1, double beta2, double weightDecay, double eps,
    bool amsgrad, bool maximize, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_ADAMW_H_
