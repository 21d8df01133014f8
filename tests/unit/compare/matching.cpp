// SPDX-License-Identifier: Apache-2.0
// What belongs together: sides written by hand, the pairs that a person would draw.
#include "compare/matching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/matching/fusion_json.h"
#include "compare/matching/places.h"
#include "support/temporary_directory.h"

namespace belay::compare {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

SideTensor output(const std::string& op, const std::string& origin = "", const std::string& place = "",
                  size_t index = 0) {
  return {.op = op, .op_type = "Conv2D", .index = index, .origin = origin, .origin_index = index, .place = place};
}

SideTensor inserted(const std::string& op, const std::string& origin) {
  SideTensor tensor = output(op, origin);
  tensor.op_type = "TransData";
  return tensor;
}

SideTensor array(const std::string& name) { return {.op = name, .tensor = name}; }

Side side(std::vector<SideTensor> tensors) { return {.name = "side", .tensors = std::move(tensors)}; }

Matching matched(const Side& ours, const Side& truth, const MatchOptions& options = {}) {
  auto result = match(ours, truth, options);
  EXPECT_TRUE(result.ok()) << result.status().message;
  return result.ok() ? std::move(result).value() : Matching{};
}

// "conv1 ~ conv1_relu by origin", in order.
std::vector<std::string> drawn(const Side& ours, const Side& truth, const Matching& matching) {
  std::vector<std::string> lines;
  for (const Pair& pair : matching.pairs)
    lines.push_back(ours.tensors[pair.ours].op + " ~ " + truth.tensors[pair.truth].op + " by " + name_of(pair.by));
  return lines;
}

TEST(Matching, MangledNamesMeetPlainOnes) {
  const Side ours = side({output("net/layer.1/Conv")}), truth = side({output("net_layer_1_Conv")});
  EXPECT_THAT(drawn(ours, truth, matched(ours, truth)), ElementsAre("net/layer.1/Conv ~ net_layer_1_Conv by name"));
}

TEST(Matching, AnExactNameGoesBeforeOneThatOnlyLooksAlike) {
  const Side both = side({array("a_b"), array("a.b")}), one = side({array("a_b")});
  EXPECT_THAT(drawn(both, one, matched(both, one)), ElementsAre("a_b ~ a_b by name"));
  EXPECT_THAT(drawn(one, both, matched(one, both)), ElementsAre("a_b ~ a_b by name"));
  const Side turned = side({array("a.b"), array("a_b")});
  EXPECT_THAT(drawn(both, turned, matched(both, turned)), ElementsAre("a_b ~ a_b by name", "a.b ~ a.b by name"));
  EXPECT_THAT(drawn(turned, one, matched(turned, one)), ElementsAre("a_b ~ a_b by name"));
  EXPECT_THAT(matched(turned, one).ours[0].reason, HasSubstr("an exact name goes first"));
}

TEST(Matching, TwoNamesThatLookLikeAThirdAreNotItsRuns) {
  const Side two = side({output("a.b"), output("a/b")}), mangled = side({output("a_b"), output("a_b")});
  EXPECT_THAT(drawn(two, mangled, matched(two, mangled)), IsEmpty());
  EXPECT_THAT(drawn(mangled, two, matched(mangled, two)), IsEmpty());
  const Side runs = side({output("a.b"), output("a.b")});
  EXPECT_THAT(drawn(runs, mangled, matched(runs, mangled)), ElementsAre("a.b ~ a_b by name", "a.b ~ a_b by name"));
}

TEST(Matching, TheFirstInputOfAFusedOperatorIsThatOfItsFirstMember) {
  const auto input = [](const std::string& op, size_t index) {
    SideTensor tensor = output(op, "", "", index);
    tensor.input = true;
    return tensor;
  };
  const Side fused =
      side({input("conv1conv1_relu", 0), input("conv1conv1_relu", 1), output("conv1conv1_relu", "conv1_relu")});
  const Side plain =
      side({input("conv1", 0), input("conv1", 1), output("conv1"), input("conv1_relu", 0), output("conv1_relu")});
  const Matching found = matched(fused, plain, {.inputs = true});
  EXPECT_THAT(drawn(fused, plain, found),
              ElementsAre("conv1conv1_relu ~ conv1 by origin", "conv1conv1_relu ~ conv1_relu by origin"));
  EXPECT_TRUE(plain.tensors[found.pairs[0].truth].input);
  EXPECT_EQ(plain.tensors[found.pairs[0].truth].index, 0u);
  EXPECT_EQ(found.ours.size(), 1u);  // the weights, which fusion folds
  EXPECT_THAT(drawn(plain, fused, matched(plain, fused, {.inputs = true})),
              ElementsAre("conv1 ~ conv1conv1_relu by origin", "conv1_relu ~ conv1conv1_relu by origin"));
  const Side deeper = side({input("conv1conv1_reluadd", 0)});  // another fusion that begins with the same operator
  const Side known = side({input("conv1conv1_relu", 0), output("conv1"), output("conv1_relu"), output("add")});
  EXPECT_THAT(drawn(deeper, known, matched(deeper, known, {.inputs = true})),
              ElementsAre("conv1conv1_reluadd ~ conv1conv1_relu by origin"));
  const Side other = side({input("conv1other", 0)});  // no operator is called "other"
  EXPECT_THAT(drawn(other, plain, matched(other, plain, {.inputs = true})), IsEmpty());
}

TEST(Matching, AFusedOperatorMeetsTheLastOneThatItSwallowed) {
  const Side ours = side({output("conv1conv1_relu", "conv1_relu"), output("prob", "prob")});
  const Side truth = side({output("conv1"), output("conv1_relu"), output("prob")});
  const Matching found = matched(ours, truth);
  EXPECT_THAT(drawn(ours, truth, found), ElementsAre("conv1conv1_relu ~ conv1_relu by origin", "prob ~ prob by name"));
  ASSERT_EQ(found.truth.size(), 1u);
  EXPECT_EQ(truth.tensors[found.truth[0].tensor].op, "conv1");
  EXPECT_EQ(found.truth[0].reason, "conv1 was fused there into conv1conv1_relu, whose result is conv1_relu");
}

TEST(Matching, TheSameNameWithAnotherOriginIsAnotherValue) {
  const Side ours = side({output("conv1", "bn1")}), truth = side({output("conv1", "conv1")});
  const Matching found = matched(ours, truth);
  EXPECT_THAT(found.pairs, IsEmpty());
  ASSERT_EQ(found.ours.size(), 1u);
  EXPECT_THAT(found.ours[0].reason, HasSubstr("another value: here it is bn1, there conv1"));
}

TEST(Matching, TwoFusionsMeetWhereBothHaveAResult) {
  const Side ours = side({output("ab", "b"), output("cd", "d")});
  const Side truth = side({output("a", "a"), output("bcd", "d")});
  EXPECT_THAT(drawn(ours, truth, matched(ours, truth)), ElementsAre("cd ~ bcd by origin"));
}

TEST(Matching, AnInsertedOperatorIsTheValueThatItCarriesAndNotTheOneThatItFeeds) {
  const Side ours =
      side({inserted("trans_TransData_0", "conv1"), output("conv1", "conv1"), inserted("trans_TransData_1", "conv1")});
  const Side truth = side({output("conv1")});
  const Matching found = matched(ours, truth);
  EXPECT_THAT(drawn(ours, truth, found), ElementsAre("conv1 ~ conv1 by name", "trans_TransData_1 ~ conv1 by origin"));
  ASSERT_EQ(found.ours.size(), 1u);
  EXPECT_THAT(found.ours[0].reason, HasSubstr("the compiler inserted it at conv1"));
}

TEST(Matching, OfAnExpandedOperatorTheLastPartHasItsValue) {
  const Side ours = side({output("gemm_MatMul", "gemm")});
  const Side truth = side({output("gemm_MatMul", "gemm"), output("gemm_Add", "gemm")});
  const Matching found = matched(ours, truth);
  EXPECT_THAT(drawn(ours, truth, found), ElementsAre("gemm_MatMul ~ gemm_Add by origin"));
  EXPECT_THAT(found.truth[0].reason, HasSubstr("another value: here it is gemm_MatMul, there gemm"));
}

TEST(Matching, PartsOfTheSameExpansionMeetByName) {
  const Side both = side({output("gemm_MatMul", "gemm"), output("gemm_Add", "gemm")});
  EXPECT_THAT(drawn(both, both, matched(both, both)),
              ElementsAre("gemm_MatMul ~ gemm_MatMul by name", "gemm_Add ~ gemm_Add by name"));
}

TEST(Matching, ArraysAreReadAsTensorNames) {
  const Side ours = side({output("/conv1/Conv"), output("split", "", "", 1), output("add"), output("tf")});
  const Side truth = side({array("/conv1/Conv_output_0"), array("split.1"), array("add"), array("tf:0")});
  EXPECT_THAT(drawn(ours, truth, matched(ours, truth)),
              ElementsAre("/conv1/Conv ~ /conv1/Conv_output_0 by tensor name", "split ~ split.1 by tensor name",
                          "add ~ add by name", "tf ~ tf:0 by tensor name"));
}

TEST(Matching, WhatRunsAgainIsPairedInItsOrder) {
  const Side ours = side({output("body"), output("body"), output("body")}),
             truth = side({output("body"), output("body")});
  const Matching found = matched(ours, truth);
  ASSERT_EQ(found.pairs.size(), 2u);
  EXPECT_EQ(found.pairs[1].ours, 1u);
  EXPECT_EQ(found.pairs[1].truth, 1u);
  ASSERT_EQ(found.ours.size(), 1u);
  EXPECT_THAT(found.ours[0].reason, HasSubstr("it ran 2 times before"));
}

TEST(Matching, CallsOfAclnnArePairedWithoutTheirNumbers) {
  SideTensor first{.op = "AddAiCore", .op_type = "aclnnAdd_3_L0"},
      second{.op = "AddAiCore", .op_type = "aclnnSub_4_L0"};
  SideTensor again{.op = "AddAiCore", .op_type = "aclnnSub_0_L0"};
  const Side ours = side({first, second}), truth = side({again});
  const Matching found = matched(ours, truth);
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_EQ(found.pairs[0].ours, 1u);
}

TEST(Matching, WhatIsMissingIsSaidWithTheNearestName) {
  const Side ours = side({output("layer1_conv"), output("split", "", "", 1)});
  const Side truth = side({output("layer2_conv"), output("split")});
  const Matching found = matched(ours, truth);
  ASSERT_EQ(found.ours.size(), 2u);
  EXPECT_EQ(found.ours[0].reason, "nothing on the other side is called layer1_conv");
  EXPECT_EQ(found.ours[0].nearest, "layer2_conv");
  EXPECT_EQ(found.ours[1].reason, "split has no output 1 there");
}

TEST(Matching, InputsArePairedWhenAskedFor) {
  SideTensor input = output("add");
  input.input = true;
  const Side both = side({input, output("add")});
  EXPECT_EQ(matched(both, both).pairs.size(), 1u);
  EXPECT_EQ(matched(both, both, {.inputs = true}).pairs.size(), 2u);
}

constexpr const char* kFusion = R"({"name":"net","graph":[{"name":"g","op":[
  {"name":"a/conv","type":"Conv2D","attr":[
     {"key":"_datadump_original_op_names","value":{"list":{"s":["a/conv","a/bn","a/relu"]}}}],
   "output_desc":[{"dtype":"DT_FLOAT16","attr":[
     {"key":"_datadump_origin_name","value":{"s":"a/relu"}},
     {"key":"_datadump_origin_output_index","value":{"i":1}}]}]},
  {"name":"gelu","attr":[{"key":"_datadump_original_op_names","value":{"list":{"s":["div","erf","mul"]}}}]}]}]})";

