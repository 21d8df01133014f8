// SPDX-License-Identifier: Apache-2.0
// Files as the vendor's atc writes them. We have no such file: they are made with our own writer and the attributes
// that its description names, so these tests cannot find what the description leaves out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "executor/loaded_model.h"
#include "graph/ge_ir/attribute_coding.h"
#include "graph/infer/infer.h"
#include "graph/om/json.h"
#include "graph/om/om.h"
#include "unit/graph/builder.h"

namespace belay::executor {
namespace {

using graph::Builder;
using graph::DataType;
using graph::Edge;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Image = std::vector<std::byte>;
constexpr size_t kHeader = 256, kModelCount = 156, kModelLength = 184;
constexpr const char* kKernel = "te_fused_op_add_leaky_relu_0123456789abcdef_1__kernel0";

// Add, whose kernel also does the LeakyRelu behind it.
graph::Model fused_add(const std::string& mark, const std::vector<std::string>& members) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge sum = b.op("Add", "addrelu", {x, x});
  b.node(sum).attributes[mark] = kKernel;
  if (!members.empty()) b.node(sum).attributes["_datadump_original_op_names"] = members;
  b.outputs({sum});
  graph::Model model = b.model();
  EXPECT_EQ(graph::infer_shapes(model).message, "");
  return model;
}

Status load_image(const Image& image) {
  auto owner = std::make_shared<const Image>(image);
  auto file = graph::read_om(*owner, owner);
  if (!file.ok()) return file.status();
  auto loaded = load((*file).models.at(0), {});
  return loaded.ok() ? Status{} : loaded.status();
}

TEST(VendorFile, ANodeWithAFusedKernelIsRefusedWithItsMembers) {
  for (const std::string mark : {"_kernelname", "addrelu_kernelname"}) {
    const Status status = load_image(*write_om(fused_add(mark, {"add", "relu"})));
    EXPECT_EQ(status.code, static_cast<aclError>(ACL_ERROR_GE_FAILURE)) << mark;
    EXPECT_THAT(status.message,
                AllOf(HasSubstr("Add addrelu cannot run: it was fused of add, relu"), HasSubstr(kKernel),
                      HasSubstr("convert the source model again"), Not(HasSubstr("models"))));
  }
  EXPECT_THAT(load_image(*write_om(fused_add("_kernelname", {}))).message, HasSubstr("several operators (kernel te_"));
}

TEST(VendorFile, ANodeWithAKernelOfItsOwnRuns) {
  graph::Model model = fused_add("_kernelname", {});
  model.main().nodes[1].attributes["_kernelname"] = "te_add_0123456789abcdef_1__kernel0";
  EXPECT_EQ(load_image(*write_om(model)).message, "");
}

// A dynamic-shape model whose part "part" was compiled by itself: one header, two tables and bodies.
Image two_models(const graph::Model& root, const graph::Model& part) {
  Image image = *write_om(root);
  const Image second = *write_om(part);
  image.insert(image.end(), second.begin() + kHeader, second.end());
  const uint32_t count = 2;
  const uint64_t length = image.size() - kHeader;
  std::memcpy(image.data() + kModelCount, &count, sizeof(count));
  std::memcpy(image.data() + kModelLength, &length, sizeof(length));
  return image;
}

graph::Model calling_part() {
  Builder b("root"), inner("part");
  const Edge x = b.data("x", DataType::Float, {2}, 0);
  const Edge call = b.op("PartitionedCall", "call", {x});
  b.node(call).subgraphs = {"part"};
  b.outputs({call});
  inner.outputs({inner.op("Relu", "relu", {inner.parameter("p", 0)})});
  graph::Model model = b.model();
  model.graphs.push_back(inner.take());
  EXPECT_EQ(graph::infer_shapes(model).message, "");
  return model;
}

TEST(VendorFile, OneOfSeveralModelsSaysSo) {
  graph::Model part = fused_add("_kernelname", {"add", "relu"});
  part.name = part.main().name = "part";
  const Status status = load_image(two_models(calling_part(), part));
  EXPECT_EQ(status.code, static_cast<aclError>(ACL_ERROR_GE_FAILURE));
  EXPECT_THAT(status.message, AllOf(HasSubstr("Add addrelu of graph part cannot run: it was fused of add, relu"),
                                    HasSubstr("The file holds 2 models")));
}

// Coding that was done over already coded names leaves a dictionary of coded names.
TEST(VendorFile, NamesThatAreCodedTwiceAreCalledThat) {
  graph::Model model = fused_add("_plain", {});
  model.main().nodes[1].attributes[graph::coded_name(3)] = int64_t{1};
  const Image image = *write_om(model);
  const Status status = load_image(image);
  EXPECT_EQ(status.code, static_cast<aclError>(ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED));
  EXPECT_THAT(status.message, AllOf(HasSubstr("coded twice"), HasSubstr("--enable_attr_compression=false")));
  const auto shown = graph::om_to_json(image);
  ASSERT_FALSE(shown.ok());
  EXPECT_THAT(shown.status().message, HasSubstr("coded twice"));
}

TEST(VendorFile, AnEmptyListOfListsIsShownAsNull) {
  graph::Model model = fused_add("_plain", {});
  model.main().nodes[1].attributes["lists"] = std::vector<std::vector<int64_t>>{};
  model.main().nodes[1].attributes["more"] = std::vector<std::vector<int64_t>>{{1, 2}};
  const auto shown = graph::om_to_json(*write_om(model));
  ASSERT_TRUE(shown.ok()) << shown.status().message;
  EXPECT_THAT(*shown, AllOf(HasSubstr("\"key\": \"lists\",\n              \"value\": null"),
                            HasSubstr("\"list_list_int\": {\n"), Not(HasSubstr("\"list_list_int\": null"))));
}

}  // namespace
}  // namespace belay::executor
