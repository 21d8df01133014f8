// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FLAT_QUANT_V3_H_
#define ACLNNOP_ACLNN_FLAT_QUANT_V3_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnFlatQuantV3(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnFlatQuantV3GetWorkspaceSize(const aclTensor* x, const aclTensor* kroneckerP1,
    const aclTensor* kroneckerP2, const aclTensor* groupListOptional, double clipRatio, double dstTypeMax,
    int64_t groupListType, aclTensor* out, aclTensor* quantScale, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FLAT_QUANT_V3_H_
