// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GAUSSIAN_BLUR_H_
#define ACLNNOP_ACLNN_GAUSSIAN_BLUR_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGaussianBlur(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    const aclTensor* src, const aclIntArray* ksize, double sigmaX, double sigmaY, int64_t borderType, aclTensor* dst,
    const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGaussianBlurGetWorkspaceSize(const aclTensor* src, const aclIntArray* ksize,
    double sigmaX, double sigmaY, int64_t borderType, const aclTensor* dst, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GAUSSIAN_BLUR_H_
