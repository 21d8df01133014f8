// SPDX-License-Identifier: Apache-2.0
#include "base/config_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/log/log.h"

namespace belay {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(UnknownKeys, EveryDocumentedKeyIsKnown) {
  EXPECT_THAT(unknown_keys(R"({"dump":{"dump_path":"/d","dump_mode":"all","dump_level":"op","dump_op_switch":"off",
      "dump_step":"0","dump_data":"stats","dump_stats":["Max"],"dump_debug":"off","dump_scene":"watcher",
      "dump_kernel_data":"all","dump_list":[{"model_name":"m","layer":["a"],"watcher_nodes":["b"],
      "optype_blacklist":[{"name":"n","pos":["input0"]}],"opname_blacklist":[{"name":"n","pos":[]}],
      "opname_range":[{"begin":"a","end":"b"}]}]},
      "profiler":{"switch":"on","output":"o","aic_metrics":"","task_time":"on","sys_cpu_freq":1,"host_sys":"cpu"},
      "err_msg_mode":"0","max_opqueue_num":"1","defaultDevice":{"default_device":"0"},"acl_graph":{"event_mode":"0"},
      "StackSize":{"aicore_stack_size":1,"simt_stack_size":1,"simt_divergence_stack_size":1},
      "simd_printf_fifo_size_per_core":1,"simt_printf_fifo_size":1})"),
              IsEmpty());
}

TEST(UnknownKeys, AreNamedWithTheirPlaceAndTheNearestKnownOne) {
  const std::pair<const char*, std::pair<const char*, const char*>> table[] = {
      {R"({"dumps":{}})", {"dumps ", "dump"}},
      {R"({"Dump":{}})", {"Dump ", "dump"}},
      {R"({"profilers":{}})", {"profilers ", "profiler"}},
      {R"({"dump":{"dump_lists":[]}})", {"dump.dump_lists ", "dump_list"}},
      {R"({"dump":{"dump_pth":"/d"}})", {"dump.dump_pth ", "dump_path"}},
      {R"({"dump":{"dump_list":[{},{"layers":[]}]}})", {"dump.dump_list[1].layers ", "layer"}},
      {R"({"dump":{"dump_list":[{"watch_nodes":[]}]}})", {"dump.dump_list[0].watch_nodes ", "watcher_nodes"}},
      {R"({"dump":{"dump_list":[{"optype_blacklist":[{"nam":"x"}]}]}})",
       {"dump.dump_list[0].optype_blacklist[0].nam ", "name"}},
      {R"({"dump":{"dump_list":[{"opname_range":[{"start":"x"}]}]}})",
       {"dump.dump_list[0].opname_range[0].start ", ""}},
      {R"({"profiler":{"aic_metric":"x"}})", {"profiler.aic_metric ", "aic_metrics"}},
      {R"({"StackSize":{"aicore_stacksize":1}})", {"StackSize.aicore_stacksize ", "aicore_stack_size"}},
      {R"({"defaultDevice":{"device":"0"}})", {"defaultDevice.device ", "default_device"}},
      {R"({"acl_graph":{"eventmode":"0"}})", {"acl_graph.eventmode ", "event_mode"}},
  };
  for (const auto& [text, said] : table)
    EXPECT_THAT(unknown_keys(text),
                ElementsAre(AllOf(StartsWith(said.first), HasSubstr("is ignored"), HasSubstr(said.second))))
        << text;
}

TEST(UnknownKeys, WhatIsNoObjectHasNone) {
  for (const char* text : {"", "{", "[]", "1", "null", R"({"dump":3})", R"({"dump":{"dump_list":[[[{"x":1}]],"x",1]}})",
                           R"({"dump":{"dump_path":{"x":1}}})"})
    EXPECT_THAT(unknown_keys(text), IsEmpty()) << text;
}

TEST(UnknownKeys, AreSaidOnceInTheLifeOfTheProcess) {
  std::vector<std::string> lines;
  const uint64_t number = add_log_observer([&](bool, std::string_view line) { lines.emplace_back(line); });
  configure_log({.directory = ""});
  for (int i = 0; i < 3; ++i) say_unknown_keys(R"({"dump":{"only_here":1}})");
  remove_log_observer(number);
  EXPECT_THAT(lines,
              ElementsAre(AllOf(HasSubstr("WARNING"), HasSubstr("acl.json: dump.only_here is not a known key"))));
}

}  // namespace
}  // namespace belay
