// SPDX-License-Identifier: Apache-2.0
#include "dump/exceptions/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/endings/trap.h"

namespace belay::dump {
namespace {

using backend::Layout;
using executor::Running;
using executor::Tensor;
using graph::DataType;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

struct Failed : testing::Test {
  Failed() {
    node.name = "net/op";
    node.type = "Some";
    node.attributes["axes"] = std::vector<int64_t>{0, -1};
    node.attributes["keep"] = true;
    node.attributes["mode"] = "floor";
    node.attributes["rate"] = 0.5f;
    node.attributes["weights"] = graph::make_constant<float>(DataType::Float, {1}, {1});
    node.input_descs.resize(3);
    node.input_descs[0].format = graph::Format::NHWC;
    node.outputs.resize(1);
  }

  float x[4] = {1, 2, 3, 4}, y[4] = {5, 6, 7, 8};
  std::byte scratch[10] = {};
  std::vector<Tensor> inputs = {{DataType::Float, {2, 2}, Layout::Plain, x},
                                {.present = false},
                                {DataType::Float, {4}, Layout::Plain, nullptr}},
                      outputs = {{DataType::Float, {1, 2, 2}, Layout::ChannelsLast, y}};
  graph::Node node;
  const executor::RunInfo run{.task_id = 4, .stream_id = 5, .device_id = 6};
  const Running running{run, node, "simd", inputs, outputs, scratch};
  const Status why{ACL_ERROR_RT_AICORE_EXCEPTION, "broken\nin two"};
};

TEST_F(Failed, BriefHasShapesAndBytesAndNoMore) {
  const Evidence made = gather_evidence(running, why, false);
  EXPECT_EQ(made.header.op_name, "");
  ASSERT_EQ(made.header.inputs.size(), 1u);  // neither the open input nor the one without memory
  EXPECT_EQ(made.header.inputs[0], (TensorEntry{.shape = Dims{2, 2}, .size = 16, .input_type = 2}));
  ASSERT_EQ(made.header.outputs.size(), 1u);
  EXPECT_EQ(made.header.outputs[0], (TensorEntry{.shape = Dims{1, 2, 2}, .size = 16, .arg_index = 1}));
  ASSERT_EQ(made.header.spaces.size(), 1u);
  EXPECT_EQ(made.header.spaces[0], (SpaceEntry{.size = 10, .arg_index = 2}));
  ASSERT_EQ(made.pieces.size(), 3u);
  EXPECT_EQ(made.pieces[0].data, x);
  EXPECT_EQ(made.pieces[2].data, scratch);
  EXPECT_THAT(made.header.dfx_message, Not(HasSubstr("attr")));
  EXPECT_THAT(made.header.dfx_message, HasSubstr("[Dump][Exception] error:broken in two\n"));
}

TEST_F(Failed, NormHasNamesTypesFormatsAndAttributes) {
  const Evidence made = gather_evidence(running, why, true);
  EXPECT_EQ(made.header.op_name, "net/op");
  EXPECT_EQ(made.header.inputs[0],
            (TensorEntry{.data_type = 1, .format = 1, .shape = Dims{2, 2}, .size = 16, .input_type = 2}));
  EXPECT_THAT(made.header.dfx_message,
              HasSubstr("[AIC_INFO] node_name:net/op, node_type:Some, stream_id:5, task_id:4, device_id:6, "
                        "kernel_name:Some_simd, error_code:507015\n"));
  for (const char* line : {"attr axes:[0,-1]\n", "attr keep:true\n", "attr mode:floor\n", "attr rate:0.5\n"})
    EXPECT_THAT(made.header.dfx_message, HasSubstr(line));
  EXPECT_THAT(made.header.dfx_message, Not(HasSubstr("weights")));
  EXPECT_THAT(made.header.dfx_message, HasSubstr("[Dump][Exception] begin to load input tensor, index:0\n"));
  EXPECT_THAT(made.header.dfx_message, HasSubstr("[Dump][Exception] end to load output tensor, index:1\n"));
  EXPECT_THAT(made.header.dfx_message, Not(HasSubstr("maybe invalid")));
}

TEST_F(Failed, TensorsAreInRowMajorOrder) {
  outputs[0].shape = {1, 2, 2, 1};  // channels last: y is c0 c1 of the first place, then of the second
  const Evidence made = gather_evidence(running, why, true);
  const auto* values = static_cast<const float*>(made.pieces[1].data);
  EXPECT_THAT(std::vector<float>(values, values + 4), ElementsAre(5, 7, 6, 8));
}

TEST_F(Failed, MemoryThatIsNotThereIsZeros) {
  enable_traps();
  inputs[0].data = reinterpret_cast<void*>(0x1000);
  const Evidence made = gather_evidence(running, why, false);
  EXPECT_THAT(made.header.dfx_message, HasSubstr("[Dump][Exception] the address maybe invalid: 16 bytes at 0x1000"));
  const auto* bytes = static_cast<const char*>(made.pieces[0].data);
  EXPECT_EQ(std::string(bytes, 16), std::string(16, '\0'));
}

TEST(Word, KeepsWhatToolsLookFor) {
  EXPECT_EQ(word("net/op:0-a.b名"), "net_op_0_a_b___");
  EXPECT_EQ(word("Conv2D_1"), "Conv2D_1");
}

TEST(MillisecondText, HasSeventeenDigits) {
  const std::string text = millisecond_text(1767323046007100);
  EXPECT_EQ(text.size(), 17u);
  EXPECT_TRUE(text.ends_with("007"));
}

}  // namespace
}  // namespace belay::dump
