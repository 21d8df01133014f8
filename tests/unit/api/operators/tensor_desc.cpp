// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/acl.h"

namespace {

using testing::HasSubstr;

TEST(TensorDesc, SizeIsElementsTimesBytes) {
  const int64_t dims[] = {2, 3, 5};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT16, 3, dims, ACL_FORMAT_ND);
  ASSERT_NE(desc, nullptr);
  EXPECT_EQ(aclGetTensorDescElementCount(desc), 30u);
  EXPECT_EQ(aclGetTensorDescSize(desc), 60u);
  EXPECT_EQ(aclGetTensorDescNumDims(desc), 3u);
  EXPECT_EQ(aclGetTensorDescType(desc), ACL_FLOAT16);
  EXPECT_EQ(aclGetTensorDescFormat(desc), ACL_FORMAT_ND);
  int64_t dim = 0;
  EXPECT_EQ(aclGetTensorDescDimV2(desc, 2, &dim), ACL_SUCCESS);
  EXPECT_EQ(dim, 5);
  EXPECT_EQ(aclGetTensorDescDimV2(desc, 3, &dim), ACL_ERROR_INVALID_PARAM);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("3 dimensions"));
  aclDestroyTensorDesc(desc);
}

TEST(TensorDesc, NoDimensionsMakeAScalar) {
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_INT64, 0, nullptr, ACL_FORMAT_ND);
  ASSERT_NE(desc, nullptr);
  EXPECT_EQ(aclGetTensorDescElementCount(desc), 1u);
  EXPECT_EQ(aclGetTensorDescSize(desc), 8u);
  aclDestroyTensorDesc(desc);
}

TEST(TensorDesc, DimensionsThatAreMissingMakeNoDescriptor) {
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, 2, nullptr, ACL_FORMAT_ND), nullptr);
  EXPECT_EQ(aclCreateTensorDesc(ACL_FLOAT, -1, nullptr, ACL_FORMAT_ND), nullptr);
  EXPECT_THAT(aclGetRecentErrMsg(), HasSubstr("dims"));
}

TEST(TensorDesc, UnknownDimensionsHaveNoSizeAndUnknownRankIsTold) {
  const int64_t dynamic[] = {-1, 3}, unranked[] = {-2};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dynamic, ACL_FORMAT_ND);
  EXPECT_EQ(aclGetTensorDescSize(desc), 0u);
  aclDestroyTensorDesc(desc);
  desc = aclCreateTensorDesc(ACL_FLOAT, 1, unranked, ACL_FORMAT_ND);
  EXPECT_EQ(aclGetTensorDescNumDims(desc), ACL_UNKNOWN_RANK);
  aclDestroyTensorDesc(desc);
}

TEST(TensorDesc, RangesAreKeptPerDimension) {
  const int64_t dims[] = {-1, 3};
  int64_t ranges[2][2] = {{1, 8}, {3, 3}}, range[2] = {};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
  EXPECT_EQ(aclSetTensorShapeRange(desc, 2, ranges), ACL_SUCCESS);
  EXPECT_EQ(aclGetTensorDescDimRange(desc, 0, 2, range), ACL_SUCCESS);
  EXPECT_EQ(range[0], 1);
  EXPECT_EQ(range[1], 8);
  EXPECT_EQ(aclGetTensorDescDimRange(desc, 2, 2, range), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclGetTensorDescDimRange(desc, 0, 1, range), ACL_ERROR_INVALID_PARAM);
  aclDestroyTensorDesc(desc);
}

TEST(TensorDesc, ConstantsMustHaveALength) {
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 0, nullptr, ACL_FORMAT_ND);
  float value = 1;
  EXPECT_EQ(aclSetTensorConst(desc, &value, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclSetTensorConst(desc, nullptr, 4), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclSetTensorConst(desc, &value, 4), ACL_SUCCESS);
  aclDestroyTensorDesc(desc);
}

TEST(TensorDesc, NullIsAnsweredNotFollowed) {
  EXPECT_EQ(aclGetTensorDescType(nullptr), ACL_DT_UNDEFINED);
  EXPECT_EQ(aclGetTensorDescFormat(nullptr), ACL_FORMAT_UNDEFINED);
  EXPECT_EQ(aclGetTensorDescSize(nullptr), 0u);
  EXPECT_STREQ(aclGetTensorDescName(nullptr), "");
  EXPECT_EQ(aclGetTensorDescByIndex(nullptr, 0), nullptr);
  aclDestroyTensorDesc(nullptr);
}

TEST(Dataset, BuffersKeepTheirOrderAndBelongToTheProgram) {
  aclmdlDataset* dataset = aclmdlCreateDataset();
  aclDataBuffer* first = aclCreateDataBuffer(nullptr, 0);
  aclDataBuffer* second = aclCreateDataBuffer(nullptr, 8);
  EXPECT_EQ(aclmdlAddDatasetBuffer(dataset, first), ACL_SUCCESS);
  EXPECT_EQ(aclmdlAddDatasetBuffer(dataset, second), ACL_SUCCESS);
  EXPECT_EQ(aclmdlGetDatasetNumBuffers(dataset), 2u);
  EXPECT_EQ(aclmdlGetDatasetBuffer(dataset, 1), second);
  EXPECT_EQ(aclmdlGetDatasetBuffer(dataset, 2), nullptr);
  EXPECT_EQ(aclmdlDestroyDataset(dataset), ACL_SUCCESS);
  EXPECT_EQ(aclGetDataBufferSizeV2(second), 8u);
  aclDestroyDataBuffer(first);
  aclDestroyDataBuffer(second);
}

TEST(Dataset, DescriptorsAreCopiedAndCanBeTakenAway) {
  const int64_t dims[] = {4};
  aclmdlDataset* dataset = aclmdlCreateDataset();
  aclDataBuffer* buffer = aclCreateDataBuffer(nullptr, 0);
  aclmdlAddDatasetBuffer(dataset, buffer);
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 1, dims, ACL_FORMAT_ND);
  EXPECT_EQ(aclmdlSetDatasetTensorDesc(dataset, desc, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclmdlSetDatasetTensorDesc(dataset, desc, 0), ACL_SUCCESS);
  aclDestroyTensorDesc(desc);
  ASSERT_NE(aclmdlGetDatasetTensorDesc(dataset, 0), nullptr);
  EXPECT_EQ(aclGetTensorDescSize(aclmdlGetDatasetTensorDesc(dataset, 0)), 16u);
  EXPECT_EQ(aclmdlSetDatasetTensorDesc(dataset, nullptr, 0), ACL_SUCCESS);
  EXPECT_EQ(aclmdlGetDatasetTensorDesc(dataset, 0), nullptr);
  aclmdlDestroyDataset(dataset);
  aclDestroyDataBuffer(buffer);
}

TEST(Dataset, NullIsAnsweredNotFollowed) {
  EXPECT_EQ(aclmdlDestroyDataset(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclmdlGetDatasetNumBuffers(nullptr), 0u);
  EXPECT_EQ(aclmdlAddDatasetBuffer(nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclmdlGetDatasetBuffer(nullptr, 0), nullptr);
}

}  // namespace
