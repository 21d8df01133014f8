// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_NON_MAX_SUPPRESSION_H_
#define ACLNNOP_ACLNN_NON_MAX_SUPPRESSION_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnNonMaxSuppression(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnNonMaxSuppressionGetWorkspaceSize(const aclTensor* boxes,
    const aclTensor* scores, aclIntArray* maxOutputBoxesPerClass, aclFloatArray* iouThreshold,
    aclFloatArray* scoreThreshold, int32_t centerPointBox, aclTensor* selectedIndices, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_NON_MAX_SUPPRESSION_H_
