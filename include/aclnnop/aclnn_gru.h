// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GRU_H_
#define ACLNNOP_ACLNN_GRU_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGRU(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGRUGetWorkspaceSize(const aclTensor* input, const aclTensorList* params,
    const aclTensor* hx, const aclTensor* batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
    bool bidirection, bool batchFirst, aclTensor* output, aclTensor* hy, aclTensorList* rOut, aclTensorList* zOut,
    aclTensorList* nOut, aclTensorList* hnOut, aclTensorList* hOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GRU_H_
