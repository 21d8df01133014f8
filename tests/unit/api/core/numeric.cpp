// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>

#include "acl/acl.h"

namespace {

TEST(Float16, ConvertsBothWays) {
  EXPECT_EQ(aclFloatToFloat16(1.0f), 0x3c00);
  EXPECT_EQ(aclFloatToFloat16(0.1f), 0x2e66);  // numpy.float16(0.1).view('uint16')
  EXPECT_EQ(aclFloatToFloat16(1e6f), 0x7c00);
  EXPECT_EQ(aclFloat16ToFloat(0xc000), -2.0f);
  EXPECT_EQ(aclFloat16ToFloat(0x0001), 0x1p-24f);
  EXPECT_TRUE(std::isnan(aclFloat16ToFloat(0x7e00)));
}

TEST(DataTypeSize, IsTheDocumentedNumberOfBytes) {
  const std::pair<int, size_t> documented[] = {
      {ACL_DT_UNDEFINED, 0},
      {ACL_FLOAT, 4},
      {ACL_FLOAT16, 2},
      {ACL_INT8, 1},
      {ACL_INT32, 4},
      {ACL_UINT8, 1},
      {ACL_INT16, 2},
      {ACL_UINT16, 2},
      {ACL_UINT32, 4},
      {ACL_INT64, 8},
      {ACL_UINT64, 8},
      {ACL_DOUBLE, 8},
      {ACL_BOOL, 1},
      {ACL_STRING, 0},
      {ACL_COMPLEX64, 8},
      {ACL_COMPLEX128, 16},
      {ACL_BF16, 2},
      {ACL_INT4, 1},
      {ACL_UINT1, 1},
      {ACL_COMPLEX32, 4},
      {ACL_HIFLOAT8, 1},
      {ACL_FLOAT8_E5M2, 1},
      {ACL_FLOAT8_E4M3FN, 1},
      {ACL_FLOAT8_E8M0, 1},
      {ACL_FLOAT6_E3M2, 8},
      {ACL_FLOAT6_E2M3, 8},
      {ACL_FLOAT4_E2M1, 8},
      {ACL_FLOAT4_E1M2, 8},
      {5, 8},
      {999, 8},
  };
  for (const auto& [type, size] : documented) EXPECT_EQ(aclDataTypeSize(static_cast<aclDataType>(type)), size) << type;
}

}  // namespace
