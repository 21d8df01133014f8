// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_H_
#define ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCell(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnThnnFusedLstmCellGetWorkspaceSize(const aclTensor* inputGates,
    const aclTensor* hiddenGates, const aclTensor* cx, const aclTensor* inputBiasOptional,
    const aclTensor* hiddenBiasOptional, aclTensor* hyOut, aclTensor* cyOut, aclTensor* storageOut,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_THNN_FUSED_LSTM_CELL_H_
