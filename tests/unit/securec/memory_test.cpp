// SPDX-License-Identifier: Apache-2.0
// Oracle: the promises written in securec.h.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "securec.h"

namespace {

TEST(MemsetS, FillsCountBytesAndNoMore) {
  unsigned char bytes[4] = {1, 1, 1, 1};
  EXPECT_EQ(memset_s(bytes, sizeof(bytes), 7, 3), EOK);
  EXPECT_EQ(bytes[2], 7);
  EXPECT_EQ(bytes[3], 1);
}

TEST(MemsetS, CountPastTheEndFillsTheBufferAndSaysSo) {
  unsigned char bytes[5] = {1, 1, 1, 1, 1};
  EXPECT_EQ(memset_s(bytes, 4, 7, 9), ERANGE);
  EXPECT_EQ(bytes[3], 7);
  EXPECT_EQ(bytes[4], 1);
}

TEST(MemsetS, NullAndNegativeSizesAreRefused) {
  char byte = 1;
  EXPECT_EQ(memset_s(nullptr, 4, 0, 4), EINVAL);
  EXPECT_EQ(memset_s(&byte, 0, 0, 0), ERANGE);
  EXPECT_EQ(memset_s(&byte, static_cast<size_t>(-1), 0, 1), ERANGE);
  EXPECT_EQ(byte, 1);
}

TEST(MemcpyS, CopiesWhatFits) {
  char to[4] = "xyz";
  EXPECT_EQ(memcpy_s(to, sizeof(to), "ab", 2), EOK);
  EXPECT_STREQ(to, "abz");
}

TEST(MemcpyS, TooLongACopyClearsTheDestination) {
  char to[4] = "xyz";
  EXPECT_EQ(memcpy_s(to, 3, "abcd", 4), ERANGE);
  EXPECT_EQ(std::memcmp(to, "\0\0\0\0", 4), 0);
}

TEST(MemcpyS, NullsAreRefused) {
  char to[2] = {'x', 'y'};
  EXPECT_EQ(memcpy_s(nullptr, 2, "a", 1), EINVAL);
  EXPECT_EQ(memcpy_s(to, 2, nullptr, 1), EINVAL);
  EXPECT_EQ(to[0], 0);
}

TEST(MemcpyS, OverlapIsRefusedAndTheSamePlaceIsNot) {
  char text[8] = "abcdef";
  EXPECT_EQ(memcpy_s(text, sizeof(text), text, 4), EOK);
  EXPECT_STREQ(text, "abcdef");
  EXPECT_EQ(memcpy_s(text + 1, 4, text, 4), EINVAL);
}

TEST(MemmoveS, OverlapIsMoved) {
  char text[8] = "abcdef";
  EXPECT_EQ(memmove_s(text + 1, 7, text, 4), EOK);
  EXPECT_STREQ(text, "aabcdf");
  EXPECT_EQ(memmove_s(text, 3, text + 3, 4), ERANGE);
}

}  // namespace
