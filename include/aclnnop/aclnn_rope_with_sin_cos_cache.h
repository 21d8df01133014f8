// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_H_
#define ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnRopeWithSinCosCache(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnRopeWithSinCosCacheGetWorkspaceSize(const aclTensor* positions,
    const aclTensor* queryIn, const aclTensor* keyIn, const aclTensor* cosSinCache, const aclIntArray* mropeSection,
    int64_t headSize, bool isNeoxStyle, aclTensor* queryOut, aclTensor* keyOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ROPE_WITH_SIN_COS_CACHE_H_
