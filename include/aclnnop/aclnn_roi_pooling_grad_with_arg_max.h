// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ROI_POOLING_GRAD_WITH_ARG_MAX_H_
#define ACLNNOP_ACLNN_ROI_POOLING_GRAD_WITH_ARG_MAX_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnRoiPoolingGradWithArgMax(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRoiPoolingGradWithArgMaxGetWorkspaceSize(const aclTensor* gradOutput,
    const aclTensor* gradInputRef, const aclTensor* rois, const aclTensor* argmax, int64_t pooledH, int64_t pooledW,
    double spatialScale, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROI_POOLING_GRAD_WITH_ARG_MAX_H_
