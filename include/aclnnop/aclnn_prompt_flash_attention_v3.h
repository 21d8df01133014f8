// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H_
#define ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnPromptFlashAttentionV3(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnPromptFlashAttentionV3GetWorkspaceSize(const aclTensor* query,
    const aclTensor* key, const aclTensor* value, const aclTensor* pseShift, const aclTensor* attenMask,
    const aclIntArray* actualSeqLengths, const aclIntArray* actualSeqLengthsKv, const aclTensor* deqScale1,
    const aclTensor* quantScale1, const aclTensor* deqScale2, const aclTensor* quantScale2,
    const aclTensor* quantOffset2, int64_t numHeads, double scaleValue, int64_t preTokens, int64_t nextTokens,
    char* inputLayout, int64_t numKeyValueHeads, int64_t sparseMode, int64_t innerPrecise,
    const aclTensor* attentionOut, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_PROMPT_FLASH_ATTENTION_V3_H_
