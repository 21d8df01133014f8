// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FOREACH_ADDCDIV_SCALAR_LIST_H_
#define ACLNNOP_ACLNN_FOREACH_ADDCDIV_SCALAR_LIST_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcdivScalarList(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachAddcdivScalarListGetWorkspaceSize(const aclTensorList* x1,
    const aclTensorList* x2, const aclTensorList* x3, const aclTensor* scalars, aclTensorList* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FOREACH_ADDCDIV_SCALAR_LIST_H_
