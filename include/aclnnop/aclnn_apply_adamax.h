// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_APPLY_ADAMAX_H_
#define ACLNNOP_ACLNN_APPLY_ADAMAX_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamax(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdamaxGetWorkspaceSize(const aclTensor* var, const aclTensor* m,
    const aclTensor* v, const aclScalar* beta1Power, const aclScalar* lr, const aclScalar* beta1,
    const aclScalar* beta2, const aclScalar* epsilon, const aclTensor* grad, aclTensor* varOut, aclTensor* mOut,
    aclTensor* vOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_ADAMAX_H_
