// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_STRIDED_SLICE_H_
#define ACLNNOP_ACLNN_STRIDED_SLICE_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnStridedSlice(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnStridedSliceGetWorkspaceSize(const aclTensor* self, const aclIntArray* begin,
    const aclIntArray* end, const aclIntArray* strides, int64_t beginMask, int64_t endMask, int64_t ellipsisMask,
    int64_t newAxisMask, int64_t shrinkAxisMask, aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_STRIDED_SLICE_H_
