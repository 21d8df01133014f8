// SPDX-License-Identifier: Apache-2.0
#include "base/files/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

// What numpy 1.24 writes for np.save of a float32 array of shape (2, 3): 10 bytes, then 118 of header.
const std::string kByNumpy = std::string("\x93NUMPY\x01\x00\x76\x00", 10) +
                             "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + std::string(58, ' ') +
                             "\n";

TEST(Npy, ReadsWhatNumpyWrites) {
  const auto header = parse_npy_header(bytes(kByNumpy));
  ASSERT_TRUE(header.ok()) << header.status().message;
  EXPECT_EQ((*header).descr, "<f4");
  EXPECT_FALSE((*header).fortran_order);
  EXPECT_THAT((*header).shape, ElementsAre(2, 3));
  EXPECT_EQ((*header).data_offset, 128u);
}

TEST(Npy, WritesAHeaderThatEndsAtAMultipleOf64) {
  const int64_t dims[] = {2, 3};
  const std::string header = make_npy_header("<f4", dims);
  EXPECT_EQ(header.size() % 64, 0u);
  EXPECT_EQ(header.back(), '\n');
  EXPECT_THAT((*parse_npy_header(bytes(header))).shape, ElementsAre(2, 3));
}

TEST(Npy, ScalarsAndVectorsHaveTheirOwnTuples) {
  const int64_t one[] = {7};
  EXPECT_THAT(make_npy_header("<i8", {}), HasSubstr("'shape': ()"));
  EXPECT_THAT(make_npy_header("<i8", one), HasSubstr("'shape': (7,)"));
}

TEST(Npy, TruncatedOrForeignFilesAreRefusedAndSaidWhy) {
  for (size_t length : {size_t{0}, size_t{9}, size_t{40}}) {
    const auto header = parse_npy_header(bytes(kByNumpy).first(length));
    ASSERT_FALSE(header.ok());
    EXPECT_EQ(header.status().code, ACL_ERROR_PARSE_FILE);
  }
  EXPECT_THAT(parse_npy_header(bytes(std::string(64, 'x'))).status().message, HasSubstr("first bytes"));
  std::string version = kByNumpy;
  version[6] = 9;
  EXPECT_THAT(parse_npy_header(bytes(version)).status().message, HasSubstr("version 9"));
  std::string keyless = kByNumpy;
  keyless.replace(keyless.find("shape"), 5, "shade");
  EXPECT_THAT(parse_npy_header(bytes(keyless)).status().message, HasSubstr("'shape'"));
}

}  // namespace
}  // namespace belay
