// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_GRU_BACKWARD_H_
#define ACLNNOP_ACLNN_GRU_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnGRUBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnGRUBackwardGetWorkspaceSize(const aclTensor* input, const aclTensorList* params,
    const aclTensor* hx, const aclTensor* dy, const aclTensor* dh, const aclTensorList* r, const aclTensorList* z,
    const aclTensorList* n, const aclTensorList* hn, const aclTensorList* h, const aclTensor* batchSizes,
    bool hasBias, int64_t numLayers, bool bidirection, bool batchFirst, aclTensor* dxOut, aclTensor* dhPrevOut,
    aclTensorList* dparamsOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_GRU_BACKWARD_H_
