// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/packed_weights.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>

#include "backend/packing_scope.h"
#include "base/files/mapped_file.h"
#include "hwy/highway.h"
#include "support/child.h"
#include "support/temporary_directory.h"

namespace belay::backend::cpu {
namespace {

constexpr size_t count = 100000;  // enough for the cache

std::vector<float> ramp(float first) {
  std::vector<float> values(count);
  for (size_t i = 0; i < count; ++i) values[i] = first + static_cast<float>(i);
  return values;
}

struct Packer {
  std::string form = "reversed";
  int packed = 0;

  PackedWeights operator()(const float* data) {
    auto made = pack_as(form, data, count * sizeof(float), count * sizeof(float), [&](void* to) -> Status {
      ++packed;
      std::reverse_copy(data, data + count, static_cast<float*>(to));
      return {};
    });
    EXPECT_TRUE(made.ok());
    return std::move(made).value();
  }
};

bool is_reverse(const PackedWeights& packed, const std::vector<float>& values) {
  return std::equal(values.rbegin(), values.rend(), static_cast<const float*>(packed.get()));
}

// With a cache of its own, empty at first; see below.
TEST(PackedWeights, DISABLED_WithCache) {
  const auto a = ramp(1), b = ramp(2);
  Packer pack;
  EXPECT_TRUE(is_reverse(pack(a.data()), a));
  EXPECT_EQ(pack.packed, 1);
  EXPECT_TRUE(is_reverse(pack(a.data()), a));  // nobody held the first
  EXPECT_EQ(pack.packed, 1);
  EXPECT_TRUE(is_reverse(pack(b.data()), b));
  EXPECT_EQ(pack.packed, 2);
  pack.form = "reversed otherwise";
  EXPECT_TRUE(is_reverse(pack(a.data()), a));
  EXPECT_EQ(pack.packed, 3);

  hwy::DisableTargets(~HWY_STATIC_TARGET);  // another processor
  EXPECT_TRUE(is_reverse(pack(a.data()), a));
  EXPECT_EQ(pack.packed, 4);
  EXPECT_TRUE(is_reverse(pack(a.data()), a));
  EXPECT_EQ(pack.packed, 4);
}

TEST(PackedWeights, AreFoundAgainForTheSameBytesFormAndProcessorOnly) {
  const test::TemporaryDirectory work;
  test::expect_passes_with({{"XDG_CACHE_HOME", work.path()}, {"BELAY_CACHE", "on"}},
                           "PackedWeights.DISABLED_WithCache");
  EXPECT_EQ(test::files_under(work.path("belay")).size(), 4u);
}

// The file is changed in place: its name, number, size and times stay, as far as a program can keep them.
TEST(PackedWeights, DISABLED_OfAChangedFile) {
  const test::TemporaryDirectory work;
  const std::string path = work.path("weights");
  const auto write = [&](const std::vector<float>& values) {
    std::ofstream(path, std::ios::binary | std::ios::in | std::ios::out)
        .write(reinterpret_cast<const char*>(values.data()), count * sizeof(float));
  };
  auto values = ramp(1);
  work.write("weights", std::string(count * sizeof(float), '\0'));
  const auto time = std::filesystem::last_write_time(path);
  Packer pack;
  for (int round = 1; round <= 3; ++round) {
    values[count / 3] = static_cast<float>(round);
    write(values);
    std::filesystem::last_write_time(path, time);
    for (int again = 0; again < 2; ++again) {
      const auto file = MappedFile::open(path);
      ASSERT_TRUE(file.ok());
      EXPECT_TRUE(is_reverse(pack(reinterpret_cast<const float*>((*file)->bytes().data())), values));
      EXPECT_EQ(pack.packed, round);
    }
  }
}

TEST(PackedWeights, OfAFileThatWasChangedAreThoseOfTheNewContent) {
  const test::TemporaryDirectory work;
  test::expect_passes_with({{"XDG_CACHE_HOME", work.path()}, {"BELAY_CACHE", "on"}},
                           "PackedWeights.DISABLED_OfAChangedFile");
}

TEST(PackedWeights, AreZerosOfTheRightSizeForKernelsThatNeverRun) {
  const auto values = ramp(1);
  Packer pack;
  {
    const PackingScope none(false);
    const auto packed = pack(values.data());
    EXPECT_TRUE(std::all_of(static_cast<const float*>(packed.get()), static_cast<const float*>(packed.get()) + count,
                            [](float value) { return value == 0; }));
    const PackingScope real(true);
    EXPECT_TRUE(is_reverse(pack(values.data()), values));
    EXPECT_EQ(pack.packed, 1);
  }
  EXPECT_TRUE(is_reverse(pack(values.data()), values));
}

TEST(PackedWeights, DISABLED_Small) {
  const std::vector<float> values = ramp(1);
  int packed = 0;
  for (int round = 0; round < 2; ++round)
    EXPECT_TRUE(pack_as("small", values.data(), 1000, 1000, [&](void*) { return ++packed, Status{}; }).ok());
  EXPECT_EQ(packed, 2);
}

TEST(PackedWeights, OfSmallTensorsAreNotCached) {
  const test::TemporaryDirectory work;
  test::expect_passes_with({{"XDG_CACHE_HOME", work.path()}, {"BELAY_CACHE", "on"}}, "PackedWeights.DISABLED_Small");
  EXPECT_EQ(test::files_under(work.path("belay")).size(), 0u);
}

}  // namespace
}  // namespace belay::backend::cpu
