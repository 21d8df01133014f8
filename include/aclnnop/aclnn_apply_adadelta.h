// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_APPLY_ADADELTA_H_
#define ACLNNOP_ACLNN_APPLY_ADADELTA_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdadelta(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnApplyAdadeltaGetWorkspaceSize(const aclTensor* var, const aclTensor* accum,
    const aclTensor* accumUpdate, const aclScalar* lr, const aclScalar* rho, const aclScalar* epsilon,
    const aclTensor* grad, aclTensor* varOut, aclTensor* accumOut, aclTensor* accumUpdateOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_APPLY_ADADELTA_H_
