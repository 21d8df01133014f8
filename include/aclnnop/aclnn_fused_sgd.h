// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FUSED_SGD_H_
#define ACLNNOP_ACLNN_FUSED_SGD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedSgd(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFusedSgdGetWorkspaceSize(const aclTensorList* paramsRef,
    const aclTensorList* gradsRef, const aclTensorList* momentumBufferListOptionalRef,
    const aclTensor* gradScaleOptional, float weightDecay, float momentum, float lr, float dampening, bool nesterov,
    bool maximize, bool isFirstStep, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FUSED_SGD_H_
