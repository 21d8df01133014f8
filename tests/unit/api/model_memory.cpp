// SPDX-License-Identifier: Apache-2.0
// What models ask for in memory, and what they do with what they are given.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "acl/acl.h"
#include "support/device.h"
#include "support/onnx_writer.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

class ModelMemory : public WithDevice {
 protected:
  void SetUp() override {
    const aclError code = aclInit(nullptr);
    ASSERT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_REPEAT_INITIALIZE) << code;
    WithDevice::SetUp();
  }
};

// y = -(x + w)
std::string small_model(int64_t batch) {
  return OnnxWriter()
      .opset(13)
      .input("x", {batch, 4})
      .floats("w", {4}, {1, 2, 3, 4})
      .node("sum", "Add", {"x", "w"}, {"s"})
      .node("neg", "Neg", {"s"}, {"y"})
      .output("y", {batch, 4})
      .model();
}

TEST_F(ModelMemory, TheSizesThatAreToldAreEnoughToLoadWith) {
  const std::string image = small_model(8);
  size_t work = 0, weight = 0;
  ASSERT_EQ(aclmdlQuerySizeFromMem(image.data(), image.size(), &work, &weight), ACL_SUCCESS) << recent_error();
  EXPECT_GE(work, 512u);
  EXPECT_GE(weight, 512u);
  const DeviceMemory work_memory(work), weight_memory(weight);
  uint32_t id = 0;
  ASSERT_EQ(aclmdlLoadFromMemWithMem(image.data(), image.size(), &id, work_memory.pointer, work, weight_memory.pointer,
                                     weight),
            ACL_SUCCESS)
      << recent_error();
  EXPECT_EQ(aclmdlUnload(id), ACL_SUCCESS);
}

TEST_F(ModelMemory, AnOutputThatIsLeftToTheModelComesFromTheDevicesHeap) {
  const std::string image = small_model(2);
  uint32_t id = 0;
  ASSERT_EQ(aclmdlLoadFromMem(image.data(), image.size(), &id), ACL_SUCCESS) << recent_error();
  const float x[8] = {0, 0, 0, 0, 1, 1, 1, 1};
  const DeviceMemory in(sizeof(x));
  in.put(x, sizeof(x));
  aclmdlDataset *inputs = aclmdlCreateDataset(), *outputs = aclmdlCreateDataset();
  aclDataBuffer *input = aclCreateDataBuffer(in.pointer, sizeof(x)), *output = aclCreateDataBuffer(nullptr, 0);
  ASSERT_EQ(aclmdlAddDatasetBuffer(inputs, input), ACL_SUCCESS);
  ASSERT_EQ(aclmdlAddDatasetBuffer(outputs, output), ACL_SUCCESS);
  ASSERT_EQ(aclmdlExecute(id, inputs, outputs), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(aclGetDataBufferSizeV2(output), sizeof(x));
  EXPECT_THAT(on_device<float>(aclGetDataBufferAddr(output), 8), testing::ElementsAre(-1, -2, -3, -4, -2, -3, -4, -5));
  EXPECT_EQ(aclrtFree(aclGetDataBufferAddr(output)), ACL_SUCCESS) << "it is device memory like any other";
  aclDestroyDataBuffer(input);
  aclDestroyDataBuffer(output);
  aclmdlDestroyDataset(inputs);
  aclmdlDestroyDataset(outputs);
  EXPECT_EQ(aclmdlUnload(id), ACL_SUCCESS);
}

}  // namespace
