// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_BACKWARD_H_
#define ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCellBackward(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCellBackwardGetWorkspaceSize(const aclTensor* gradHyOptional,
    const aclTensor* gradCOptional, const aclTensor* cx, const aclTensor* cy, const aclTensor* storage, bool hasBias,
    aclTensor* gradGatesOut, aclTensor* gradCxOut, aclTensor* gradBiasOut, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_BACKWARD_H_
