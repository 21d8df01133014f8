// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_RELU_GRAD_V4_H_
#define ACLNNOP_ACLNN_RELU_GRAD_V4_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnReluGradV4(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnReluGradV4GetWorkspaceSize(const aclTensor* gradOutput, const aclTensor* self,
    const aclScalar* threshold, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_RELU_GRAD_V4_H_
