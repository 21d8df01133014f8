// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(Printable, WhatHasPowerOverATerminalIsSpelled) {
  EXPECT_EQ(printable("conv1/relu:0 100% \\"), "conv1/relu:0 100% \\");
  EXPECT_EQ(printable("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(printable("\x1b[2J\x7f"), "\\x1b[2J\\x7f");
  EXPECT_EQ(printable(std::string_view("\0x", 2)), "\\x00x");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m");               // the one-character form of ESC [
  EXPECT_EQ(printable("a\u202eb\u2028c"), "a\\u202eb\\u2028c");  // right to left, end of line
  EXPECT_EQ(printable("\u00e4 \u6f22 \U0001f600"), "\u00e4 \u6f22 \U0001f600");
}

TEST(Printable, BytesThatAreNoTextAreSpelled) {
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\x8a"), "\\xc0\\x8a");  // a line end in too many bytes
  EXPECT_EQ(printable("\xe0\x80\x8a"), "\\xe0\\x80\\x8a");
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // half a surrogate pair
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(Printable, LinesStayLines) {
  EXPECT_EQ(printable_lines("a\x1b\n  b\n"), "a\\x1b\n  b\n");
  EXPECT_EQ(printable_lines("a\nb\n  c", "  "), "a\\nb\n  c");
}

}  // namespace
}  // namespace belay
