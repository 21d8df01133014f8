// SPDX-License-Identifier: Apache-2.0
#include "dump/format/names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <thread>

#include "dump/config/op_range.h"

namespace belay::dump {
namespace {

TEST(Mangled, ReplacesTheFourCharactersAndNothingElse) {
  EXPECT_EQ(mangled("a b.c/d\\e"), "a_b_c_d_e");
  EXPECT_EQ(mangled(".."), "__");
  EXPECT_EQ(mangled("x:(1)-名"), "x:(1)-名");
  EXPECT_EQ(mangled(std::string_view("a\0b", 3)), "a_b");
}

TEST(NextTime, HasSixteenDigitsAndNeverRepeatsOnAnyThread) {
  EXPECT_EQ(std::to_string(next_time()).size(), 16u);
  constexpr size_t count = 20000;
  std::vector<std::vector<uint64_t>> given(4);
  std::vector<std::thread> threads;
  for (auto& mine : given)
    threads.emplace_back([&mine] {
      for (size_t i = 0; i < count; ++i) mine.push_back(next_time());
    });
  for (auto& thread : threads) thread.join();
  std::set<uint64_t> all;
  for (const auto& mine : given) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end()));
    all.insert(mine.begin(), mine.end());
  }
  EXPECT_EQ(all.size(), 4 * count);
}

TEST(TimeText, IsLocalTimeInFourteenDigits) {
  setenv("TZ", "UTC", 1);
  tzset();
  EXPECT_EQ(time_text(1767323045), "20260102030405");
}

TEST(DumpRoot, ShowsThePathAsWrittenAndResolvesItOnce) {
  const auto here = std::filesystem::current_path();
  EXPECT_THAT(make_root("./", 0).shown(), testing::StartsWith("./19"));
  EXPECT_EQ(make_root("out//", 0).written, "out");
  EXPECT_EQ(make_root("out//", 0).real, (here / "out").string());
  EXPECT_EQ(make_root("/", 0).real, "/");
  EXPECT_THAT(make_root("/", 0).shown(), testing::StartsWith("/19"));
  EXPECT_EQ(make_root("1.2.3.4:/far", 0).real, (here / "far").string());
}

TEST(DumpRoot, OfARemotePathIsBelowTheWorkingDirectoryWhateverThePathSays) {
  const auto here = std::filesystem::current_path();
  EXPECT_EQ(make_root("1.2.3.4:../../x", 0).real, (here / "x").string());
  EXPECT_EQ(make_root("1.2.3.4:/a/../../../x/", 0).real, (here / "x").string());
  EXPECT_EQ(make_root("1.2.3.4:a/./b//../c", 0).real, (here / "a/c").string());
  for (const char* nothing : {"1.2.3.4:..", "1.2.3.4:/", "1.2.3.4:.", "1.2.3.4:../../"})
    EXPECT_EQ(make_root(nothing, 0).real, here.string()) << nothing;
  EXPECT_EQ(local_path("1.2.3.4:../x/20260102030405/"), (here / "x/20260102030405/").string());
  EXPECT_EQ(local_path("../x"), "../x");
}

TEST(Place, PutsTheDocumentedPartsTogether) {
  const auto root = std::make_shared<const DumpRoot>(DumpRoot{"/d", "/d", "20260102030405"});
  const Place place{root, model_directory(0, "my.model", 1, 7), "Conv2D.c." + file_suffix(3, 2, 1767323046000100)};
  EXPECT_EQ(place.shown(), "/d/20260102030405/0/my_model/1/7/Conv2D.c.3.2.1767323046000100");
  EXPECT_EQ(model_directory(1, "", 2, 3), "1/_/2/3");
}

// The operators of a run, and which of them the range takes.
std::string taken(const OpRange& range, const std::string& operators) {
  RangeState state(range);
  std::string inside;
  for (const char op : operators)
    if (state.next(std::string_view(&op, 1))) inside += op;
  return inside;
}

TEST(RangeState, FollowsTheDocumentedStateMachine) {
  EXPECT_EQ(taken({"b", "d"}, "abcde"), "bcd");
  EXPECT_EQ(taken({"b", "b"}, "abcab"), "bb");         // stopped, initial again
  EXPECT_EQ(taken({"b", "d"}, "abcdebcd"), "bcdbcd");  // any other operator makes it initial again
  EXPECT_EQ(taken({"b", "d"}, "abcdbcd"), "bcd");      // begin directly behind the stop ends it for good
  EXPECT_EQ(taken({"b", "d"}, "adbcd"), "");           // end before begin
  EXPECT_EQ(taken({"b", "z"}, "abcde"), "bcde");       // never ends
}

}  // namespace
}  // namespace belay::dump
