// SPDX-License-Identifier: Apache-2.0
// Calls that queue work read the program's own objects before they return. What they read later is device memory, and
// they say so. (Models: model_async.cpp.)
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "acl/ops/acl_cblas.h"
#include "support/acl.h"
#include "support/model.h"

namespace {

using namespace belay::test;
using testing::Each;
using testing::ElementsAre;

class AfterTheCall : public WithModels {
 protected:
  TestStream stream;
  Gate gate{stream};
};

TEST_F(AfterTheCall, FactorsOfAProductMayChange) {
  Guarded a(4), b(4), c(4, 1);
  a.put({1, 2, 3, 4});
  b.put({1, 0, 0, 1});
  float alpha = 2, beta = 10;  // 2·A·B + 10·C
  ASSERT_EQ(aclblasGemmEx(ACL_TRANS_N, ACL_TRANS_N, ACL_TRANS_N, 2, 2, 2, &alpha, a.data(), -1, ACL_FLOAT, b.data(), -1,
                          ACL_FLOAT, &beta, c.data(), -1, ACL_FLOAT, ACL_COMPUTE_HIGH_PRECISION, stream),
            ACL_SUCCESS)
      << recent_error();
  alpha = beta = 1000;
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(c.values(), ElementsAre(12, 14, 16, 18));
}

TEST_F(AfterTheCall, DescriptorsBuffersAndAttributesOfAnOperatorMayGo) {
  Guarded x(4, -3), y(4);
  const int64_t shape[] = {4};
  aclTensorDesc* in_desc = aclCreateTensorDesc(ACL_FLOAT, 1, shape, ACL_FORMAT_ND);
  aclTensorDesc* out_desc = aclCreateTensorDesc(ACL_FLOAT, 1, shape, ACL_FORMAT_ND);
  aclDataBuffer *in = aclCreateDataBuffer(x.data(), x.bytes()), *out = aclCreateDataBuffer(y.data(), y.bytes());
  aclopAttr* attributes = aclopCreateAttr();
  std::string name = "Abs";
  ASSERT_EQ(aclopExecuteV2(name.data(), 1, &in_desc, &in, 1, &out_desc, &out, attributes, stream), ACL_SUCCESS)
      << recent_error();
  name.assign("Neg");
  aclUpdateDataBuffer(out, nullptr, 0);
  aclDestroyDataBuffer(in);
  aclDestroyDataBuffer(out);
  aclDestroyTensorDesc(in_desc);
  aclDestroyTensorDesc(out_desc);
  aclopDestroyAttr(attributes);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(3));
}

TEST_F(AfterTheCall, AHandleTakesNoInputsInHostMemory) {
  gate.open();
  const int64_t shape[] = {4};
  for (const auto place : {ACL_MEMTYPE_HOST, ACL_MEMTYPE_HOST_COMPILE_INDEPENDENT}) {
    const aclTensorDesc* output = aclCreateTensorDesc(ACL_FLOAT, 1, shape, ACL_FORMAT_ND);
    aclTensorDesc* input = aclCreateTensorDesc(ACL_FLOAT, 1, shape, ACL_FORMAT_ND);
    ASSERT_EQ(aclSetTensorPlaceMent(input, place), ACL_SUCCESS);
    const aclTensorDesc* inputs[] = {input};
    aclopHandle* handle = nullptr;
    EXPECT_FAILS(aclopCreateHandle("Abs", 1, inputs, 1, &output, nullptr, &handle), ACL_ERROR_API_NOT_SUPPORT,
                 "is in host memory");
    aclDestroyTensorDesc(input);
    aclDestroyTensorDesc(output);
  }
}

TEST_F(AfterTheCall, ListsOfABatchMayChange) {
  Guarded from(4, 5), to(4), other(4);
  void *dsts[] = {to.data()}, *srcs[] = {from.data()};
  size_t rooms[] = {to.bytes()}, sizes[] = {to.bytes()}, first[] = {0}, failed = 0;
  aclrtMemcpyBatchAttr attribute{};
  attribute.dstLoc = attribute.srcLoc = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
  ASSERT_EQ(aclrtMemcpyBatchAsync(dsts, rooms, srcs, sizes, 1, &attribute, first, 1, &failed, stream), ACL_SUCCESS)
      << recent_error();
  dsts[0] = other.data();
  sizes[0] = 1;
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(to.values(), Each(5));
  EXPECT_THAT(other.values(), Each(Guarded::kFiller));
}

TEST_F(AfterTheCall, WhatIsReadLaterMustBeDeviceMemory) {
  gate.open();
  Guarded memory(4);
  constexpr auto kind = ACL_MEMCPY_DEVICE_TO_DEVICE;
  char mine[64] = {};
  EXPECT_FAILS(aclrtMemcpyAsyncWithDesc(mine, kind, stream), ACL_ERROR_RT_PARAM_INVALID, "ordinary host memory");
  void* dst = memory.data();
  const void* src = memory.data();
  EXPECT_FAILS(aclrtMemcpyAsyncWithOffset(&dst, 16, 0, &src, 8, 8, kind, stream), ACL_ERROR_RT_PARAM_INVALID,
               "must be device memory");
  EXPECT_FAILS(aclrtCmoAsyncWithDesc(mine, ACL_RT_CMO_TYPE_FLUSH, stream, nullptr), ACL_ERROR_RT_PARAM_INVALID,
               "device memory is needed");
}

}  // namespace
