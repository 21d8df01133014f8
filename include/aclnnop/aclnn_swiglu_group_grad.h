// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_SWIGLU_GROUP_GRAD_H_
#define ACLNNOP_ACLNN_SWIGLU_GROUP_GRAD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSwigluGroupGrad(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSwigluGroupGradGetWorkspaceSize(const aclTensor* gradY, const aclTensor* x,
    const aclTensor* weightOptional, const aclTensor* yOriginOptional, const aclTensor* groupIndexOptional,
    float clampLimit, aclTensor* gradXOut, aclTensor* gradWeightOutOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SWIGLU_GROUP_GRAD_H_
