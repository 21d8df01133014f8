// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MODULATE_BACKWARD_H_
#define ACLNNOP_ACLNN_MODULATE_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnModulateBackward(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnModulateBackwardGetWorkspaceSize(const aclTensor* grad_output,
    const aclTensor* input, const aclTensor* scale, const aclTensor* shift, const aclTensor* grad_input,
    const aclTensor* grad_scale, const aclTensor* grad_shift, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MODULATE_BACKWARD_H_
