// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MAX_POOL3_D_H_
#define ACLNNOP_ACLNN_MAX_POOL3_D_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool3D(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMaxPool3DGetWorkspaceSize(const aclTensor* x, const aclIntArray* ksize,
    const aclIntArray* strides, const char* padding, const aclIntArray* padsOptional,
    const aclIntArray* dilationOptional, int64_t ceilMode, const char* dataFormatOptional, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MAX_POOL3_D_H_
