// SPDX-License-Identifier: Apache-2.0
#include "convert/onnx/reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/onnx_writer.h"
#include "support/temporary_directory.h"

namespace belay::convert::onnx {
namespace {

using graph::DataType;
using graph::Shape;
using testing::ElementsAre;
using testing::HasSubstr;

Result<Model> read(const std::string& bytes, const std::string& directory = ".") {
  const test::OnnxImage image(bytes);
  return read_model(image.bytes(), image.owner, directory);
}

template <class T>
std::vector<T> elements(const graph::Constant& constant) {
  std::vector<T> values(constant.bytes.size() / sizeof(T));
  std::memcpy(values.data(), constant.bytes.data(), constant.bytes.size());
  return values;
}

TEST(OnnxReader, ReadsNodesTypesAndOpsets) {
  const auto model = read(test::OnnxWriter()
                              .opset(13)
                              .opset(1, "com.microsoft")
                              .input("x", {2, -1}, test::kFloat16)
                              .node("n", "Elu", {"x", ""}, {"y"}, {{"alpha", 0.5f}, {"perm", {{1, 0}}}, {"mode", "a"}})
                              .output("y", {2, 3})
                              .model());
  ASSERT_TRUE(model.ok()) << model.status().message;
  EXPECT_EQ((*model).opsets.at(""), 13);
  EXPECT_EQ((*model).opsets.at("com.microsoft"), 1);
  const Graph& graph = (*model).graph;
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(graph.inputs[0].type, DataType::Float16);
  EXPECT_EQ(graph.inputs[0].shape, (Shape{2, -1}));
  EXPECT_THAT(graph.inputs[0].symbols, ElementsAre("", "N"));
  ASSERT_EQ(graph.nodes.size(), 1u);
  const Node& node = graph.nodes[0];
  EXPECT_EQ(node.type, "Elu");
  EXPECT_THAT(node.inputs, ElementsAre("x", ""));
  EXPECT_EQ(node.find("alpha")->f, 0.5f);
  EXPECT_THAT(node.find("perm")->ints, ElementsAre(1, 0));
  EXPECT_EQ(node.find("mode")->s, "a");
  EXPECT_EQ(node.find("beta"), nullptr);
}

// A float in the middle of another name's length: four lengths of the name put it at every place.
TEST(OnnxReader, BorrowsRawWeightsFromTheImageWhereTheyAreAligned) {
  int borrowed = 0;
  for (const char* name : {"w", "ww", "www", "wwww"}) {
    const test::OnnxImage image(test::OnnxWriter().floats(name, {2}, {1.5f, -2}).model());
    const auto model = read_model(image.bytes(), image.owner, ".");
    ASSERT_TRUE(model.ok());
    const auto& value = (*model).graph.initializers.at(0).value;
    EXPECT_THAT(elements<float>(value), ElementsAre(1.5f, -2));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(value.bytes.data()) % alignof(float), 0u);
    const auto whole = image.bytes();
    borrowed += value.bytes.data() >= whole.data() && value.bytes.data() < whole.data() + whole.size();
  }
  EXPECT_EQ(borrowed, 1);
}

// float16 1.0 and -2.0 are 0x3c00 and 0xc000.
TEST(OnnxReader, ReadsTypedFieldsInTheWidthOfTheirType) {
  std::string half;
  protozero::pbf_writer w(half);
  const int32_t bits[] = {0x3c00, 0xc000};
  const int64_t dims[] = {2};
  w.add_packed_int32(5, std::begin(bits), std::end(bits));
  w.add_packed_int64(1, std::begin(dims), std::end(dims));
  w.add_string(8, "h");
  w.add_int32(2, test::kFloat16);  // after the data
  const auto model = read(test::OnnxWriter().raw(5, half).model());
  ASSERT_TRUE(model.ok()) << model.status().message;
  EXPECT_THAT(elements<uint16_t>((*model).graph.initializers[0].value), ElementsAre(0x3c00, 0xc000));
}

std::string external_tensor(const std::string& location, int64_t offset) {
  std::string bytes, place, where;
  protozero::pbf_writer w(bytes);
  const int64_t dims[] = {2};
  w.add_packed_int64(1, std::begin(dims), std::end(dims));
  w.add_int32(2, test::kInt32);
  w.add_string(8, "w");
  protozero::pbf_writer(place).add_string(1, "location");
  protozero::pbf_writer(place).add_string(2, location);
  protozero::pbf_writer(where).add_string(1, "offset");
  protozero::pbf_writer(where).add_string(2, std::to_string(offset));
  w.add_message(13, place);
  w.add_message(13, where);
  w.add_enum(14, 1);
  return bytes;
}

TEST(OnnxReader, MapsExternalDataAtItsOffset) {
  const test::TemporaryDirectory directory;
  const int32_t values[] = {7, 8, 9};
  directory.write("w.bin", {reinterpret_cast<const char*>(values), sizeof(values)});
  const auto model = read(test::OnnxWriter().raw(5, external_tensor("w.bin", 4)).model(), directory.path());
  ASSERT_TRUE(model.ok()) << model.status().message;
  EXPECT_THAT(elements<int32_t>((*model).graph.initializers[0].value), ElementsAre(8, 9));
}

TEST(OnnxReader, RefusesExternalDataThatIsMissingShortOrOutside) {
  const test::TemporaryDirectory directory;
  directory.write("w.bin", "12345678");
  const std::pair<std::string, const char*> cases[] = {
      {external_tensor("none.bin", 0), "No such file"},
      {external_tensor("w.bin", 4), "needs 8 bytes at offset 4 of w.bin, which has 8"},
      {external_tensor("../w.bin", 0), "must lie in the model's directory"},
      {external_tensor("/w.bin", 0), "must lie in the model's directory"},
  };
  for (const auto& [tensor, reason] : cases) {
    const auto model = read(test::OnnxWriter().raw(5, tensor).model(), directory.path());
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.status().code, ACL_ERROR_PARSE_MODEL);
    EXPECT_THAT(model.status().message, HasSubstr(reason));
    EXPECT_THAT(model.status().message, HasSubstr("tensor w"));
  }
}

TEST(OnnxReader, RefusesATensorWhoseBytesContradictItsShape) {
  const auto model = read(test::OnnxWriter().floats("w", {3}, {1, 2}).model());
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message, HasSubstr("tensor w: has 8 bytes, its shape [3] of DT_FLOAT needs 12"));
}

TEST(OnnxReader, RefusesWhatIsNoModel) {
  for (const std::string bytes : {"", "hello", "\x3a\xff\xff\xff\xff\x0f"}) {
    const auto model = read(bytes);
    ASSERT_FALSE(model.ok()) << bytes;
    EXPECT_EQ(model.status().code, ACL_ERROR_PARSE_MODEL);
  }
}

TEST(OnnxReader, StopsAtGraphsNestedWithoutEnd) {
  std::string graph;
  for (int i = 0; i < 100; ++i) {
    std::string node;
    protozero::pbf_writer(node).add_message(5, test::OnnxAttribute::message("body", 5, graph).bytes);
    std::string outer;
    protozero::pbf_writer(outer).add_message(1, node);
    graph = outer;
  }
  std::string bytes;
  protozero::pbf_writer(bytes).add_message(7, graph);
  const auto model = read(bytes);
  ASSERT_FALSE(model.ok());
  EXPECT_THAT(model.status().message, HasSubstr("nested deeper than"));
}

}  // namespace
}  // namespace belay::convert::onnx
