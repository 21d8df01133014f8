// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/init_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/temporary_directory.h"

namespace belay {
namespace {

using testing::HasSubstr;

struct Refusal {
  const char* text;
  aclError code;
  const char* says;
};

void expect_refused(std::initializer_list<Refusal> cases) {
  for (const auto& [text, code, says] : cases) {
    const auto config = parse_init_config(text);
    ASSERT_FALSE(config.ok()) << text;
    EXPECT_EQ(config.status().code, code) << text;
    EXPECT_THAT(config.status().message, HasSubstr(says)) << text;
  }
}

InitConfig accepted(const char* text) {
  auto config = parse_init_config(text);
  EXPECT_TRUE(config.ok()) << text << ": " << config.status().message;
  return config.ok() ? std::move(config).value() : InitConfig{};
}

TEST(InitConfig, NothingIsRequired) {
  for (const char* text : {"", "{}", "{\"unknown\":[1]}", "[]", "null"}) {
    const InitConfig config = accepted(text);
    EXPECT_FALSE(config.errors_per_process);
    EXPECT_EQ(config.dump, "");
    EXPECT_EQ(config.profiler, "");
    EXPECT_FALSE(config.default_device);
    EXPECT_FALSE(config.graph_event_mode);
    EXPECT_EQ(config.max_opqueue_num, 20000u);
    EXPECT_EQ(config.aicore_stack_size, 32768u);
    EXPECT_EQ(config.simd_printf_fifo_size_per_core, 32768u);
    EXPECT_EQ(config.simt_printf_fifo_size, 2097152u);
  }
}

TEST(InitConfig, EveryKeyIsRead) {
  const InitConfig config = accepted(R"({
    "err_msg_mode": "1", "dump": {"dump_path": "/d", "dump_list": []}, "max_opqueue_num": "77",
    "StackSize": {"aicore_stack_size": 40000, "simt_stack_size": 5, "simt_divergence_stack_size": 6},
    "defaultDevice": {"default_device": "3"}, "simd_printf_fifo_size_per_core": 1024, "simt_printf_fifo_size": 67108864,
    "acl_graph": {"event_mode": "1"}, "profiler": {"switch": "off"}})");
  EXPECT_TRUE(config.errors_per_process);
  EXPECT_EQ(config.dump, R"({"dump_list":[],"dump_path":"/d"})");
  EXPECT_EQ(config.max_opqueue_num, 77u);
  EXPECT_EQ(config.aicore_stack_size, 49152u);  // 40000 rounded up to 16 KiB
  EXPECT_EQ(config.simt_stack_size, 5u);
  EXPECT_EQ(config.simt_divergence_stack_size, 6u);
  EXPECT_EQ(config.default_device, 3);
  EXPECT_EQ(config.simd_printf_fifo_size_per_core, 1024u);
  EXPECT_EQ(config.simt_printf_fifo_size, 67108864u);
  EXPECT_TRUE(config.graph_event_mode);
  EXPECT_EQ(config.profiler, R"({"switch":"off"})");
}

TEST(InitConfig, BrokenJsonIsAParseErrorThatSaysWhere) {
  expect_refused({
      {"{", ACL_ERROR_PARSE_FILE, "line 1, column 2"},
      {"{\"a\":1,}", ACL_ERROR_PARSE_FILE, "line 1"},
      {"{\n\"a\":\n}", ACL_ERROR_PARSE_FILE, "line 3"},
      {" ", ACL_ERROR_PARSE_FILE, "line 1"},
      {"{\"a\":\"\xff\"}", ACL_ERROR_PARSE_FILE, "UTF-8"},
      {"{\"a\":1e999}", ACL_ERROR_PARSE_FILE, "a number is too large"},
      {"{} {}", ACL_ERROR_PARSE_FILE, "line 1"},
  });
}

TEST(InitConfig, TenLevelsOfNestingAreAcceptedElevenAreNot) {
  const auto nested = [](size_t depth) { return "{\"a\":" + std::string(depth, '[') + std::string(depth, ']') + "}"; };
  EXPECT_TRUE(parse_init_config(nested(10)).ok());
  expect_refused({{nested(11).c_str(), ACL_ERROR_PARSE_FILE, "deeper than 10"}});
}

TEST(InitConfig, StringsThatMustBeStringsAreNotNumbers) {
  expect_refused({
      {R"({"err_msg_mode":1})", ACL_ERROR_INVALID_PARAM, "err_msg_mode is 1"},
      {R"({"err_msg_mode":"2"})", ACL_ERROR_INVALID_PARAM, "err_msg_mode"},
      {R"({"err_msg_mode":null})", ACL_ERROR_INVALID_PARAM, "err_msg_mode"},
      {R"({"max_opqueue_num":5})", ACL_ERROR_INVALID_PARAM, "max_opqueue_num is 5"},
      {R"({"max_opqueue_num":"0"})", ACL_ERROR_INVALID_PARAM, "above 0"},
      {R"({"max_opqueue_num":"-1"})", ACL_ERROR_INVALID_PARAM, "max_opqueue_num"},
      {R"({"acl_graph":{"event_mode":1}})", ACL_ERROR_INVALID_PARAM, "acl_graph.event_mode"},
      {R"({"acl_graph":{"event_mode":"x"}})", ACL_ERROR_INVALID_PARAM, "acl_graph.event_mode"},
      {R"({"acl_graph":"1"})", ACL_ERROR_INVALID_PARAM, "acl_graph"},
      {R"({"profiler":"on"})", ACL_ERROR_INVALID_PARAM, "profiler"},
  });
}

TEST(InitConfig, AnyProblemWithTheDefaultDeviceIsAFailure) {
  expect_refused({
      {R"({"defaultDevice":"0"})", ACL_ERROR_FAILURE, "defaultDevice"},
      {R"({"defaultDevice":{}})", ACL_ERROR_FAILURE, "default_device"},
      {R"({"defaultDevice":{"default_device":0}})", ACL_ERROR_FAILURE, "is 0"},
      {R"({"defaultDevice":{"default_device":""}})", ACL_ERROR_FAILURE, "default_device"},
      {R"({"defaultDevice":{"default_device":"01"}})", ACL_ERROR_FAILURE, "01"},
      {R"({"defaultDevice":{"default_device":"-1"}})", ACL_ERROR_FAILURE, "-1"},
      {R"({"defaultDevice":{"default_device":"2147483648"}})", ACL_ERROR_FAILURE, "2147483648"},
  });
  EXPECT_EQ(accepted(R"({"defaultDevice":{"default_device":"0"}})").default_device, 0);
}

TEST(InitConfig, StackSizesAreWholeNumbersBroughtIntoRange) {
  expect_refused({
      {R"({"StackSize":1})", ACL_ERROR_FAILURE, "object"},
      {R"({"StackSize":{"aicore_stack_size":"32768"}})", ACL_ERROR_FAILURE, "aicore_stack_size"},
      {R"({"StackSize":{"simt_stack_size":1.5}})", ACL_ERROR_FAILURE, "simt_stack_size"},
      {R"({"StackSize":{"simt_divergence_stack_size":-1}})", ACL_ERROR_FAILURE, "simt_divergence_stack_size"},
  });
  EXPECT_EQ(accepted(R"({"StackSize":{"aicore_stack_size":1}})").aicore_stack_size, 32768u);
  EXPECT_EQ(accepted(R"({"StackSize":{"aicore_stack_size":32769}})").aicore_stack_size, 49152u);
  EXPECT_EQ(accepted(R"({"StackSize":{"aicore_stack_size":99999999}})").aicore_stack_size, 196608u);
}

TEST(InitConfig, FifoSizesHaveATypeAndARange) {
  expect_refused({
      {R"({"simd_printf_fifo_size_per_core":"1024"})", ACL_ERROR_FAILURE, "simd_printf"},
      {R"({"simd_printf_fifo_size_per_core":0})", ACL_ERROR_FAILURE, "positive"},
      {R"({"simd_printf_fifo_size_per_core":1023})", ACL_ERROR_RT_PARAM_INVALID, "1024 to 67108864"},
      {R"({"simt_printf_fifo_size":-5})", ACL_ERROR_FAILURE, "simt_printf"},
      {R"({"simt_printf_fifo_size":1048575})", ACL_ERROR_RT_PARAM_INVALID, "1048576 to 67108864"},
      {R"({"simt_printf_fifo_size":67108865})", ACL_ERROR_RT_PARAM_INVALID, "67108865"},
  });
}

TEST(InitConfig, OfSeveralMistakesTheDocumentedFirstOneIsReported) {
  const char* const ordered[] = {R"("err_msg_mode":"9")",
                                 R"("max_opqueue_num":"0")",
                                 R"("StackSize":0)",
                                 R"("defaultDevice":0)",
                                 R"("simd_printf_fifo_size_per_core":0)",
                                 R"("simt_printf_fifo_size":0)",
                                 R"("acl_graph":0)",
                                 R"("profiler":0)"};
  const char* const keys[] = {"err_msg_mode", "max_opqueue_num", "StackSize", "defaultDevice",
                              "simd_printf",  "simt_printf",     "acl_graph", "profiler"};
  for (size_t first = 0; first < std::size(ordered); ++first) {
    std::string text;
    for (size_t i = std::size(ordered); i-- > first;) text += std::string(text.empty() ? "{" : ",") + ordered[i];
    const auto config = parse_init_config(text + "}");
    ASSERT_FALSE(config.ok());
    EXPECT_THAT(config.status().message, HasSubstr(keys[first]));
  }
}

TEST(InitConfig, TheDumpSectionIsCheckedAfterTheErrorModeAndBeforeTheRest) {
  const auto refuse = [](const std::string& dump) { return Status{ACL_ERROR_INVALID_DUMP_CONFIG, dump}; };
  const auto code = [&](const char* text) { return parse_init_config(text, refuse).status().code; };
  EXPECT_EQ(code(R"({"dump":{"a":1},"max_opqueue_num":0})"), ACL_ERROR_INVALID_DUMP_CONFIG);
  EXPECT_EQ(code(R"({"dump":{"a":1},"err_msg_mode":0})"), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(parse_init_config(R"({"dump": null})", refuse).status().message, "null");
  EXPECT_TRUE(parse_init_config("{}", refuse).ok());
}

TEST(ReadInitConfig, NoPathIsNoTextAndABadPathIsAnInvalidFile) {
  const test::TemporaryDirectory directory;
  EXPECT_EQ(*read_init_config(nullptr), "");
  EXPECT_EQ(*read_init_config(""), "");
  EXPECT_EQ(*read_init_config(directory.write("acl.json", "{}").c_str()), "{}");
  EXPECT_EQ(*read_init_config(directory.write("empty.json", "").c_str()), "");
  const std::string large = directory.write("large.json", std::string((10 << 20) + 1, ' '));
  for (const std::string& bad : {directory.path("missing.json"), directory.path(), large})
    EXPECT_EQ(read_init_config(bad.c_str()).status().code, ACL_ERROR_INVALID_FILE) << bad;
  EXPECT_TRUE(read_init_config(directory.write("full.json", std::string(10 << 20, ' ')).c_str()).ok());
}

}  // namespace
}  // namespace belay
