// SPDX-License-Identifier: Apache-2.0
// Files that are cut off, corrupted or made to hurt. The oracle is the container's description: a wrong size is 145006,
// a wrong graph 545002, a wrong weight 545003; whatever it is, the message says where.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "graph/ge_ir/attribute_coding.h"
#include "graph/infer/infer.h"
#include "graph/om/container.h"
#include "graph/om/json.h"
#include "graph/om/om.h"
#include "unit/graph/builder.h"

namespace belay::graph {
namespace {

using Image = std::vector<std::byte>;
using testing::AnyOf;
using testing::HasSubstr;

constexpr size_t kLength = 76, kModelCount = 156, kModelLength = 184, kTable = 256;

Result<OmFile> read_image(const Image& image) {
  auto owner = std::make_shared<const Image>(image);  // of its own, so that reading past its end is noticed
  return read_om(*owner, owner);
}

template <class T>
void put(Image& image, size_t at, T value) {
  std::memcpy(image.data() + at, &value, sizeof(T));
}
template <class T>
T get(const Image& image, size_t at) {
  T value;
  std::memcpy(&value, image.data() + at, sizeof(T));
  return value;
}

Model model_with_weights() {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {1, 3}, 0);
  const Edge w = b.constant("w", DataType::Float, {3}, std::vector<float>{1, 2, 3});
  b.outputs({b.op("Add", "sum", {b.op("Mul", "scaled", {x, w}), w})});
  Model model = b.model();
  EXPECT_EQ(infer_shapes(model).message, "");
  return model;
}

// Cut to `size`, with the length in the header made to fit again, so that the reader goes on.
Image cut(const Image& image, size_t size, bool wide) {
  Image short_one(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size));
  if (size >= kTable) {
    if (wide)
      put(short_one, kModelLength, uint64_t{size - kTable});
    else
      put(short_one, kLength, static_cast<uint32_t>(size - kTable));
  }
  return short_one;
}

class HostileOm : public testing::TestWithParam<bool> {
 protected:
  const bool wide = GetParam();
  const Image image = *write_om(model_with_weights(), {.wide_table = wide});
};

INSTANTIATE_TEST_SUITE_P(Tables, HostileOm, testing::Bool(),
                         [](const auto& info) { return info.param ? "Wide" : "Tiny"; });

TEST_P(HostileOm, AFileCutAnywhereIsNotAWholeFile) {
  for (size_t size = 0; size < image.size(); ++size) {
    const auto file = read_image(Image(image.begin(), image.begin() + static_cast<std::ptrdiff_t>(size)));
    ASSERT_FALSE(file.ok()) << size;
    EXPECT_EQ(file.status().code, ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID) << size;
    EXPECT_THAT(file.status().message, HasSubstr("Invalid om file"));
  }
}

TEST_P(HostileOm, AFileCutAnywhereIsRefusedAlsoWhenItsHeaderLies) {
  for (size_t size = kTable; size < image.size(); ++size) {
    const auto file = read_image(cut(image, size, wide));
    ASSERT_FALSE(file.ok()) << size;
    EXPECT_EQ(file.status().code, ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID) << size;
    if (size % 16 == 0) {
      EXPECT_FALSE(om_to_json(cut(image, size, wide)).ok()) << size;
    }
  }
}

TEST_P(HostileOm, APartitionThatIsShorterThanItsContentIsRefusedByItsName) {
  const auto container = read_container(image);
  ASSERT_TRUE(container.ok());
  const size_t count = (*container).groups[0].size(), entry = wide ? 24 : 12, first = kTable + (wide ? 8 : 4);
  for (size_t i = 0; i < count; ++i) {
    const auto& partition = (*container).groups[0][i];
    for (const size_t removed : {size_t{1}, partition.bytes.size() / 2, partition.bytes.size()}) {
      Image changed = image;
      const auto begin = changed.begin() + (partition.bytes.data() - image.data());
      changed.erase(begin, begin + static_cast<std::ptrdiff_t>(removed));
      changed = cut(changed, changed.size(), wide);
      const size_t at = first + i * entry + (wide ? 16 : 8);
      if (wide)
        put(changed, at, uint64_t{partition.bytes.size() - removed});
      else
        put(changed, at, static_cast<uint32_t>(partition.bytes.size() - removed));
      const auto file = read_image(changed);
      if (file.ok()) {  // nobody needs the tasks, and a description can be made from the graph
        EXPECT_THAT(partition.type,
                    AnyOf(PartitionType::TaskInfo, PartitionType::ModelInOutInfo, PartitionType::WeightsData));
        EXPECT_TRUE(removed == partition.bytes.size() || partition.type != PartitionType::ModelDef);
        continue;
      }
      EXPECT_THAT(file.status().code,
                  AnyOf(ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED, ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED,
                        ACL_ERROR_GE_EXEC_LOAD_TASK_PARTITION_FAILED))
          << name_of(partition.type) << " less " << removed << ": " << file.status().message;
    }
  }
}

