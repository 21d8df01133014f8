// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_APPLY_ADAM_D_H_
#define ACLNNOP_ACLNN_APPLY_ADAM_D_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamD(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamDGetWorkspaceSize(const aclTensor* var, const aclTensor* m,
    const aclTensor* v, const aclTensor* beta1Power, const aclTensor* beta2Power, const aclTensor* lr,
    const aclTensor* beta1, const aclTensor* beta2, const aclTensor* epsilon, const aclTensor* grad, bool useLocking,
    bool useNesterov, aclTensor* varOut, aclTensor* mOut, aclTensor* vOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_ADAM_D_H_
