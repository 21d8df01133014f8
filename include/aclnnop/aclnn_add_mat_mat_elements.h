// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_ADD_MAT_MAT_ELEMENTS_H_
#define ACLNNOP_ACLNN_ADD_MAT_MAT_ELEMENTS_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnAddMatMatElements(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnAddMatMatElementsGetWorkspaceSize(const aclTensor* a, const aclTensor* b,
    const aclTensor* c, const aclScalar* alpha, const aclScalar* beta, aclTensor* cOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_ADD_MAT_MAT_ELEMENTS_H_
