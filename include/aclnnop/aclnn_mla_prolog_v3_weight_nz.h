// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_MLA_PROLOG_V3_WEIGHT_NZ_H_
#define ACLNNOP_ACLNN_MLA_PROLOG_V3_WEIGHT_NZ_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnMlaPrologV3WeightNz(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, const aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnMlaPrologV3WeightNzGetWorkspaceSize(const aclTensor* tokenX,
    const aclTensor* weightDq, const aclTensor* weightUqQr, const aclTensor* weightUk, const aclTensor* weightDkvKr,
    const aclTensor* rmsnormGammaCq, const aclTensor* rmsnormGammaCkv, const aclTensor* ropeSin,
    const aclTensor* ropeCos, aclTensor* kvCacheRef, aclTensor* krCacheRef, const aclTensor* cacheIndexOptional,
    const aclTensor* dequantScaleXOptional, const aclTensor* dequantScaleWDqOptional,
    const aclTensor* dequantScaleWUqQrOptional, const aclTensor* dequantScaleWDkvKrOptional,
    const aclTensor* quantScaleCkvOptional, const aclTensor* quantScaleCkrOptional,
    const aclTensor* smoothScalesCqOptional, const aclTensor* actualSeqLenOptional, double rmsnormEpsilonCq,
    double rmsnormEpsilonCkv, char* cacheModeOptional, bool queryNormFlag, int64_t weightQuantMode,
    int64_t kvCacheQuantMode, int64_t queryQuantMode, int64_t ckvkrRepoMode, int64_t quantScaleRepoMode,
    int64_t tileSize, double kNopeClipAlpha, double qcQrScale, double kcScale, const aclTensor* queryOut,
    const aclTensor* queryRopeOut, const aclTensor* dequantScaleQNopeOutOptional,
    const aclTensor* queryNormOutOptional, const aclTensor* dequantScaleQNormOutOptional, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_MLA_PROLOG_V3_WEIGHT_NZ_H_
