// SPDX-License-Identifier: Apache-2.0
#include "base/faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace belay {
namespace {

using Kind = OpFault::Kind;
using testing::HasSubstr;

Faults parsed(std::string_view text) {
  auto faults = parse_faults(text);
  EXPECT_TRUE(faults.ok()) << text << ": " << faults.status().message;
  return faults.ok() ? std::move(faults).value() : Faults{};
}

TEST(ParseFaults, KnowsEveryForm) {
  const Faults faults = parsed(
      "nan@a;inf@b; bitflip@c:12 "
      ";overwrite@d->e;fail@f;crash@g;delay@h:250;alloc@3;enospc@4K;seed=18446744073709551615"
      ";device=1;stuck@i:30;transpose@j;shift@k;saturate@l;stale@m;halfsum@n");
  ASSERT_EQ(faults.ops.size(), 13u);
  const auto is = [&](size_t i, Kind kind, const char* op, uint64_t number = 0, const char* victim = "") {
    const OpFault& fault = faults.ops[i];
    EXPECT_TRUE(fault.kind == kind && fault.op == op && fault.number == number && fault.victim == victim) << fault.text;
  };
  is(0, Kind::Nan, "a");
  is(1, Kind::Inf, "b");
  is(2, Kind::BitFlip, "c", 12);
  is(3, Kind::Overwrite, "d", 0, "e");
  is(4, Kind::Fail, "f");
  is(5, Kind::Crash, "g");
  is(6, Kind::Delay, "h", 250);
  is(7, Kind::StuckBit, "i", 30);
  is(8, Kind::Transpose, "j");
  is(9, Kind::Shift, "k");
  is(10, Kind::Saturate, "l");
  is(11, Kind::Stale, "m");
  is(12, Kind::HalfSum, "n");
  EXPECT_EQ(faults.ops[2].text, "bitflip@c:12");
  EXPECT_EQ(faults.failing_allocation, 3u);
  EXPECT_EQ(faults.disk_bytes, 4096u);
  EXPECT_EQ(faults.seed, UINT64_MAX);
  EXPECT_TRUE(faults.hits(1));
  EXPECT_FALSE(faults.hits(0));
  EXPECT_TRUE(faults.any());
}

TEST(ParseFaults, NamesOfOperatorsMayHoldAlmostAnything) {
  EXPECT_EQ(parsed("nan@/layer1/conv:0, a@b").ops[0].op, "/layer1/conv:0, a@b");
  EXPECT_EQ(parsed("bitflip@conv:0:7").ops[0].op, "conv:0");
  EXPECT_EQ(parsed("overwrite@ a b -> c->d ").ops[0].victim, "c->d");
}

TEST(ParseFaults, NothingIsNoFault) {
  for (const char* text : {"", " ", ";", " ; ;", "seed=4", "device=1"}) EXPECT_FALSE(parsed(text).any()) << text;
}

TEST(ParseFaults, WhatIsWrongIsSaidWithTheFormItShouldHave) {
  const std::pair<const char*, const char*> wrong[] = {
      {"nan", "\"nan\" is none of nan@op, inf@op, bitflip@op:offset, stuck@op:bit, transpose@op, "},
      {"nam@a", "\"nam@a\" is none of nan@op"},
      {"nan@", "names no operator; it must look like nan@op"},
      {"bitflip@a", "must look like bitflip@op:offset"},
      {"bitflip@a:-1", "must look like bitflip@op:offset"},
      {"bitflip@:3", "names no operator"},
      {"stuck@a", "must look like stuck@op:bit"},
      {"delay@a:1s", "must look like delay@op:ms"},
      {"delay@a:3600001", "delays longer than 3600000 ms"},
      {"overwrite@a", "must look like overwrite@op->op"},
      {"overwrite@a->", "names no operator after \"->\""},
      {"overwrite@->a", "names no operator"},
      {"overwrite@a->a", "overwrite its own output"},
      {"alloc@0", "must be alloc@ and a number from 1 on"},
      {"alloc@x", "must be alloc@ and a number from 1 on"},
      {"enospc@-1", "must be enospc@ and a size such as 4096 or 1M"},
      {"seed=x", "must be seed= and a number"},
      {"device=-1", "must be device= and the number of a device"},
      {"nan@a;seed=", "\"seed=\" must be"},
  };
  for (const auto& [text, why] : wrong) {
    const auto faults = parse_faults(text);
    ASSERT_FALSE(faults.ok()) << text;
    EXPECT_EQ(faults.status().code, ACL_ERROR_INVALID_PARAM) << text;
    EXPECT_THAT(faults.status().message, HasSubstr("BELAY_FAULT: ")) << text;
    EXPECT_THAT(faults.status().message, HasSubstr(why)) << text;
  }
}

TEST(Faults, WhatTheSeedPicksIsTheSameEachTimeAndDiffersBetweenSeeds) {
  Faults one{.seed = 1}, two{.seed = 2};
  EXPECT_EQ(one.pick("nan@a", 1000), one.pick("nan@a", 1000));
  std::set<uint64_t> picked;
  for (uint64_t seed = 0; seed < 200; ++seed) picked.insert(Faults{.seed = seed}.pick("nan@a", 8));
  EXPECT_EQ(picked.size(), 8u);
  EXPECT_NE(one.pick("nan@a", 1u << 30), two.pick("nan@a", 1u << 30));
  EXPECT_NE(one.pick("nan@a", 1u << 30), one.pick("nan@b", 1u << 30));
  EXPECT_EQ(one.pick("", 1), 0u);
}

struct SetFaults : testing::Test {
  ~SetFaults() override { set_faults({}); }
};

TEST_F(SetFaults, OneAllocationFailsAndTheNextSucceeds) {
  EXPECT_FALSE(allocation_fails());
  set_faults(parsed("alloc@3"));
  EXPECT_FALSE(allocation_fails());
  EXPECT_FALSE(allocation_fails());
  EXPECT_TRUE(allocation_fails());
  EXPECT_FALSE(allocation_fails());
}

TEST_F(SetFaults, WhatDoesNotFitTakesNoRoom) {
  EXPECT_FALSE(disk_is_full(UINT64_MAX));
  set_faults(parsed("enospc@100"));
  EXPECT_FALSE(disk_is_full(60));
  EXPECT_TRUE(disk_is_full(41));
  EXPECT_FALSE(disk_is_full(40));
  EXPECT_TRUE(disk_is_full(1));
}

}  // namespace
}  // namespace belay
