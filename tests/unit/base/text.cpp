// SPDX-License-Identifier: Apache-2.0
#include "base/text.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace belay {
namespace {

enum class Colour : uint8_t { Red = 1, Blue = 200 };
struct Pair {
  int a, b;
};

TEST(Formatted, WritesEachKindOfArgument) {
  const char* none = nullptr;
  EXPECT_EQ(formatted("{} {} {}", -5, 7u, UINT64_MAX), "-5 7 18446744073709551615");
  EXPECT_EQ(formatted("{}|{}|{}", "text", std::string("string"), std::string_view("view")), "text|string|view");
  EXPECT_EQ(formatted("{} {}", 0.5, 1e300), "0.5 1e+300");
  EXPECT_EQ(formatted("{} {}", Colour::Blue, true), "200 1");
  EXPECT_EQ(formatted("{} {} {}", none, nullptr, static_cast<void*>(nullptr)), "null null null");
  EXPECT_EQ(formatted("{}", reinterpret_cast<void*>(0x1f0)), "0x1f0");
  EXPECT_EQ(formatted("{}", Pair{1, 2}), "{8 bytes}");
}

TEST(Formatted, LeavesSpareHolesAndDropsSpareArguments) {
  EXPECT_EQ(formatted("{} and {}", 1), "1 and {}");
  EXPECT_EQ(formatted("one", 1), "one");
  EXPECT_EQ(formatted("{}", "{}"), "{}");
  EXPECT_EQ(formatted(""), "");
}

TEST(ParseNumber, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_number("0"), 0u);
  EXPECT_EQ(parse_number("18446744073709551615"), UINT64_MAX);
  for (const char* bad : {"", " 1", "1 ", "-1", "+1", "0x1", "1.0", "18446744073709551616", "a"})
    EXPECT_FALSE(parse_number(bad)) << bad;
}

TEST(ParseSize, MultipliesBySuffixAndRefusesOverflow) {
  EXPECT_EQ(parse_size("17"), 17u);
  EXPECT_EQ(parse_size("2K"), 2048u);
  EXPECT_EQ(parse_size("3m"), 3145728u);
  EXPECT_EQ(parse_size("64G"), 68719476736u);
  EXPECT_EQ(parse_size("17179869183G"), 18446744072635809792u);
  for (const char* bad : {"", "K", "1T", "1KB", "17179869184G", "-1K", "1.5G"}) EXPECT_FALSE(parse_size(bad)) << bad;
}

TEST(Trimmed, TakesBlanksOffBothEnds) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(NestingDepth, CountsBracesAndBracketsApartAndInsideStringsToo) {
  EXPECT_EQ(nesting_depth(""), 0u);
  EXPECT_EQ(nesting_depth("{[{[]}]}"), 2u);
  EXPECT_EQ(nesting_depth("[[]][[[]]]"), 3u);
  EXPECT_EQ(nesting_depth("}}}{"), 1u);
  EXPECT_EQ(nesting_depth("\"{{{\""), 3u);
  EXPECT_EQ(nesting_depth(std::string("{\0{{{", 5)), 1u);
}

}  // namespace
}  // namespace belay
