// SPDX-License-Identifier: Apache-2.0
// Models and datasets for tests of aclmdl*.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "convert/convert.h"
#include "graph/om/om.h"
#include "support/device.h"
#include "support/onnx_writer.h"

namespace belay::test {

// A test with device 0 set on its thread from before its members are made until after they are gone.
class WithModels : public testing::Test {
 protected:
  WithModels() {
    const aclError code = aclInit(nullptr);
    EXPECT_TRUE(code == ACL_SUCCESS || code == ACL_ERROR_REPEAT_INITIALIZE) << code;
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    (void)recent_error();
  }
  ~WithModels() override { EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS); }
};

// y = x + 1, for x of this shape.
inline OnnxWriter plus_one(const std::vector<int64_t>& shape) {
  OnnxWriter writer;
  writer.opset(13).input("x", shape).floats("one", {1}, {1}).node("add", "Add", {"x", "one"}, {"y"}).output("y", shape);
  return writer;
}

inline std::shared_ptr<graph::Model> converted(const OnnxWriter& writer, convert::ConvertOptions options = {}) {
  if (options.name.empty()) options.name = "net";
  const OnnxImage image(writer.model());
  auto made = convert::convert_onnx(image.bytes(), image.owner, ".", options);
  EXPECT_TRUE(made.ok()) << made.status().message;
  return made.ok() ? (*made).model : std::make_shared<graph::Model>();
}

inline std::vector<std::byte> om_image(const OnnxWriter& writer, const convert::ConvertOptions& options = {}) {
  auto image = graph::write_om(*converted(writer, options));
  EXPECT_TRUE(image.ok()) << image.status().message;
  return image.ok() ? std::move(image).value() : std::vector<std::byte>();
}

inline uint32_t load(const std::vector<std::byte>& image) {
  uint32_t id = 0;
  EXPECT_EQ(aclmdlLoadFromMem(image.data(), image.size(), &id), ACL_SUCCESS) << recent_error();
  return id;
}

// Device memory that is all `filler`, with more of it behind: what is written past the end shows.
class Guarded {
 public:
  static constexpr float kFiller = -77;

  explicit Guarded(size_t floats) : floats_(floats), memory_((floats + kBehind) * sizeof(float)) {
    fill(kFiller, floats + kBehind);
  }
  Guarded(size_t floats, float value) : Guarded(floats) { fill(value, floats); }

  // An address, not to be followed.
  float* data() const { return memory_.as<float>(); }
  void fill(float value) const { fill(value, floats_); }
  void put(const std::vector<float>& values) const { memory_.put(values.data(), values.size() * sizeof(float)); }
  size_t bytes() const { return floats_ * sizeof(float); }
  std::vector<float> values() const { return memory_.values<float>(floats_); }
  bool whole_behind() const {
    const auto behind = on_device<float>(data() + floats_, kBehind);
    return std::ranges::all_of(behind, [](float value) { return value == kFiller; });
  }

 private:
  void fill(float value, size_t floats) const { put(std::vector<float>(floats, value)); }

  static constexpr size_t kBehind = 8192;
  const size_t floats_;
  const DeviceMemory memory_;
};

// A dataset and its data buffers. They end with the scope, or before.
class Dataset {
 public:
  Dataset() : set(aclmdlCreateDataset()) {}
  explicit Dataset(const Guarded& memory) : Dataset() { add(memory.data(), memory.bytes()); }
  Dataset(const Dataset&) = delete;
  ~Dataset() { destroy(); }

  Dataset& add(void* data, size_t bytes) {
    buffers.push_back(aclCreateDataBuffer(data, bytes));
    EXPECT_EQ(aclmdlAddDatasetBuffer(set, buffers.back()), ACL_SUCCESS);
    return *this;
  }
  void destroy() {
    for (aclDataBuffer* buffer : buffers) aclDestroyDataBuffer(buffer);
    buffers.clear();
    if (set) aclmdlDestroyDataset(set);
    set = nullptr;
  }
  operator aclmdlDataset*() const { return set; }

  aclmdlDataset* set;
  std::vector<aclDataBuffer*> buffers;
};

}  // namespace belay::test
