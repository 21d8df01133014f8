// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FOREACH_MUL_SCALAR_V2_H_
#define ACLNNOP_ACLNN_FOREACH_MUL_SCALAR_V2_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMulScalarV2(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnForeachMulScalarV2GetWorkspaceSize(const aclTensorList* x,
    const aclScalar* scalar, aclTensorList* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FOREACH_MUL_SCALAR_V2_H_
