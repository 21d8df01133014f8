// SPDX-License-Identifier: Apache-2.0
// The rules of acl.json's dump section, one table per documented step. The oracle is the documentation.
#include "dump/config/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay::dump {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

Status any_path(const std::string&) { return {}; }
Status bad_path(const std::string& path) { return {ACL_ERROR_INVALID_DUMP_CONFIG, "bad path " + path, "EP0003"}; }

DumpConfig accepted(const std::string& section) {
  auto config = parse_section(section, any_path);
  if (config.ok()) return std::move(config).value();
  ADD_FAILURE() << section << " is refused: " << config.status().message;
  return {};
}

struct Refusal {
  std::string section;
  const char* id;
  std::string says;
};

void expect_refused(const std::vector<Refusal>& table, const PathCheck& check_path = any_path) {
  for (const auto& [section, id, says] : table) {
    const auto config = parse_section(section, check_path);
    ASSERT_FALSE(config.ok()) << section;
    EXPECT_EQ(config.status().code, ACL_ERROR_INVALID_DUMP_CONFIG) << section;
    EXPECT_STREQ(config.status().message_id, id) << section << ": " << config.status().message;
    EXPECT_THAT(config.status().message, HasSubstr(says)) << section;
  }
}

// A section with a dump_path and one more member.
std::string with(const std::string& member) { return R"({"dump_path":"/d",)" + member + "}"; }
// The same with one dump_list item and what else is given.
std::string listed(const std::string& item, const std::string& more = "") {
  return R"({"dump_path":"/d","dump_list":[)" + item + "]" + (more.empty() ? "" : "," + more) + "}";
}

TEST(DumpConfigText, WithoutADumpSectionNothingIsEnabled) {
  for (const char* text : {"", "{}", R"({"dump":{}})", R"({"profiler":{}})", "[]", "1", R"({"dumps":3})"}) {
    const auto config = parse_config(text, bad_path);
    ASSERT_TRUE(config.ok()) << text;
    EXPECT_EQ((*config).kind(), Kind::None) << text;
  }
}

TEST(DumpConfigText, BrokenJsonIsADumpErrorThatSaysWhere) {
  for (const char* text : {"{", R"({"dump":})", "x", R"({"dump":{"dump_path":"/d",}})", " "}) {
    const auto config = parse_config(text, any_path);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.status().code, ACL_ERROR_INVALID_DUMP_CONFIG) << text;
    EXPECT_STREQ(config.status().message_id, "EP0004") << text;
    EXPECT_THAT(config.status().message, HasSubstr("line 1")) << text;
  }
}

