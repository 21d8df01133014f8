// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_THREE_INTERPOLATE_BACKWARD_H_
#define ACLNNOP_ACLNN_THREE_INTERPOLATE_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnThreeInterpolateBackward(void* workspace, uint64_t workspace_size,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThreeInterpolateBackwardGetWorkspaceSize(const aclTensor* grad_x,
    const aclTensor* idx, const aclTensor* weight, int m, aclTensor* grad_y, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_THREE_INTERPOLATE_BACKWARD_H_
