// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_QUANT_BATCH_MATMUL_INPLACE_ADD_H_
#define ACLNNOP_ACLNN_QUANT_BATCH_MATMUL_INPLACE_ADD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantBatchMatmulInplaceAdd(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantBatchMatmulInplaceAddGetWorkspaceSize(const aclTensor* x1,
    const aclTensor* x2, const aclTensor* x1ScaleOptional, const aclTensor* x2Scale, aclTensor* yRef,
    bool transposeX1, bool transposeX2, int64_t groupSize, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_QUANT_BATCH_MATMUL_INPLACE_ADD_H_
