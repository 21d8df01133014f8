// SPDX-License-Identifier: Apache-2.0
// Oracle: the promises written in securec.h.
#include <gtest/gtest.h>

#include "securec.h"

namespace {

TEST(SprintfS, WritesWhatFitsAndEmptiesOtherwise) {
  char to[6] = "zzzzz";
  EXPECT_EQ(sprintf_s(to, sizeof(to), "%d-%s", 12, "ab"), 5);
  EXPECT_STREQ(to, "12-ab");
  EXPECT_EQ(sprintf_s(to, sizeof(to), "%d-%s", 12, "abc"), -1);
  EXPECT_STREQ(to, "");
}

TEST(SnprintfS, CountCutsTheTextAndSaysSo) {
  char to[8] = "zzzzzzz";
  EXPECT_EQ(snprintf_s(to, sizeof(to), 3, "%s", "abcdef"), -1);
  EXPECT_STREQ(to, "abc");
  EXPECT_EQ(snprintf_s(to, sizeof(to), sizeof(to) - 1, "%s", "abcdefg"), 7);
  EXPECT_EQ(snprintf_s(to, sizeof(to), sizeof(to), "%s", "abcdefgh"), -1);
  EXPECT_STREQ(to, "");
}

TEST(SnprintfS, NullsAreRefused) {
  char to[4] = "zzz";
  const char* no_format = nullptr;
  EXPECT_EQ(snprintf_s(nullptr, 4, 3, "a"), -1);
  EXPECT_EQ(snprintf_s(to, 0, 3, "a"), -1);
  EXPECT_EQ(snprintf_s(to, 4, 3, no_format), -1);
  EXPECT_STREQ(to, "");
}

TEST(SscanfS, StoresNumbersAndText) {
  int number = 0;
  char word[8], letters[4];
  EXPECT_EQ(sscanf_s(" 42 abc:xyz9", "%d %[a-c]:%s", &number, letters, 4u, word, 8u), 3);
  EXPECT_EQ(number, 42);
  EXPECT_STREQ(letters, "abc");
  EXPECT_STREQ(word, "xyz9");
}

TEST(SscanfS, SizesOfTypeSizeTAreTakenToo) {
  char word[4];
  EXPECT_EQ(sscanf_s("abc", "%s", word, sizeof(word)), 1);
  EXPECT_STREQ(word, "abc");
}

TEST(SscanfS, TextThatDoesNotFitEndsTheScanAndEmptiesTheBuffer) {
  int number = 0;
  char word[4] = "zzz";
  EXPECT_EQ(sscanf_s("7 abcd", "%d %s", &number, word, 4u), 1);
  EXPECT_STREQ(word, "");
  EXPECT_EQ(sscanf_s("abcd", "%3s", word, 4u), 1);
  EXPECT_STREQ(word, "abc");
  EXPECT_EQ(sscanf_s("abcd", "%4c", word, 4u), 1);
  EXPECT_EQ(word[3], 'd');
  EXPECT_EQ(sscanf_s("abcd", "%4c", word, 3u), 0);
}

TEST(SscanfS, StopsWhereTheTextDiffers) {
  int first = 0, second = 0, used = 0;
  EXPECT_EQ(sscanf_s("1,2", "%d;%d", &first, &second), 1);
  EXPECT_EQ(sscanf_s("1,x", "%d,%d", &first, &second), 1);
  EXPECT_EQ(sscanf_s("100% 5", "%d%% %d%n", &first, &second, &used), 2);
  EXPECT_EQ(second, 5);
  EXPECT_EQ(used, 6);
  EXPECT_EQ(sscanf_s("3 4", "%*d %d", &second), 1);
  EXPECT_EQ(second, 4);
}

TEST(SscanfS, EmptyInputAndNullsGiveMinusOne) {
  int number = 0;
  EXPECT_EQ(sscanf_s("", "%d", &number), -1);
  EXPECT_EQ(sscanf_s(nullptr, "%d", &number), -1);
  EXPECT_EQ(sscanf_s("1", nullptr), -1);
}

}  // namespace
