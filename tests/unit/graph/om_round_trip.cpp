// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "graph/infer/infer.h"
#include "graph/om/om.h"
#include "unit/graph/builder.h"
#include "unit/graph/random_model.h"
#include "unit/graph/same_model.h"

namespace belay::graph {
namespace {

using Image = std::vector<std::byte>;

Result<OmFile> read_image(const Image& image) {
  auto owner = std::make_shared<const Image>(image);
  return read_om(*owner, owner);
}

// The model that comes back, without what only the file has.
Model written_and_read(const Model& model, const OmWriteOptions& options) {
  auto image = write_om(model, options);
  EXPECT_TRUE(image.ok()) << image.status().message;
  auto file = read_image(*image);
  EXPECT_TRUE(file.ok()) << file.status().message;
  if (!file.ok()) return {};
  Model made = *(*file).models.at(0);
  for (const auto name : {"memory_size", "weight_size", "stream_num", "event_num", "label_num", "om_info_list"}) {
    EXPECT_TRUE(made.attributes.contains(name)) << name;
    made.attributes.erase(name);
  }
  return made;
}

class OmRoundTrip : public testing::TestWithParam<OmWriteOptions> {};

TEST_P(OmRoundTrip, RandomModelsComeBackAsTheyWere) {
  for (unsigned seed = 0; seed < 300; ++seed) {
    const Model model = RandomModel(seed).make();
    const Model back = written_and_read(model, GetParam());
    ASSERT_EQ(SameModel::difference(model, back), "") << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(AllForms, OmRoundTrip,
                         testing::Values(OmWriteOptions{true, true}, OmWriteOptions{true, false},
                                         OmWriteOptions{false, true}, OmWriteOptions{false, false}),
                         [](const auto& info) {
                           return std::string(info.param.compress_attributes ? "Coded" : "Plain") +
                                  (info.param.wide_table ? "Wide" : "Tiny");
                         });

Model small_model() {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {1, 3}, 0);
  const Edge w = b.constant("w", DataType::Float, {3}, std::vector<float>{1, 2, 3});
  const Edge w2 = b.constant("same", DataType::Float, {3}, std::vector<float>{1, 2, 3});
  const Edge k = b.constant("k", DataType::Int8, {2}, std::vector<int8_t>{7, 8});
  b.outputs({b.op("Add", "sum", {b.op("Mul", "scaled", {x, w}), w2}), k});
  Model model = b.model();
  EXPECT_EQ(infer_shapes(model).message, "");
  model.attributes["attr_model_out_nodes_name"] = std::vector<std::string>{"sum:0:y", "k"};
  return model;
}

TEST(Om, WeightsOfAMappedFileAreAlignedAndNotCopied) {
  const auto path = std::filesystem::temp_directory_path() / ("weights_" + std::to_string(getpid()) + ".om");
  const Image image = *write_om(small_model());
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(image.data()), std::ssize(image));
  const auto file = read_om(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(file.ok()) << file.status().message;
  const Model& model = *(*file).models[0];
  const std::byte* first = nullptr;
  for (const auto name : {"w", "same", "k"}) {
    const auto* value = get_if<Constant>(model.main().nodes[model.main().find(name)].attributes, "value");
    ASSERT_TRUE(value);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(value->bytes.data()) % 512, 0u) << name;
    if (!first) first = value->bytes.data();
    EXPECT_EQ(value->bytes.data() - first, std::string_view(name) == "k" ? 512 : 0) << "equal constants share a place";
  }
}

TEST(Om, AMissingFileIsAPathErrorThatNamesIt) {
  const auto file = read_om(std::filesystem::path("/nowhere/model.om"));
  EXPECT_EQ(file.status().code, static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_PATH_INVALID));
  EXPECT_THAT(file.status().message, testing::HasSubstr("/nowhere/model.om"));
}

TEST(Om, TheDescriptionIsWrittenAndRead) {
  const auto file = read_image(*write_om(small_model()));
  ASSERT_TRUE(file.ok());
  const ModelInOut& in_out = (*file).in_out.at(0);
  ASSERT_EQ(in_out.inputs.size(), 1u);
  EXPECT_EQ(in_out.inputs[0].name, "x");
  EXPECT_EQ(in_out.inputs[0].size, 12u);
  EXPECT_EQ(in_out.inputs[0].dims, (Shape{1, 3}));
  ASSERT_EQ(in_out.outputs.size(), 2u);
  EXPECT_EQ(in_out.outputs[0].name, "sum:0:y");
  EXPECT_EQ(in_out.outputs[1].name, "k:0") << "a name without a colon gets the output's number";
  EXPECT_EQ(in_out.outputs[1].size, 2u) << "exact, without padding";
  EXPECT_EQ(in_out.outputs[1].type, DataType::Int8);
}

TEST(Om, OutputsWithoutNamesAreCalledAfterTheirProducer) {
  Model model = small_model();
  model.attributes.erase("attr_model_out_nodes_name");
  const ModelInOut in_out = describe(model);
  EXPECT_EQ(in_out.outputs[0].name, "output_0_sum_0");
  EXPECT_EQ(in_out.outputs[1].name, "output_1_k_0");
}

TEST(Om, GearsAreDescribed) {
  Builder b("gears");
  const Edge x = b.data("x", DataType::Float, {8, 3}, 0);
  b.node(x).attributes["_mbatch_origin_input_dims"] = std::vector<int64_t>{-1, 3};
  const Edge shape = b.data("ascend_mbatch_shape_data", DataType::Int32, {1}, 1);
  const Edge chosen = b.op("Case", "ascend_mbatch_shape_case", {shape, x});
  Attributes& attributes = b.node(chosen).attributes;
  attributes["_batch_num"] = 2;
  attributes["_pred_value_0"] = std::vector<int64_t>{4};
  attributes["_pred_value_1"] = std::vector<int64_t>{8};
  attributes["mbatch_dynamic_type"] = 1;
  attributes["user_designate_shape_order"] = std::vector<std::string>{"x"};
  b.outputs({chosen});
  Model model = b.model();
  model.main().nodes.back().attributes["_dynamic_output_dims"] = std::vector<std::string>{"0,0,4,3", "1,0,8,3"};
  const ModelInOut described = describe(model);
  const auto file = read_image(*write_om(model));
  ASSERT_TRUE(file.ok()) << file.status().message;
  for (const ModelInOut& in_out : {described, (*file).in_out.at(0)}) {
    EXPECT_EQ(in_out.inputs[0].dims, (Shape{-1, 3}));
    EXPECT_EQ(in_out.inputs[0].size, 96u);
    EXPECT_EQ(in_out.dynamic_batch, (std::vector<int64_t>{4, 8}));
    EXPECT_EQ(in_out.user_shape_order, std::vector<std::string>{"x"});
    EXPECT_EQ(in_out.dynamic_output_shapes.size(), 2u);
  }
}

TEST(Om, ABundleHoldsItsModelsInOrder) {
  const Model first = small_model();
  Model second = small_model();
  second.name = "other";
  const Model* const models[] = {&first, &second};
  const Image image = *write_bundle(models, 4096);
  const auto file = read_image(image);
  ASSERT_TRUE(file.ok()) << file.status().message;
  EXPECT_TRUE((*file).bundle);
  EXPECT_EQ((*file).variable_bytes, 4096u);
  ASSERT_EQ((*file).models.size(), 2u);
  EXPECT_EQ((*file).models[1]->name, "other");
  EXPECT_EQ((*file).in_out.size(), 2u);
}

TEST(Om, AModelThatIsNotSoundIsNotWritten) {
  Model model = small_model();
  model.main().nodes.back().inputs[0].output = 5;
  const auto image = write_om(model);
  EXPECT_EQ(image.status().code, ACL_ERROR_PARSE_MODEL);
  EXPECT_THAT(image.status().message, testing::HasSubstr("Node_Output"));
}

}  // namespace
}  // namespace belay::graph