TEST(DumpConfigText, NestingIsCountedByCharacterAndEndsWithParseFile) {
  const auto code = [](const std::string& text) { return parse_config(text, any_path).status().code; };
  EXPECT_EQ(code(std::string(11, '{')), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(code(std::string(11, '[')), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(code(R"({"a":"[[[[[[[[[[["})"), ACL_ERROR_PARSE_FILE);
  EXPECT_EQ(code(std::string(10, '{')), ACL_ERROR_INVALID_DUMP_CONFIG);
  EXPECT_TRUE(parse_config(R"({"a":[[[[[[[[[[]]]]]]]]]]})", any_path).ok());
}

TEST(DumpConfigText, OfEqualKeysTheLastCountsAndUnknownOnesAreIgnored) {
  const auto config = parse_config(
      R"({"dump":5,"x":[],"dump":{"dump_path":"/d","dump_mode":"all","dump_mode":"input","y":1,"dump_list":[{"z":0}]}})",
      any_path);
  ASSERT_TRUE(config.ok());
  EXPECT_EQ((*config).mode, Mode::Input);
  EXPECT_EQ((*config).kind(), Kind::Operator);
}

TEST(DumpConfigTypes, TheSectionIsAnObject) {
  expect_refused({{"null", "EP0001", "dump is null"},
                  {"[]", "EP0001", "object"},
                  {"\"on\"", "EP0001", "object"},
                  {"3", "EP0001", "object"},
                  {"true", "EP0001", "object"}});
}

TEST(DumpConfigTypes, StringsMustBeStringsAndNullIsNone) {
  for (const char* key : {"dump_path", "dump_mode", "dump_op_switch", "dump_level", "dump_scene", "dump_data",
                          "dump_debug", "dump_kernel_data", "dump_step"})
    for (const char* value : {"null", "1", "true", "[]", "{}"})
      expect_refused({{R"({")" + std::string(key) + "\":" + value + "}", "EP0001", std::string(key) + " is " + value}});
}

TEST(DumpConfigTypes, ListsMustHoldWhatTheyHold) {
  expect_refused({
      {with(R"("dump_stats":"Max")"), "EP0001", "dump_stats must be an array"},
      {with(R"("dump_stats":["Max",1])"), "EP0001", "dump_stats[1] is 1"},
      {with(R"("dump_list":{})"), "EP0001", "dump_list must be an array of objects"},
      {with(R"("dump_list":null)"), "EP0001", "dump_list"},
      {listed("3"), "EP0001", "dump_list[0] must be an object"},
      {listed(R"({},{"model_name":1})"), "EP0001", "dump_list[1].model_name is 1"},
      {listed(R"({"layer":"conv1"})"), "EP0001", "dump_list[0].layer must be an array"},
      {listed(R"({"layer":["a",2]})"), "EP0001", "dump_list[0].layer[1] is 2"},
      {listed(R"({"watcher_nodes":{}})"), "EP0001", "dump_list[0].watcher_nodes"},
      {listed(R"({"optype_blacklist":["Conv2D"]})"), "EP0001", "dump_list[0].optype_blacklist[0] must be an object"},
      {listed(R"({"optype_blacklist":[{},{},{"pos":"input0"}]})"), "EP0001", "dump_list[0].optype_blacklist[2].pos"},
      {listed(R"({"opname_blacklist":[{"name":null}]})"), "EP0001", "dump_list[0].opname_blacklist[0].name"},
      {listed(R"({"opname_blacklist":[{"pos":[0]}]})"), "EP0001", "dump_list[0].opname_blacklist[0].pos[0]"},
      {listed(R"({"opname_range":{}})"), "EP0001", "dump_list[0].opname_range must be an array"},
      {listed(R"({"opname_range":[{"begin":1}]})"), "EP0001", "dump_list[0].opname_range[0].begin"},
      {listed(R"({"opname_range":[{"begin":"a","end":[]}]})"), "EP0001", "dump_list[0].opname_range[0].end"},
  });
}

TEST(DumpConfigValues, AreOneOfASetThatTheMessageLists) {
  expect_refused({
      {with(R"("dump_mode":"")"), "EP0001", "dump_mode must not be empty"},
      {with(R"("dump_mode":"Input")"), "EP0002", "\"Input\"; it must be one of all/input/output"},
      {with(R"("dump_data":"")"), "EP0001", "dump_data"},
      {with(R"("dump_data":"tensors")"), "EP0002", "stats/tensor"},
      {with(R"("dump_op_switch":"")"), "EP0001", "dump_op_switch"},
      {with(R"("dump_op_switch":"on ")"), "EP0002", "off/on"},
      {with(R"("dump_level":"")"), "EP0001", "dump_level"},
      {with(R"("dump_level":"ops")"), "EP0002", "all/kernel/op"},
      {with(R"("dump_debug":"")"), "EP0001", "dump_debug"},
      {with(R"("dump_debug":"true")"), "EP0002", "off/on"},
      {with(R"("dump_scene":"")"), "EP0001", "dump_scene"},
      {with(R"("dump_scene":"exception")"), "EP0002",
       "aic_err_brief_dump/aic_err_detail_dump/aic_err_norm_dump/lite_exception/watcher"},
      {with(R"("dump_kernel_data":"")"), "EP0001", "dump_kernel_data"},
      {with(R"("dump_kernel_data":"printf,")"), "EP0001", "dump_kernel_data"},
      {with(R"("dump_kernel_data":"printf, assert")"), "EP0002", "all/assert/printf/tensor/timestamp"},
      {with(R"("dump_data":"stats","dump_stats":["Max",""])"), "EP0001", "dump_stats[1]"},
      {with(R"("dump_data":"stats","dump_stats":["max"])"), "EP0002",
       "Avg/L2norm/Max/Min/Nan/Negative Inf/Positive Inf"},
  });
}

TEST(DumpConfigValues, AreTakenOver) {
  const DumpConfig usual = accepted(listed("{}"));
  EXPECT_EQ(usual.path, "/d");
  EXPECT_EQ(usual.mode, Mode::Output);
  EXPECT_TRUE(usual.op_level && usual.kernel_level);
  EXPECT_FALSE(usual.op_switch || usual.stats || usual.overflow);
  EXPECT_EQ(usual.statistics, kUsualStatistics);
  EXPECT_THAT(usual.warnings, IsEmpty());

  const DumpConfig other = accepted(
      R"({"dump_path":"/d","dump_mode":"all","dump_level":"op","dump_op_switch":"on","dump_data":"stats",
          "dump_stats":["L2norm","Max"],"dump_step":"0|3-5|10","dump_kernel_data":"printf,assert","dump_list":[
          {"model_name":"m","layer":["a","b"],"optype_blacklist":[{"name":"Conv2D","pos":["input0","output1"]}],
           "opname_blacklist":[{"name":"c"}],"opname_range":[{"begin":"d","end":"e"}]}]})");
  EXPECT_EQ(other.mode, Mode::All);
  EXPECT_TRUE(other.op_level && !other.kernel_level);
  EXPECT_TRUE(other.op_switch && other.stats);
  EXPECT_EQ(other.statistics, kMax | kL2Norm);
  ASSERT_EQ(other.list.size(), 1u);
  const ListItem& item = other.list[0];
  EXPECT_EQ(item.model_name, "m");
  EXPECT_THAT(item.layers, testing::ElementsAre("a", "b"));
  EXPECT_EQ(item.type_black_list[0].name, "Conv2D");
  EXPECT_THAT(item.type_black_list[0].positions, testing::ElementsAre("input0", "output1"));
  EXPECT_THAT(item.name_black_list[0].positions, IsEmpty());
  EXPECT_EQ(item.ranges[0].begin + item.ranges[0].end, "de");
  ASSERT_EQ(other.warnings.size(), 1u);
  EXPECT_THAT(other.warnings[0], HasSubstr("dump_kernel_data"));

  const DumpConfig kernel = accepted(with(R"("dump_level":"kernel","dump_mode":"input","dump_op_switch":"on")"));
  EXPECT_TRUE(!kernel.op_level && kernel.kernel_level);
  EXPECT_EQ(kernel.mode, Mode::Input);
}

TEST(DumpConfigList, AModelThatIsNamedTwiceIsWarnedOf) {
  const DumpConfig twice = accepted(listed(R"({"model_name":"m","layer":["a"]},{"model_name":"n"},{"layer":["c"]},
      {"model_name":"m","layer":["b"]},{"layer":["d"]})"));
  EXPECT_EQ(twice.list.size(), 5u);
  ASSERT_EQ(twice.warnings.size(), 1u);
  EXPECT_THAT(twice.warnings[0], HasSubstr("dump_list names model \"m\" 2 times: the items are put together"));
  EXPECT_THAT(accepted(listed(R"({"model_name":"m"},{"model_name":"M"})")).warnings, IsEmpty());
}

TEST(DumpConfigScene, WatcherExcludesOverflowSingleOperatorsAndOtherModes) {
  const std::string watch = R"("dump_scene":"watcher","dump_list":[{"layer":["a"],"watcher_nodes":["b"]}])";
  expect_refused({
      {with(watch + R"(,"dump_debug":"on")"), "EP0005", "dump_debug"},
      {with(watch + R"(,"dump_op_switch":"on")"), "EP0005", "dump_op_switch"},
      {with(watch + R"(,"dump_mode":"all")"), "EP0005", "dump_mode must be \"output\""},
      {"{" + watch + "}", "EP0001", "dump_path is missing"},
  });
  const DumpConfig config = accepted(with(watch + R"(,"dump_mode":"output","dump_debug":"off")"));
  EXPECT_EQ(config.kind(), Kind::Watch);
  EXPECT_THAT(config.list[0].watcher_nodes, testing::ElementsAre("b"));
  EXPECT_EQ(accepted(with(R"("dump_scene":"watcher")")).kind(), Kind::Watch);
}

TEST(DumpConfigScene, AnExceptionSceneLooksAtNothingElse) {
  for (const char* scene : {"lite_exception", "aic_err_brief_dump", "aic_err_norm_dump", "aic_err_detail_dump"}) {
    const std::string member = R"("dump_scene":")" + std::string(scene) + '"';
    expect_refused({{with(member + R"(,"dump_debug":"on")"), "EP0005", "dump_debug"},
                    {with(member + R"(,"dump_op_switch":"on")"), "EP0005", scene}});
    const auto config = parse_section(
        "{" + member + R"(,"dump_path":"","dump_step":"x","dump_stats":[],"dump_list":[{"layer":[]}]})", bad_path);
    ASSERT_TRUE(config.ok()) << config.status().message;
    EXPECT_EQ((*config).kind(), Kind::Exception);
    EXPECT_THAT((*config).warnings, testing::Contains(HasSubstr("dump_list is ignored")));
  }
  EXPECT_EQ(accepted(R"({"dump_scene":"lite_exception"})").scene, Scene::Brief);
  EXPECT_EQ(accepted(R"({"dump_scene":"aic_err_norm_dump"})").scene, Scene::Norm);
  EXPECT_EQ(accepted(R"({"dump_scene":"aic_err_detail_dump"})").scene, Scene::Detail);
}

TEST(DumpConfigPath, IsRequiredEvenWhenNothingWillBeDumped) {
  expect_refused({{R"({"dump_list":[]})", "EP0001", "dump_path is missing"},
                  {R"({"x":1})", "EP0001", "dump_path is missing"},
                  {R"({"dump_path":""})", "EP0001", "dump_path must not be empty"},
                  {R"({"dump_path":")" + std::string(513, 'a') + "\"}", "EP0003", "513 bytes; at most 512"},
                  {R"({"dump_path":"/nowhere","dump_step":"x"})", "EP0003", "bad path /nowhere"}},
                 bad_path);
  EXPECT_EQ(accepted(R"({"dump_path":")" + std::string(512, 'a') + "\"}").path.size(), 512u);
}

TEST(DumpConfigOverflow, ExcludesSingleOperatorsAndLists) {
  expect_refused({
      {with(R"("dump_debug":"on","dump_op_switch":"on")"), "EP0005", "dump_op_switch"},
      {with(R"("dump_debug":"on","dump_list":[{}])"), "EP0005", "dump_list cannot be given together with dump_debug"},
      {R"({"dump_debug":"on"})", "EP0001", "dump_path is missing"},
  });
  const DumpConfig config = accepted(with(R"("dump_debug":"on","dump_list":[],"dump_stats":[],"dump_step":"2-1")"));
  EXPECT_EQ(config.kind(), Kind::Overflow);
  EXPECT_EQ(config.mode, Mode::All);
  EXPECT_THAT(config.warnings, testing::Contains(HasSubstr("it is ignored")));
  EXPECT_TRUE(config.wants_step(7));
}

TEST(DumpConfigStep, IsAListOfNumbersAndRanges) {
  for (const char* bad : {"5||6", "|5", "5|", "5-", "-5", "0 | 1", "1-2-3", "a", "+1", " ", "-", "0x1", "4-3"})
    expect_refused({{with(R"("dump_step":")" + std::string(bad) + '"'), "EP0003", "dump_step"}});
  const auto steps = [](const std::string& text) { return accepted(with(R"("dump_step":")" + text + '"')); };
  EXPECT_TRUE(steps("").wants_step(123));
  const DumpConfig some = steps("0|3-5|10|7-7");
  for (const uint64_t in : {0, 3, 4, 5, 7, 10}) EXPECT_TRUE(some.wants_step(in)) << in;
  for (const uint64_t out : {1, 2, 6, 8, 9, 11}) EXPECT_FALSE(some.wants_step(out)) << out;
  EXPECT_TRUE(steps("0-99999999999999999999999").wants_step(UINT64_MAX));
  std::string hundred = "0";
  for (int i = 1; i < 100; ++i) hundred += "|" + std::to_string(i);
  EXPECT_EQ(steps(hundred).steps.size(), 100u);
  expect_refused({{with(R"("dump_step":")" + hundred + "|100\""), "EP0003", "more than 100"}});
}

TEST(DumpConfigList, EmptyNamesAndLayersAreRefusedUnlessSingleOperatorsAreOn) {
  expect_refused({
      {listed(R"({},{"model_name":""})"), "EP0001", "dump_list[1].model_name must not be empty"},
      {listed(R"({"layer":[]})"), "EP0001", "dump_list[0].layer must not be empty"},
  });
  EXPECT_EQ(accepted(listed(R"({"model_name":"","layer":[]})", R"("dump_op_switch":"on")")).list.size(), 1u);
}

TEST(DumpConfigList, WatcherNodesBelongToTheWatcherScene) {
  const auto watch = [](const char* item) { return listed(item, R"("dump_scene":"watcher")"); };
  expect_refused({
      {watch("{}"), "EP0001", "dump_list[0].watcher_nodes is missing"},
      {watch(R"({"watcher_nodes":[]})"), "EP0001", "dump_list[0].watcher_nodes is empty"},
      {watch(R"({"watcher_nodes":["a"],"model_name":"m"})"), "EP0005", "dump_list[0].model_name"},
      {listed(R"({"watcher_nodes":["a"]})"), "EP0005", "dump_scene \"watcher\""},
  });
  accepted(listed(R"({"watcher_nodes":[]})"));
}

TEST(DumpConfigList, BlackListsAndRangesNeedTheOpLevelAndTheMessageSaysSo) {
  const std::string entry = R"({"name":"Conv2D","pos":["input0"]})";
  const std::string range = R"({"model_name":"m","opname_range":[{"begin":"a","end":"b"}]})";
  for (const std::string key : {"optype_blacklist", "opname_blacklist"}) {
    const std::string item = "{\"" + key + "\":[" + entry + "]}";
    for (const char* level : {"", R"("dump_level":"all")", R"("dump_level":"kernel")"})
      expect_refused({{listed(item, level), "EP0005", R"(add "dump_level":"op")"}});
    accepted(listed(item, R"("dump_level":"op")"));
    accepted(listed("{\"" + key + "\":[]}"));
    std::string many;
    for (int i = 0; i < 100; ++i) many += entry + ",";
    expect_refused({{listed("{\"" + key + "\":[" + many + entry + "]}"), "EP0003", key + " has 101 entries"}});
    many.pop_back();
    accepted(listed("{\"" + key + "\":[" + many + "]}", R"("dump_level":"op")"));
  }
  expect_refused({
      {listed(range), "EP0005", R"(add "dump_level":"op")"},
      {listed(R"({"opname_range":[{"begin":"a","end":"b"}]})", R"("dump_level":"op")"), "EP0001", "model_name"},
      {listed(R"({"model_name":"m","opname_range":[{"begin":"a","end":"b"},{"end":"b"}]})", R"("dump_level":"op")"),
       "EP0003", "dump_list[0].opname_range[1].begin"},
      {listed(R"({"model_name":"m","opname_range":[{"begin":"a","end":""}]})", R"("dump_level":"op")"), "EP0003",
       "dump_list[0].opname_range[0].end"},
  });
  EXPECT_EQ(accepted(listed(range, R"("dump_level":"op")")).list[0].ranges.size(), 1u);
  accepted(listed(R"({"opname_range":[]})"));
}

TEST(DumpConfigStats, NeedStatisticsToBeAskedFor) {
  expect_refused({
      {with(R"("dump_stats":[],"dump_data":"stats")"), "EP0001", "dump_stats must not be empty"},
      {with(R"("dump_stats":["Max"])"), "EP0005", "dump_data \"stats\""},
      {with(R"("dump_stats":["Max"],"dump_data":"tensor")"), "EP0005", "dump_data \"stats\""},
  });
  const DumpConfig all = accepted(with(
      R"("dump_data":"stats","dump_stats":["Positive Inf","Negative Inf","Nan","Avg","Min","Max","L2norm","Max"])"));
  EXPECT_EQ(all.statistics, 127);
}

TEST(DumpConfigKind, FollowsFromListSwitchDebugAndScene) {
  const std::pair<const char*, Kind> table[] = {
      {R"({"dump_path":"/d"})", Kind::None},
      {R"({"dump_path":"/d","dump_list":[]})", Kind::None},
      {R"({"dump_path":"/d","dump_list":[],"dump_op_switch":"off"})", Kind::None},
      {R"({"dump_path":"/d","dump_kernel_data":"all"})", Kind::None},
      {R"({"dump_path":"/d","dump_list":[{}]})", Kind::Operator},
      {R"({"dump_path":"/d","dump_list":[],"dump_op_switch":"on"})", Kind::Operator},
      {R"({"dump_path":"/d","dump_op_switch":"on"})", Kind::Operator},
      {R"({"dump_path":"/d","dump_debug":"on"})", Kind::Overflow},
      {R"({"dump_path":"/d","dump_debug":"off","dump_list":[{}]})", Kind::Operator},
  };
  for (const auto& [section, kind] : table) EXPECT_EQ(accepted(section).kind(), kind) << section;
}

// The order of the steps: each section breaks one rule of its step and every rule behind it.
TEST(DumpConfigOrder, TheFirstBrokenRuleIsReported) {
  expect_refused({
      {R"({"dump_step":1,"dump_mode":"x","dump_path":2})", "EP0001", "dump_path"},
      {R"({"dump_list":0,"dump_stats":0,"dump_step":0})", "EP0001", "dump_step"},
      {R"({"dump_list":0,"dump_stats":0})", "EP0001", "dump_stats"},
      {R"({"dump_list":0,"dump_mode":"x"})", "EP0001", "dump_list"},
      {R"({"dump_mode":"x","dump_data":"x"})", "EP0002", "dump_mode"},
      {R"({"dump_data":"x","dump_op_switch":"x"})", "EP0002", "dump_data"},
      {R"({"dump_op_switch":"x","dump_level":"x"})", "EP0002", "dump_op_switch"},
      {R"({"dump_level":"x","dump_debug":"x"})", "EP0002", "dump_level"},
      {R"({"dump_debug":"x","dump_scene":"x"})", "EP0002", "dump_debug"},
      {R"({"dump_scene":"x","dump_kernel_data":"x"})", "EP0002", "dump_scene"},
      {R"({"dump_kernel_data":"x","dump_stats":["x"]})", "EP0002", "dump_kernel_data"},
      {R"({"dump_stats":["x"],"dump_scene":"watcher","dump_debug":"on"})", "EP0002", "dump_stats"},
      {R"({"dump_scene":"watcher","dump_debug":"on","dump_op_switch":"on"})", "EP0005", "dump_debug"},
      {R"({"dump_scene":"watcher","dump_op_switch":"on","dump_mode":"all"})", "EP0005", "dump_op_switch"},
      {R"({"dump_scene":"watcher","dump_mode":"all"})", "EP0005", "dump_mode"},
      {R"({"dump_debug":"on","dump_op_switch":"on"})", "EP0001", "dump_path"},
      {with(R"("dump_step":"x","dump_list":[{"layer":[]}])"), "EP0003", "dump_step"},
      {with(R"("dump_list":[{"layer":[]}],"dump_stats":[])"), "EP0001", "layer"},
      {with(R"("dump_list":[{"layer":[],"model_name":""}])"), "EP0001", "model_name"},
      {with(R"("dump_list":[{"layer":[],"watcher_nodes":["a"]}])"), "EP0001", "layer"},
      {with(R"("dump_list":[{"optype_blacklist":[{}],"watcher_nodes":["a"]}])"), "EP0005", "watcher_nodes"},
      {with(R"("dump_list":[{"optype_blacklist":[{}],"opname_range":[{}]}])"), "EP0005", "optype_blacklist"},
      {with(R"("dump_list":[{"opname_range":[{}]}],"dump_stats":[])"), "EP0005", "opname_range"},
  });
}

}  // namespace
}  // namespace belay::dump