TEST(Matching, TheJsonOfAtcTellsOrigins) {
  const test::TemporaryDirectory folder;
  const Side ours = side({output("a_conv"), output("gelu")});
  const Side truth = side({output("a/conv"), output("a/relu", "", "", 1), output("div"), output("mul")});
  const Matching found = matched(ours, truth, {.ours_fusion = folder.write("fusion.json", kFusion)});
  EXPECT_THAT(drawn(ours, truth, found), ElementsAre("a_conv ~ a/relu by fusion", "gelu ~ mul by fusion"));
  ASSERT_EQ(found.truth.size(), 2u);
  EXPECT_EQ(found.truth[1].reason, "div was fused there into gelu, whose result is mul");
}

TEST(Matching, TheJsonOfAnOnnxFileTellsWhatTensorsAre) {
  const test::TemporaryDirectory folder;
  const std::string json = folder.write(
      "onnx.json", R"({"graph":{"node":[{"name":"a/conv","output":["input.3"]},{"name":"split","output":["191","192"]},
                       {"output":["nameless"]}]}})");
  const Side ours = side({output("a/conv"), output("split", "", "", 1)}),
             truth = side({array("input.3"), array("192")});
  EXPECT_THAT(drawn(ours, truth, matched(ours, truth, {.truth_fusion = json})),
              ElementsAre("a/conv ~ input.3 by tensor name", "split ~ 192 by tensor name"));
}

