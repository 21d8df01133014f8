// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/soc.h"

#include <gtest/gtest.h>

namespace belay {
namespace {

TEST(Soc, DefaultIs910B3WithItsPublishedNumbers) {
  for (const char* unset : {static_cast<const char*>(nullptr), ""}) {
    const ChosenSoc chosen = choose_soc(unset);
    EXPECT_EQ(chosen.name, "Ascend910B3");
    EXPECT_TRUE(chosen.exact);
    EXPECT_EQ(chosen.row->ai_cores, 20);
    EXPECT_EQ(chosen.row->vector_cores, 40);
    EXPECT_EQ(chosen.row->memory, 68719476736u);
    EXPECT_EQ(chosen.row->l2_cache, 201326592u);
    EXPECT_EQ(chosen.row->npu_arch, 2201);
  }
}

TEST(Soc, EveryDocumentedKindIsThere) {
  const struct {
    const char* name;
    int aicpu, ai, cube, vector;
    uint64_t memory, l2;
    int arch;
  } documented[] = {
      {"Ascend910B1", 6, 24, 24, 48, 68719476736, 201326592, 2201},
      {"Ascend910B2", 6, 24, 24, 48, 68719476736, 201326592, 2201},
      {"Ascend910B3", 6, 20, 20, 40, 68719476736, 201326592, 2201},
      {"Ascend910B4", 6, 20, 20, 40, 34359738368, 100663296, 2201},
      {"Ascend310P3", 7, 8, -1, 7, 24000000000, 16777216, 2002},
      {"Ascend910A", 4, 32, -1, 0, 34359738368, 33554432, 1001},
      {"Ascend310B1", 4, 1, 1, 1, 34359738368, 4194304, 3002},
  };
  for (const auto& expected : documented) {
    const Soc* row = find_soc(expected.name);
    ASSERT_NE(row, nullptr) << expected.name;
    EXPECT_EQ(row->aicpu_cores, expected.aicpu) << expected.name;
    EXPECT_EQ(row->ai_cores, expected.ai) << expected.name;
    EXPECT_EQ(row->cube_cores, expected.cube) << expected.name;
    EXPECT_EQ(row->vector_cores, expected.vector) << expected.name;
    EXPECT_EQ(row->memory, expected.memory) << expected.name;
    EXPECT_EQ(row->l2_cache, expected.l2) << expected.name;
    EXPECT_EQ(row->npu_arch, expected.arch) << expected.name;
  }
}

TEST(Soc, AnUnknownNameIsKeptAndGetsTheNumbersOfTheNearest) {
  const auto nearest = [](const char* name) {
    const ChosenSoc chosen = choose_soc(name);
    EXPECT_EQ(chosen.name, name);
    EXPECT_FALSE(chosen.exact);
    return std::string(chosen.row->name);
  };
  EXPECT_EQ(nearest("Ascend910B4-1"), "Ascend910B4");
  EXPECT_EQ(nearest("Ascend910B9"), "Ascend910B3");
  EXPECT_EQ(nearest("Ascend310"), "Ascend310P3");
  EXPECT_EQ(nearest("Ascend310P1"), "Ascend310P3");
  EXPECT_EQ(nearest("Ascend910_9391"), "Ascend910B3");
}

TEST(Soc, ANameNoScriptWouldAcceptIsReplacedByTheDefault) {
  for (const char* bad : {"Ascend 910", "Ascend910\n", "H100", "ascend910b3"}) {
    const ChosenSoc chosen = choose_soc(bad);
    EXPECT_EQ(chosen.name, "Ascend910B3") << bad;
    EXPECT_FALSE(chosen.exact) << bad;
  }
}

}  // namespace
}  // namespace belay
