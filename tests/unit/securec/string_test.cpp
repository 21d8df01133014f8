// SPDX-License-Identifier: Apache-2.0
// Oracle: the promises written in securec.h.
#include <gtest/gtest.h>

#include "securec.h"

namespace {

TEST(StrcpyS, CopiesWithTheEnd) {
  char to[4] = "zzz";
  EXPECT_EQ(strcpy_s(to, sizeof(to), "abc"), EOK);
  EXPECT_STREQ(to, "abc");
  EXPECT_EQ(strcpy_s(to, sizeof(to), to), EOK);
}

TEST(StrcpyS, TextWithoutRoomForItsEndLeavesTheEmptyString) {
  char to[4] = "zzz";
  EXPECT_EQ(strcpy_s(to, 3, "abc"), ERANGE);
  EXPECT_STREQ(to, "");
}

TEST(StrcpyS, NullsAreRefused) {
  char to[4] = "zzz";
  EXPECT_EQ(strcpy_s(nullptr, 4, "a"), EINVAL);
  EXPECT_EQ(strcpy_s(to, 4, nullptr), EINVAL);
  EXPECT_STREQ(to, "");
  EXPECT_EQ(strcpy_s(to, 0, "a"), ERANGE);
}

TEST(StrncpyS, CopiesAtMostCountAndEndsTheText) {
  char to[4] = "zzz";
  EXPECT_EQ(strncpy_s(to, sizeof(to), "abcdef", 3), EOK);
  EXPECT_STREQ(to, "abc");
  EXPECT_EQ(strncpy_s(to, sizeof(to), "abcdef", 4), ERANGE);
}

TEST(StrncpyS, ShorteningTextInPlaceIsAnOverlap) {
  char text[8] = "abcdef";
  EXPECT_EQ(strncpy_s(text, sizeof(text), text, 2), EINVAL);
  EXPECT_STREQ(text, "");
}

TEST(StrcatS, AppendsWhatFits) {
  char to[6] = "ab";
  EXPECT_EQ(strcat_s(to, sizeof(to), "cde"), EOK);
  EXPECT_STREQ(to, "abcde");
  EXPECT_EQ(strcat_s(to, sizeof(to), "f"), ERANGE);
  EXPECT_STREQ(to, "");
}

TEST(StrcatS, DestinationWithoutAnEndIsRefused) {
  char to[3] = {'a', 'b', 'c'};
  EXPECT_EQ(strcat_s(to, 3, "d"), EINVAL);
}

TEST(StrncatS, AppendsAtMostCount) {
  char to[6] = "ab";
  EXPECT_EQ(strncat_s(to, sizeof(to), "cdefgh", 3), EOK);
  EXPECT_STREQ(to, "abcde");
}

TEST(StrtokS, GivesTheTokensOneByOne) {
  char text[] = ",a,,bc,";
  char* rest = nullptr;
  EXPECT_STREQ(strtok_s(text, ",", &rest), "a");
  EXPECT_STREQ(strtok_s(nullptr, ",", &rest), "bc");
  EXPECT_EQ(strtok_s(nullptr, ",", &rest), nullptr);
  EXPECT_EQ(strtok_s(nullptr, nullptr, &rest), nullptr);
}

}  // namespace
