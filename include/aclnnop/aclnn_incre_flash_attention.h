// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_H_
#define ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnIncreFlashAttention(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnIncreFlashAttentionGetWorkspaceSize(const aclTensor* query,
    const aclTensorList* key, const aclTensorList* value, const aclTensor* pseShift, const aclTensor* attenMask,
    const aclIntArray* actualSeqLengths, int64_t numHeads, double scaleValue, char* inputLayout,
    int64_t numKeyValueHeads, const aclTensor* attentionOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_INCRE_FLASH_ATTENTION_H_
