// SPDX-License-Identifier: Apache-2.0
// Dump trees as sides. The oracle is the file of docs/dump.md, byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "compare/opened_pair.h"
#include "compare/side.h"
#include "support/temporary_directory.h"

namespace belay::compare {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

// Conv2D conv1conv1_relu with one output [1,1,2,2] = 2 4 6 8, whose origin is conv1_relu.
constexpr unsigned char kConvolution[] = {
    0x47, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0a, 0x03, 0x32, 0x2e, 0x30, 0x10, 0xe4, 0xeb, 0xf0, 0xb2, 0xef,
    0xeb, 0x91, 0x03, 0x1a, 0x26, 0x08, 0x01, 0x1a, 0x06, 0x0a, 0x04, 0x01, 0x01, 0x02, 0x02, 0x22, 0x0c, 0x0a, 0x0a,
    0x63, 0x6f, 0x6e, 0x76, 0x31, 0x5f, 0x72, 0x65, 0x6c, 0x75, 0x30, 0x10, 0x3a, 0x06, 0x0a, 0x04, 0x01, 0x01, 0x02,
    0x02, 0x48, 0x80, 0x88, 0x04, 0x32, 0x0f, 0x63, 0x6f, 0x6e, 0x76, 0x31, 0x63, 0x6f, 0x6e, 0x76, 0x31, 0x5f, 0x72,
    0x65, 0x6c, 0x75, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0xc0, 0x40, 0x00, 0x00, 0x00, 0x41};

void write(const fs::path& path, size_t bytes = sizeof kConvolution) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(kConvolution), static_cast<std::streamsize>(bytes));
}

std::vector<float> floats(const ElementSource& source, int64_t first, int64_t count) {
  std::vector<std::byte> storage;
  const auto read = source.read(first, count, storage);
  if (!read.ok()) return {};
  std::vector<float> values((*read).size() / sizeof(float));
  std::memcpy(values.data(), (*read).data(), (*read).size());
  return values;
}

TEST(DumpSide, ShowsTheTensorsOfATree) {
  const test::TemporaryDirectory folder;
  write(folder.path("20260102030405/0/tiny/1/0/Conv2D.conv1conv1_relu.3.2.1767323046000100"));
  const auto side = open_side(folder.path());
  ASSERT_TRUE(side.ok()) << side.status().message;
  ASSERT_EQ((*side).tensors.size(), 1u);
  const SideTensor& tensor = (*side).tensors[0];
  EXPECT_EQ(tensor.op, "conv1conv1_relu");
  EXPECT_EQ(tensor.op_type, "Conv2D");
  EXPECT_FALSE(tensor.input);
  EXPECT_EQ(tensor.origin, "conv1_relu");
  EXPECT_EQ(tensor.place, "20260102030405/0/tiny/1/0");
  EXPECT_EQ(tensor.time, 1767323046000100u);
  EXPECT_EQ(tensor.task, 3u);
  const auto source = tensor.open();
  ASSERT_TRUE(source.ok()) << source.status().message;
  EXPECT_THAT((*source)->shape(), ElementsAre(1, 1, 2, 2));
  EXPECT_EQ((*source)->format(), graph::Format::NCHW);
  EXPECT_THAT(floats(**source, 0, 4), ElementsAre(2, 4, 6, 8));
  EXPECT_THAT(floats(**source, 1, 2), ElementsAre(4, 6));
  std::vector<std::byte> storage;
  EXPECT_EQ((*source)->read(3, 2, storage).status().code, ACL_ERROR_INVALID_PARAM);
}

TEST(DumpSide, ReportsFilesThatAreNotWholeAndGoesOn) {
  const test::TemporaryDirectory folder;
  write(folder.path("Conv2D.whole.0.2.1767323046000100"));
  write(folder.path("Conv2D.short.1.2.1767323046000101"), 90);
  const auto side = open_side(folder.path());
  ASSERT_TRUE(side.ok());
  EXPECT_EQ((*side).tensors.size(), 1u);
  EXPECT_THAT((*side).problems, ElementsAre(HasSubstr("Conv2D.short.1.2.1767323046000101")));
}

TEST(DumpSide, RefusesWhatIsMissingOrEmpty) {
  const test::TemporaryDirectory folder;
  EXPECT_EQ(open_side(folder.path("nowhere")).status().code, ACL_ERROR_INVALID_FILE);
  const auto empty = open_side(folder.path());
  EXPECT_EQ(empty.status().code, ACL_ERROR_PARSE_FILE);
  EXPECT_THAT(empty.status().message, HasSubstr(folder.path()));
}

}  // namespace
}  // namespace belay::compare
