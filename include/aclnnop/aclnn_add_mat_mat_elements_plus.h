// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ADD_MAT_MAT_ELEMENTS_PLUS_H_
#define ACLNNOP_ACLNN_ADD_MAT_MAT_ELEMENTS_PLUS_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAddMatMatElementsPlus(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddMatMatElementsPlusGetWorkspaceSize(const aclTensor* c, const aclTensor* a,
    const aclTensor* b, const aclTensor* beta, const aclTensor* alpha, aclTensor* cOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_MAT_MAT_ELEMENTS_PLUS_H_
