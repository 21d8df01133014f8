// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_CHAMFER_DISTANCE_BACKWARD_H_
#define ACLNNOP_ACLNN_CHAMFER_DISTANCE_BACKWARD_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnChamferDistanceBackward(void* workspace, uint64_t workspaceSize,
    aclOpExecutor* executor, aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnChamferDistanceBackwardGetWorkspaceSize(const aclTensor* xyz1,
    const aclTensor* xyz2, const aclTensor* idx1, const aclTensor* idx2, const aclTensor* gradDist1,
    const aclTensor* gradDist2, aclTensor* gradXyz1, aclTensor* gradXyz2, uint64_t* workspaceSize,
    aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_CHAMFER_DISTANCE_BACKWARD_H_
