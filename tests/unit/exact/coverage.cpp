// SPDX-License-Identifier: Apache-2.0
// Whatever has a kernel has an error model, or stands here with the reason why it has none.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "backend/kernel.h"
#include "exact/models/model.h"

namespace belay::exact {
namespace {

const std::map<std::string_view, std::string_view> without = {
    {"Aipp", "its constants are integers of the device's own rounding"},
    {"BranchRefused", "it only refuses"},
    {"Multinomial", "random"},
    {"ROIPooling", "it rounds coordinates to elements"},
    {"RandomStandardNormal", "random"},
    {"RandomUniform", "random"},
    {"WeightQuantBatchMatmulV2", "its kernel computes in float"},
};

TEST(ErrorModels, EveryOperatorWithAKernelHasOneOrAReason) {
  std::set<std::string_view> missing, needless;
  for (const backend::KernelRow& row : backend::kernel_rows()) {
    const bool has = find_error_model(row.op) != nullptr;
    // No model has the former; walk.cpp says of the latter who checks them.
    const bool elsewhere = row.op.starts_with("Aclnn") || row.op.starts_with("Hcom");
    if (!has && !elsewhere && !without.contains(row.op)) missing.insert(row.op);
    if (has && without.contains(row.op)) needless.insert(row.op);
  }
  EXPECT_EQ(missing, std::set<std::string_view>());
  EXPECT_EQ(needless, std::set<std::string_view>());
}

}  // namespace
}  // namespace belay::exact
