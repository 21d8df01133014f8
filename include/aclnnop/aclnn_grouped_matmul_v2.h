// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GROUPED_MATMUL_V2_H_
#define ACLNNOP_ACLNN_GROUPED_MATMUL_V2_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupedMatmulV2(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGroupedMatmulV2GetWorkspaceSize(const aclTensorList* x,
    const aclTensorList* weight, const aclTensorList* biasOptional, const aclTensorList* scaleOptional,
    const aclTensorList* offsetOptional, const aclTensorList* antiquantScaleOptional,
    const aclTensorList* antiquantOffsetOptional, const aclIntArray* groupListOptional, int64_t splitItem,
    int64_t groupType, const aclTensorList* y, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GROUPED_MATMUL_V2_H_
