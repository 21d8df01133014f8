// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_LSTM_H_
#define ACLNNOP_ACLNN_LSTM_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnLSTM(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnLSTMGetWorkspaceSize(const aclTensor* input, const aclTensorList* params,
    const aclTensorList* hx, const aclTensor* batchSizes, bool hasBias, int64_t numLayers, double dropout, bool train,
    bool bidirectional, bool batchFirst, aclTensor* output, aclTensor* hy, aclTensor* cy, aclTensorList* iOut,
    aclTensorList* jOut, aclTensorList* fOut, aclTensorList* oOut, aclTensorList* hOut, aclTensorList* cOut,
    aclTensorList* tanhCOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_LSTM_H_
