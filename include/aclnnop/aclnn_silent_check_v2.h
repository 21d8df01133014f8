// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_SILENT_CHECK_V2_H_
#define ACLNNOP_ACLNN_SILENT_CHECK_V2_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSilentCheckV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSilentCheckV2GetWorkspaceSize(const aclTensor* val, const aclTensor* max,
    aclTensor* avgRef, aclTensor* inputGradRef, aclTensor* stepRef, aclIntArray* dstSize, aclIntArray* dstStride,
    aclIntArray* dstOffset, float cThreshL1, float cThreshL2, float beta1, int32_t npuAsdDetect, aclTensor* result,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SILENT_CHECK_V2_H_
