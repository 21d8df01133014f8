// SPDX-License-Identifier: Apache-2.0
// Made by scripts/aclnn from abi/aclnn.tsv. For C++ only.
#ifndef ACLNNOP_ACLNN_SEARCHSORTED_H_
#define ACLNNOP_ACLNN_SEARCHSORTED_H_

#include "aclnn/aclnn_base.h"

#ifdef __cplusplus
extern "C" {
#endif

ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSorted(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSortedGetWorkspaceSize(const aclTensor* sortedSequence,
    const aclTensor* self, bool outInt32, bool right, const aclTensor* sorter, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSorteds(void* workspace, uint64_t workspaceSize, aclOpExecutor* executor,
    aclrtStream stream);
ACL_FUNC_VISIBILITY aclnnStatus aclnnSearchSortedsGetWorkspaceSize(const aclTensor* sortedSequence,
    const aclScalar* self, const bool outInt32, const bool right, const aclTensor* sorter, aclTensor* out,
    uint64_t* workspaceSize, aclOpExecutor** executor);

#ifdef __cplusplus
}
#endif

#endif  // ACLNNOP_ACLNN_SEARCHSORTED_H_
