// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_LSTM_BACKWARD_H_
#define ACLNNOP_ACLNN_LSTM_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnLstmBackward(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLstmBackwardGetWorkspaceSize(const aclTensor* input, const aclTensorList* hx,
    const aclTensorList* params, const aclTensor* dy, const aclTensor* dh, const aclTensor* dc,
    const aclTensorList* i, const aclTensorList* g, const aclTensorList* f, const aclTensorList* o,
    const aclTensorList* h, const aclTensorList* c, const aclTensorList* tanhc, const aclTensor* batchSizesOptional,
    bool hasBias, int64_t numLayers, double dropout, bool train, bool bidirectional, bool batchFirst,
    const aclBoolArray* outputMask, aclTensor* dxOut, aclTensor* dhPrevOut, aclTensor* dcPrevOut,
    aclTensorList* dparamsOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LSTM_BACKWARD_H_
