// SPDX-License-Identifier: Apache-2.0
// Elements as they lie in memory, read in the order of the logical shape. By hand: what is small enough to see.
#include "compare/sides/stored_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "compare/opened_pair.h"

namespace belay::compare {
namespace {

using graph::DataType;
using graph::Format;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::byte> bytes(std::vector<int> values) {
  std::vector<std::byte> out;
  for (const int value : values) out.push_back(static_cast<std::byte>(value));
  return out;
}

std::vector<int> ints(const ElementSource& source, int64_t first, int64_t count) {
  std::vector<std::byte> storage;
  const auto read = source.read(first, count, storage);
  EXPECT_TRUE(read.ok()) << read.status().message;
  std::vector<int> values;
  if (read.ok())
    for (const std::byte byte : *read) values.push_back(static_cast<int8_t>(byte));
  return values;
}
std::vector<int> ints(const ElementSource& source) { return ints(source, 0, source.count()); }

StoredTensor tensor(DataType type, graph::TensorForm form, const std::vector<std::byte>& data) {
  StoredTensor stored{.type = type, .form = form, .logical = form, .bytes = data};
  return stored;
}

Source made(StoredTensor stored) {
  auto source = make_stored_source(std::move(stored));
  EXPECT_TRUE(source.ok()) << source.status().message;
  return source.ok() ? std::move(source).value() : nullptr;
}

SideTensor opening(Source source) {
  return {.op = "op", .open = [source] { return Result<Source>(source); }};
}

TEST(StoredSource, HalvesOfBytesComeOneToAByteWithTheirSign) {
  const auto data = bytes({0x21, 0xf8, 0x07});  // 1 2 -8 -1 7
  const Source source = made(tensor(DataType::Int4, {Format::ND, {5}}, data));
  EXPECT_THAT(ints(*source), ElementsAre(1, 2, -8, -1, 7));
  EXPECT_THAT(ints(*source, 1, 3), ElementsAre(2, -8, -1));
}

TEST(StoredSource, BitsBeginAtTheHighestOfAByte) {
  const auto data = bytes({0xa0, 0x80});
  EXPECT_THAT(ints(*made(tensor(DataType::UInt1, {Format::ND, {9}}, data))), ElementsAre(1, 0, 1, 0, 0, 0, 0, 0, 1));
}

TEST(StoredSource, SixBitsLieAcrossBytes) {
  const auto data = bytes({0x41, 0x20, 0x0c});  // 000001 000001 000010 000011, the lowest first
  EXPECT_THAT(ints(*made(tensor(DataType::Float6E3M2, {Format::ND, {4}}, data))), ElementsAre(1, 1, 2, 3));
}

TEST(StoredSource, ColumnsAreReadAsRows) {
  const auto data = bytes({1, 4, 2, 5, 3, 6});
  StoredTensor stored = tensor(DataType::Int8, {Format::ND, {2, 3}}, data);
  stored.columns = true;
  const Source source = made(stored);
  EXPECT_THAT(ints(*source), ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(ints(*source, 2, 3), ElementsAre(3, 4, 5));
}

TEST(StoredSource, HalvesOfBytesInAPrivateFormat) {
  // NC1HWC0 [1,1,1,2,4] of NCHW [1,3,1,2]: w0 (c0 c1 c2 pad) w1 (c0 c1 c2 pad)
  const auto data = bytes({0x21, 0x03, 0x54, 0x06});
  StoredTensor stored = tensor(DataType::Int4, {Format::NC1HWC0, {1, 1, 1, 2, 4}}, data);
  stored.logical = {Format::NCHW, {1, 3, 1, 2}};
  EXPECT_THAT(ints(*made(stored)), ElementsAre(1, 4, 2, 5, 3, 6));
}

TEST(StoredSource, RefusesTooFewBytesAndShapesThatDoNotBelongTogether) {
  const auto data = bytes({1, 2, 3});
  const auto few = make_stored_source(tensor(DataType::Float, {Format::ND, {1}}, data));
  EXPECT_EQ(few.status().code, ACL_ERROR_PARSE_FILE);
  EXPECT_THAT(few.status().message, HasSubstr("3 bytes are not enough for DT_FLOAT of shape [1]"));
  StoredTensor stored = tensor(DataType::Int8, {Format::NC1HWC0, {1, 1, 1, 1, 3}}, data);
  stored.logical = {Format::NCHW, {1, 2, 2, 1}};
  EXPECT_THAT(make_stored_source(stored).status().message, HasSubstr("does not hold a tensor"));
  EXPECT_EQ(make_stored_source(tensor(DataType::String, {Format::ND, {1}}, data)).status().code,
            ACL_ERROR_UNSUPPORTED_DATA_TYPE);
}

TEST(OpenedPair, ReadsOursInTheOrderOfTheTruth) {
  const auto nhwc = bytes({1, 4, 2, 5, 3, 6}), nchw = bytes({1, 2, 3, 4, 5, 6});  // C = 2, W = 3
  const Source ours = made(tensor(DataType::Int8, {Format::NHWC, {1, 1, 3, 2}}, nhwc));
  for (const Format told : {Format::NCHW, Format::ND}) {
    const Source truth = made(tensor(DataType::Int8, {told, {1, 2, 1, 3}}, nchw));
    const auto pair = open_pair(opening(ours), opening(truth));
    ASSERT_TRUE(pair.ok()) << pair.status().message;
    EXPECT_THAT(ints(*(*pair).ours), ElementsAre(1, 2, 3, 4, 5, 6));
    const auto other = open_pair(opening(truth), opening(ours));
    ASSERT_TRUE(other.ok()) << other.status().message;
    EXPECT_EQ(ints(*(*other).ours), ints(*(*other).truth));
  }
}

TEST(OpenedPair, LeavesAloneWhatHasOneShapeAlready) {
  const auto data = bytes({1, 2, 3, 4, 5, 6});
  const Source ours = made(tensor(DataType::Int8, {Format::NHWC, {1, 1, 3, 2}}, data));
  const Source truth = made(tensor(DataType::Int8, {Format::NCHW, {1, 1, 3, 2}}, data));
  const auto pair = open_pair(opening(ours), opening(truth));
  ASSERT_TRUE(pair.ok());
  EXPECT_THAT(ints(*(*pair).ours), ElementsAre(1, 2, 3, 4, 5, 6));
}

TEST(OpenedPair, APrivateFormatWithoutAnOriginalShapeTakesTheOthers) {
  const auto stored = bytes({1, 3, 0, 2, 4, 0}), plain = bytes({1, 2, 3, 4});
  const Source ours = made(tensor(DataType::Int8, {Format::NC1HWC0, {1, 1, 1, 2, 3}}, stored));
  const Source truth = made(tensor(DataType::Int8, {Format::ND, {1, 2, 1, 2}}, plain));
  const auto pair = open_pair(opening(ours), opening(truth));
  ASSERT_TRUE(pair.ok()) << pair.status().message;
  EXPECT_THAT(ints(*(*pair).ours), ElementsAre(1, 2, 3, 4));
}

}  // namespace
}  // namespace belay::compare
