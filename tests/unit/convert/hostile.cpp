// SPDX-License-Identifier: Apache-2.0
// Nodes that no exporter writes: each is refused by name, not crashed on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "unit/convert/converted.h"

namespace belay::convert {
namespace {

using test::OnnxAttribute;
using test::OnnxWriter;
using testing::HasSubstr;

constexpr int64_t huge = int64_t{1} << 40;

std::string refusal_of(const OnnxWriter& writer) {
  const auto converted = convert_text(writer.model());
  return converted.ok() ? "was converted" : converted.status().message;
}

OnnxWriter one_node(int64_t opset, const std::vector<int64_t>& shape, const std::string& type,
                    const std::vector<OnnxAttribute>& attributes) {
  return OnnxWriter().opset(opset).input("x", shape).node("odd", type, {"x"}, {"y"}, attributes).output("y");
}

TEST(HostileOnnx, AnAxisOutsideItsTensorIsRefused) {
  const std::vector<std::tuple<int64_t, std::string, std::vector<OnnxAttribute>>> nodes = {
      {13, "ArgMax", {{"axis", 100}, {"select_last_index", 1}}},
      {11, "Softmax", {{"axis", -huge}}},
      {18, "Split", {{"axis", huge}, {"num_outputs", 1}}},
  };
  for (const auto& [opset, type, attributes] : nodes)
    EXPECT_THAT(refusal_of(one_node(opset, {2, 3}, type, attributes)), HasSubstr("odd: " + type)) << type;
}

TEST(HostileOnnx, ConstantsOfAbsurdSizeAreNotMade) {
  EXPECT_THAT(refusal_of(one_node(13, {huge, huge}, "EyeLike", {})), HasSubstr("input x, ["));
  EXPECT_THAT(refusal_of(one_node(13, {1 << 22, 1 << 22}, "EyeLike", {})), HasSubstr("would be needed"));
  EXPECT_THAT(refusal_of(one_node(13, {4, 4}, "EyeLike", {{"k", huge}})), HasSubstr("outside its input"));
  EXPECT_THAT(refusal_of(one_node(17, {1, huge, 1}, "DFT", {})), HasSubstr("would be needed"));
}

TEST(HostileOnnx, AScaleAlongAnAxisThatDoesNotExistIsRefused) {
  const auto writer = OnnxWriter()
                          .opset(13)
                          .input("x", {2, 3}, test::kInt8)
                          .floats("scale", {3}, {1, 2, 3})
                          .node("odd", "DequantizeLinear", {"x", "scale"}, {"y"}, {{"axis", 1000000}})
                          .output("y");
  EXPECT_THAT(refusal_of(writer), HasSubstr("axis 1000000 is not one of a tensor of rank 2"));
}

TEST(HostileOnnx, AWindowOfAbsurdSizesIsRefused) {
  const std::vector<std::tuple<std::vector<OnnxAttribute>, std::string>> windows = {
      {{{"output_shape", std::vector<int64_t>{10}}}, "output_shape must have 2 numbers"},
      {{{"output_shape", std::vector<int64_t>{-huge, 8}}}, "must be sizes"},
      {{{"output_padding", std::vector<int64_t>{huge, 1}}}, "must be sizes"},
      {{{"strides", std::vector<int64_t>{huge, 1}}}, "must be positive and at most 16777216"},
      {{{"dilations", std::vector<int64_t>{1, 0}}}, "must be positive and at most 16777216"},
      {{{"pads", std::vector<int64_t>{0, 0, -huge, 0}}}, "pads must be at most 16777216"},
  };
  for (const auto& [attributes, reason] : windows) {
    const auto writer = OnnxWriter()
                            .opset(13)
                            .input("x", {1, 1, 3, 3})
                            .floats("w", {1, 1, 1, 1}, {1})
                            .node("odd", "ConvTranspose", {"x", "w"}, {"y"}, attributes)
                            .output("y");
    EXPECT_THAT(refusal_of(writer), HasSubstr(reason));
  }
}

TEST(HostileOnnx, ARangeWithoutAnEndIsRefused) {
  for (const float limit : {std::nanf(""), HUGE_VALF}) {
    const auto writer = OnnxWriter()
                            .opset(13)
                            .input("x", {1})
                            .floats("start", {}, {0})
                            .floats("limit", {}, {limit})
                            .floats("delta", {}, {1})
                            .node("odd", "Range", {"start", "limit", "delta"}, {"r"})
                            .node("sum", "Add", {"x", "r"}, {"y"})
                            .output("y");
    EXPECT_THAT(refusal_of(writer), HasSubstr("odd: Range")) << limit;
  }
}

TEST(HostileOnnx, ASeedThatIsNoNumberIsASeed) {
  for (const float seed : {std::nanf(""), HUGE_VALF, -3e38f}) {
    const auto graph = converted_graph(one_node(15, {10}, "Bernoulli", {{"seed", seed}}));
    EXPECT_FALSE(graph.nodes.empty()) << seed;
  }
}

TEST(HostileOnnx, ANodeWithoutInputsIsRefused) {
  for (const auto* type : {"LSTM", "Conv", "Einsum", "MaxPool", "LayerNormalization", "Resize", "TopK", "Attention",
                           "Sum", "Mean", "Max", "Concat"}) {
    const auto writer = OnnxWriter()
                            .opset(23)
                            .input("x", {1})
                            .node("odd", type, {}, {"y"}, {{"layout", 1}, {"hidden_size", 1}})
                            .output("y");
    EXPECT_THAT(refusal_of(writer), HasSubstr("odd")) << type;
  }
}

}  // namespace
}  // namespace belay::convert
