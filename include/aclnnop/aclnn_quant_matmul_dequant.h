// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_QUANT_MATMUL_DEQUANT_H_
#define ACLNNOP_ACLNN_QUANT_MATMUL_DEQUANT_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantMatmulDequant(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnQuantMatmulDequantGetWorkspaceSize(const aclTensor* x, const aclTensor* weight,
    const aclTensor* weightScale, const aclTensor* biasOptional, const aclTensor* xScaleOptional,
    const aclTensor* xOffsetOptional, const aclTensor* smoothScaleOptional, char* xQuantMode, bool transposeWeight,
    const aclTensor* out, uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_QUANT_MATMUL_DEQUANT_H_