TEST(Matching, TwoFilesThatTheUserNamedAreAPair) {
  const test::TemporaryDirectory folder;
  Side ours = side({output("here")}), truth = side({output("there")});
  EXPECT_THAT(matched(ours, truth).pairs, IsEmpty());
  ours.name = folder.write("a", ""), truth.name = folder.write("b", "");
  EXPECT_THAT(drawn(ours, truth, matched(ours, truth)), ElementsAre("here ~ there by file"));
}

TEST(Matching, RefusesAJsonThatIsNotAtcs) {
  EXPECT_EQ(parse_fusion_json("{").status().code, ACL_ERROR_PARSE_FILE);
  EXPECT_THAT(parse_fusion_json("[1]").status().message, HasSubstr("no list called \"graph\""));
  EXPECT_THAT(parse_fusion_json(R"({"graph":[{"op":[1,{"name":3}]},7]})").status().message, HasSubstr("no operators"));
  EXPECT_THAT(parse_fusion_json(std::string(100, '[')).status().message, HasSubstr("nested deeper"));
  EXPECT_EQ(match({}, {}, {.truth_fusion = "/nowhere.json"}).status().code, ACL_ERROR_INVALID_FILE);
}

TEST(Places, AreReadFromTheFoldersOfATree) {
  EXPECT_THAT(parse_place("20260102030405/0/tiny/1/3"), ElementsAre("", "20260102030405", "0", "tiny", "1", "3"));
  EXPECT_THAT(parse_place("rank1/20260102030405/0/tiny/1/3"),
              ElementsAre("rank1", "20260102030405", "0", "tiny", "1", "3"));
  EXPECT_THAT(parse_place("20260102030405/7"), ElementsAre("", "20260102030405", "7", "", "", ""));
  EXPECT_THAT(parse_place("tiny/1/3"), ElementsAre("", "", "", "tiny", "1", "3"));
  EXPECT_THAT(parse_place("layers/first"), ElementsAre("layers/first", "", "", "", "", ""));
  EXPECT_THAT(parse_place(""), ElementsAre("", "", "", "", "", ""));
}

