// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_UNFOLD_GRAD_H_
#define ACLNNOP_ACLNN_UNFOLD_GRAD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnUnfoldGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnUnfoldGradGetWorkspaceSize(const aclTensor* gradOut,
    const aclIntArray* inputSizes, int64_t dim, int64_t size, int64_t step, const aclTensor* gradIn,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_UNFOLD_GRAD_H_
