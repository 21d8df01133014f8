// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_FILL_SCALAR_H_
#define ACLNNOP_ACLNN_FILL_SCALAR_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillScalar(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnInplaceFillScalarGetWorkspaceSize(aclTensor* selfRef, const aclScalar* value,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_FILL_SCALAR_H_
