// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_TRANS_QUANT_PARAM_V3_H_
#define ACLNNOP_ACLNN_TRANS_QUANT_PARAM_V3_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnTransQuantParamV3(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnTransQuantParamV3GetWorkspaceSize(const aclTensor* scale,
    const aclTensor* offset, int64_t roundMode, const aclTensor* out, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_TRANS_QUANT_PARAM_V3_H_