TEST_P(HostileOm, SizesThatOverflowAreRefused) {
  const size_t first = kTable + (wide ? 8 : 4);
  for (const uint64_t size : {UINT64_MAX, UINT64_MAX - 23, uint64_t{1} << 63, uint64_t{UINT32_MAX}}) {
    Image changed = image;
    if (wide)
      put(changed, first + 16, size);
    else
      put(changed, first + 8, static_cast<uint32_t>(size | size >> 32));
    EXPECT_EQ(read_image(changed).status().code, ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID);
  }
  for (const uint32_t count : {0u, 9u, 1u << 20, UINT32_MAX}) {
    Image changed = image;
    put(changed, kTable, count);
    EXPECT_EQ(read_image(changed).status().code, ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID) << count;
  }
  Image models = image;
  put(models, kModelCount, UINT32_MAX);
  EXPECT_EQ(read_image(models).status().code, ACL_ERROR_GE_EXEC_MODEL_DATA_SIZE_INVALID);
}

TEST_P(HostileOm, AFlippedByteIsReadOrRefusedButNeverMore) {
  std::mt19937 random(5);
  for (int i = 0; i < 1500; ++i) {
    Image changed = image;
    for (int flips = 1 + static_cast<int>(random() % 3); flips > 0; --flips)
      changed[random() % changed.size()] = static_cast<std::byte>(random());
    const auto file = read_image(changed);
    if (!file.ok()) {
      EXPECT_NE(file.status().message, "");
    }
    (void)om_to_json(changed);
    (void)om_summary(changed);
  }
}

TEST(HostileGraph, ADescriptionThatContradictsTheGraphIsRefused) {
  const Image image = *write_om(model_with_weights());
  const auto container = read_container(image);
  const auto in_out = find_partition((*container).groups[0], PartitionType::ModelInOutInfo);
  Image changed = image;
  put(changed, static_cast<size_t>(in_out.data() - image.data()) + 12, uint64_t{4});  // of 12 bytes
  const auto file = read_image(changed);
  EXPECT_EQ(file.status().code, ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED);
  EXPECT_THAT(file.status().message, HasSubstr("gives x of the inputs 4 bytes, the graph 12"));
}

// A name that begins with a zero is a number in the dictionary of names; found by the fuzz target.
TEST(HostileGraph, ACodedNameWithoutADictionaryIsRefused) {
  Attributes attributes;
  attributes.emplace(std::string("\0\1", 2), int64_t{1});
  const Status status = AttributeDecoder().decode(attributes);
  EXPECT_EQ(status.code, ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED);
  EXPECT_THAT(status.message, HasSubstr("no dictionary"));
}

TEST(HostileGraph, AGraphThatContainsItselfIsRefused) {
  for (const bool direct : {true, false}) {
    Builder outer("outer"), inner("inner");
    const Edge x = outer.data("x", DataType::Float, {2}, 0);
    const Edge call = outer.op("PartitionedCall", "call", {x});
    outer.node(call).subgraphs = {direct ? "outer" : "inner"};
    outer.outputs({call});
    const Edge y = inner.parameter("y", 0);
    const Edge back = inner.op("PartitionedCall", "back", {y});
    inner.node(back).subgraphs = {"outer"};
    inner.outputs({back});
    Model model = outer.model();
    model.graphs.push_back(inner.take());
    EXPECT_EQ(write_om(model).status().code, ACL_ERROR_PARSE_MODEL);
  }
}

TEST(HostileGraph, AShapeWhoseSizeOverflowsAsksForMoreThanThereIs) {
  EXPECT_EQ(bytes_of(DataType::Double, element_count({int64_t{1} << 40, int64_t{1} << 40})), SIZE_MAX);
  EXPECT_EQ(bytes_of(DataType::Double, INT64_MAX), SIZE_MAX);
  Model model = model_with_weights();
  auto& value = std::get<Constant>(model.main().nodes[1].attributes["value"].value);
  value.shape = {int64_t{1} << 40, int64_t{1} << 40};
  const auto image = write_om(model);
  if (!image.ok()) return;
  const auto file = read_image(*image);
  EXPECT_EQ(file.status().code, ACL_ERROR_GE_EXEC_LOAD_WEIGHT_PARTITION_FAILED) << file.status().message;
}

// Programs would allocate 2^64 - 1 bytes, or few.
TEST(OmHostile, AnInputBeyondAllMemoryIsRefusedByNameAndShape) {
  Builder b("net");
  const Edge x = b.data("x", DataType::Float, {int64_t{1} << 31, int64_t{1} << 31}, 0);
  b.outputs({b.op("Relu", "relu", {x})});
  auto image = write_om(b.model(), {});
  ASSERT_TRUE(image.ok()) << image.status().message;
  const auto owner = std::make_shared<const std::vector<std::byte>>(*image);
  const auto file = read_om(*owner, owner);
  EXPECT_EQ(file.status().code, static_cast<aclError>(ACL_ERROR_GE_EXEC_LOAD_MODEL_PARTITION_FAILED));
  EXPECT_THAT(file.status().message,
              testing::HasSubstr("input x, [2147483648,2147483648] of DT_FLOAT, is larger than any memory"));
}

}  // namespace
}  // namespace belay::graph