TEST(Places, StepsMeetByNumberAndOneThatIsAloneIsSaid) {
  const Side ours = side({output("a", "", "20260102030405/0/m16/1/0"), output("a", "", "20260102030405/0/m16/1/1")});
  const Side truth = side({output("a", "", "20260102999999/0/m32/4/1"), output("a", "", "20260102999999/0/m32/4/2")});
  const Matching found = matched(ours, truth);
  ASSERT_EQ(found.pairs.size(), 1u);
  EXPECT_EQ(found.pairs[0].ours, 1u);
  EXPECT_EQ(found.pairs[0].truth, 0u);
  EXPECT_EQ(found.ours[0].reason, "step 0 has no partner; the other side has 1, 2");
  EXPECT_EQ(found.truth[0].reason, "step 2 has no partner; the other side has 0, 1");
}

TEST(Places, TimesMeetInTheirOrderAndDevicesByNumber) {
  const Side ours = side({output("a", "", "20260102030405/0/m/1/0"), output("a", "", "20260102030405/1/m/1/0"),
                          output("a", "", "20260102030409/0/m/1/0")});
  const Side truth = side({output("a", "", "20270102030405/1/m/1/0"), output("a", "", "20270102030405/0/m/1/0"),
                           output("a", "", "20270102030406/0/m/1/0")});
  const Matching found = matched(ours, truth);
  ASSERT_EQ(found.pairs.size(), 3u);
  EXPECT_EQ(found.pairs[0].truth, 1u);
  EXPECT_EQ(found.pairs[1].truth, 0u);
  EXPECT_EQ(found.pairs[2].truth, 2u);
}

TEST(Places, ALevelThatOneSideLacksIsNotLookedAt) {
  const Side ours = side({output("a", "", "20260102030405/0/m/1/0"), output("a", "", "20260102030405/0/m/1/1")});
  const Side truth = side({array("a")});
  EXPECT_EQ(matched(ours, truth).pairs.size(), 2u);
}

}  // namespace
}  // namespace belay::compare
