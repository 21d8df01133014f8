// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ADDR_V2_H_
#define ACLNNOP_ACLNN_ADDR_V2_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAddrV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddrV2GetWorkspaceSize(const aclTensor* self, const aclTensor* vec1,
    const aclTensor* vec2, const aclScalar* betaOptional, const aclScalar* alphaOptional, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddrV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceAddrV2GetWorkspaceSize(aclTensor* selfRef, const aclTensor* vec1,
    const aclTensor* vec2, const aclScalar* betaOptional, const aclScalar* alphaOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADDR_V2_H_
