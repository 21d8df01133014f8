// SPDX-License-Identifier: Apache-2.0
// The gear of an execution is what its own dataset says, and the sizes of its buffers are those of the gear. All models
// here add 1 to their input: the oracle is that sum, and that nothing behind a buffer changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "support/acl.h"
#include "support/model.h"

namespace {

using namespace belay::test;
using testing::Each;
using testing::HasSubstr;

constexpr size_t kRow = 64;  // floats; 256 bytes, more than what a buffer may be short

std::vector<std::byte> batch_model() {
  belay::convert::ConvertOptions options;
  options.input_shape = "x:-1,64";
  options.dynamic_batch_size = "1,2,16";
  return om_image(plus_one({-1, 64}), options);
}

// The buffers of one execution, as large as `rows` need them.
struct Batch {
  Batch(uint32_t model, size_t rows, float value, size_t gear_bytes = 4)
      : model(model), x(rows * kRow, value), y(rows * kRow), gear(gear_bytes), in(x), out(y) {
    gear.fill(0, gear_bytes);
    in.add(gear.pointer, gear_bytes);
  }
  aclError set(uint64_t rows) { return aclmdlSetDynamicBatchSize(model, in, 1, rows); }
  aclError execute() { return aclmdlExecute(model, in, out); }
  void expect(float value) {
    EXPECT_THAT(y.values(), Each(value));
    EXPECT_TRUE(y.whole_behind());
  }

  const uint32_t model;
  Guarded x, y;
  DeviceMemory gear;
  Dataset in, out;
};

class ModelGears : public WithModels {
 protected:
  void SetUp() override { model = load(batch_model()); }
  void TearDown() override { EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS); }
  uint32_t model = 0;
};

TEST_F(ModelGears, TwoDatasetsOfOneModelHaveAGearEach) {
  Batch small(model, 1, 10), large(model, 16, 20);
  ASSERT_EQ(small.set(1), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(large.set(16), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(small.execute(), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(large.execute(), ACL_SUCCESS) << recent_error();
  small.expect(11);
  large.expect(21);
}

TEST_F(ModelGears, TheOtherOrderIsNoDifferent) {
  Batch small(model, 1, 10), large(model, 16, 20);
  ASSERT_EQ(large.set(16), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(small.set(1), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(large.execute(), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(small.execute(), ACL_SUCCESS) << recent_error();
  small.expect(11);
  large.expect(21);
}

TEST_F(ModelGears, AnExecutionKeepsTheGearThatItWasCalledWith) {
  TestStream stream;
  Gate gate(stream);
  Batch first(model, 1, 1);
  Guarded x(16 * kRow, 5), y(16 * kRow);
  Dataset in(x), out(y);
  in.add(first.gear.pointer, 4);  // the same gear tensor
  ASSERT_EQ(first.set(1), ACL_SUCCESS);
  ASSERT_EQ(aclmdlExecuteAsync(model, first.in, first.out, stream), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(aclmdlSetDynamicBatchSize(model, in, 1, 16), ACL_SUCCESS);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  first.expect(2);
  EXPECT_THAT(y.values(), Each(6));
}

TEST_F(ModelGears, TwoThreadsWithAStreamEachDoNotDisturbEachOther) {
  const auto work = [this](size_t rows) {
    ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    TestStream stream;
    Batch batch(model, rows, static_cast<float>(rows));
    for (int turn = 0; turn < 200; ++turn) {
      batch.y.fill(Guarded::kFiller);
      ASSERT_EQ(batch.set(rows), ACL_SUCCESS) << recent_error();
      ASSERT_EQ(aclmdlExecuteAsync(model, batch.in, batch.out, stream), ACL_SUCCESS) << recent_error();
      ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
      batch.expect(static_cast<float>(rows) + 1);
    }
  };
  std::thread one(work, 1), other(work, 16);
  one.join();
  other.join();
}

TEST_F(ModelGears, WithoutAGearItIsRefusedAndSaidWhatToCall) {
  TestStream stream;
  Batch batch(model, 16, 1);
  EXPECT_FAILS(batch.execute(), ACL_ERROR_GE_FAILURE, "no gear is set");
  EXPECT_FAILS(aclmdlExecuteAsync(model, batch.in, batch.out, stream), ACL_ERROR_GE_FAILURE,
               "aclmdlSetDynamicBatchSize");
  batch.expect(Guarded::kFiller);
}

// The gear was written by other means: sizes are those of the largest gear, for nothing was set on this dataset.
TEST_F(ModelGears, AGearThatWasNotSetOnTheDatasetIsCheckedAgainstTheLargest) {
  Batch small(model, 1, 1), large(model, 16, 1);
  for (const Batch* batch : {&small, &large}) batch->gear.set<int32_t>(1);
  EXPECT_FAILS(small.execute(), ACL_ERROR_GE_FAILURE, "4096 bytes in the largest gear; none was set");
  small.expect(Guarded::kFiller);
  ASSERT_EQ(large.execute(), ACL_SUCCESS) << recent_error();
  EXPECT_EQ(large.y.values()[kRow - 1], 2);
  EXPECT_EQ(large.y.values()[kRow], Guarded::kFiller) << "one row was computed";
}

TEST_F(ModelGears, BuffersThatAreTooSmallForTheGearAreRefused) {
  TestStream stream;
  Batch small(model, 1, 1), large(model, 16, 1);
  ASSERT_EQ(small.set(16), ACL_SUCCESS);
  ASSERT_EQ(large.set(16), ACL_SUCCESS);
  EXPECT_FAILS(small.execute(), ACL_ERROR_GE_FAILURE,
               "input \"x\" has 4096 bytes in this gear, but its buffer only 256");
  EXPECT_FAILS(aclmdlExecute(model, large.in, small.out), ACL_ERROR_GE_FAILURE,
               "has 4096 bytes in this gear, but its buffer only 256");
  EXPECT_FAILS(aclmdlExecuteAsync(model, large.in, small.out, stream), ACL_ERROR_GE_FAILURE, "in this gear");
  small.expect(Guarded::kFiller);
}

TEST_F(ModelGears, AWideGearTensorHolds64BitsPerValue) {
  Batch batch(model, 2, 3, 8);
  ASSERT_EQ(batch.set(2), ACL_SUCCESS);
  EXPECT_EQ(batch.gear.get<uint64_t>(), 2u);
  ASSERT_EQ(batch.execute(), ACL_SUCCESS) << recent_error();
  batch.expect(4);
}

TEST_F(ModelGears, AnOutputWithoutMemoryGetsThatOfTheLargestGear) {
  Batch batch(model, 1, 3);
  Dataset out;
  out.add(nullptr, 0);
  ASSERT_EQ(batch.set(1), ACL_SUCCESS);
  ASSERT_EQ(aclmdlExecute(model, batch.in, out), ACL_SUCCESS) << recent_error();
  EXPECT_EQ(aclGetDataBufferSizeV2(out.buffers[0]), 4096u);
  EXPECT_THAT(on_device<float>(aclGetDataBufferAddr(out.buffers[0]), kRow), Each(4));
  EXPECT_EQ(aclrtFree(aclGetDataBufferAddr(out.buffers[0])), ACL_SUCCESS);
}

class OtherGears : public WithModels {
 protected:
  // Executes with buffers that are just as large as the gear, which `set` sets on the dataset.
  template <class Set>
  void run(uint32_t model, size_t floats, size_t values, Set set) {
    Guarded x(floats, 7), y(floats);
    DeviceMemory gear(values * 4);
    gear.fill(0, values * 4);
    Dataset in(x), out(y);
    in.add(gear.pointer, values * 4);
    EXPECT_FAILS(aclmdlExecute(model, in, out), ACL_ERROR_GE_FAILURE, "no gear is set");
    ASSERT_EQ(set(in.set), ACL_SUCCESS) << recent_error();
    ASSERT_EQ(aclmdlExecute(model, in, out), ACL_SUCCESS) << recent_error();
    EXPECT_THAT(y.values(), Each(8));
    EXPECT_TRUE(y.whole_behind());
    Guarded little(8);
    Dataset short_out(little);
    EXPECT_FAILS(aclmdlExecute(model, in, short_out), ACL_ERROR_GE_FAILURE, "in this gear, but its buffer only 32");
    EXPECT_TRUE(little.whole_behind());
  }
};

TEST_F(OtherGears, ImageSizes) {
  belay::convert::ConvertOptions options;
  options.input_shape = "x:1,3,-1,-1";
  options.dynamic_image_size = "8,16;32,32;4,64";
  const uint32_t model = load(om_image(plus_one({1, 3, -1, -1}), options));
  for (const auto& [height, width] : {std::pair<size_t, size_t>{4, 64}, {8, 16}, {32, 32}})
    run(model, 3 * height * width, 2,
        [&](aclmdlDataset* in) { return aclmdlSetDynamicHWSize(model, in, 1, height, width); });
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

TEST_F(OtherGears, AnyDims) {
  belay::convert::ConvertOptions options;
  options.input_format = "ND";
  options.input_shape = "x:-1,4,-1";
  options.dynamic_dims = "2,8;16,32;64,1";
  const uint32_t model = load(om_image(plus_one({-1, 4, -1}), options));
  for (const auto& [first, last] : {std::pair<int64_t, int64_t>{64, 1}, {2, 8}, {16, 32}}) {
    aclmdlIODims dims{};
    dims.dimCount = 3;
    dims.dims[0] = first, dims.dims[1] = 4, dims.dims[2] = last;
    run(model, static_cast<size_t>(first * 4 * last), 2,
        [&](aclmdlDataset* in) { return aclmdlSetInputDynamicDims(model, in, 1, &dims); });
  }
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

// The gear of the largest product is not the largest for an output that depends on the width alone: such a buffer is
// checked against what the gear needs, whatever aclmdlGetOutputSizeByIndex says.
TEST_F(OtherGears, AnOutputMayBeLargestInASmallerGear) {
  OnnxWriter writer;
  writer.opset(13)
      .input("x", {1, 1, -1, -1})
      .node("sum", "ReduceSum", {"x", "axes"}, {"y"}, {{"keepdims", 0}})
      .ints("axes", {2})
      .output("y", {1, 1, -1});
  belay::convert::ConvertOptions options;
  options.input_shape = "x:1,1,-1,-1";
  options.dynamic_image_size = "32,16;2,128";
  const uint32_t model = load(om_image(writer, options));
  Guarded x(256, 1), y(128), narrow(16);
  DeviceMemory gear(8);
  Dataset in(x), out(y), narrow_out(narrow);
  in.add(gear.pointer, 8);
  ASSERT_EQ(aclmdlSetDynamicHWSize(model, in, 1, 2, 128), ACL_SUCCESS) << recent_error();
  EXPECT_FAILS(aclmdlExecute(model, in, narrow_out), ACL_ERROR_GE_FAILURE, "512 bytes in this gear");
  EXPECT_TRUE(narrow.whole_behind());
  ASSERT_EQ(aclmdlExecute(model, in, out), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(2));
  EXPECT_TRUE(y.whole_behind());
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

// A loop runs node by node, whichever gear it is in: x + 1, three times.
TEST_F(OtherGears, ALoopRunsInEachGear) {
  OnnxWriter body;
  body.input("i", {}, kInt64)
      .input("go_on", {}, kBool)
      .input("sum", {-1, 64})
      .node("same", "Identity", {"go_on"}, {"goes_on"})
      .node("add", "Add", {"sum", "one"}, {"next"})
      .output("goes_on", {}, kBool)
      .output("next", {-1, 64});
  OnnxWriter writer;
  writer.opset(13)
      .input("x", {-1, 64})
      .floats("one", {1}, {1})
      .initializer<int64_t>("times", kInt64, {}, {3})
      .node("loop", "Loop", {"times", "", "x"}, {"y"}, {OnnxAttribute::message("body", 5, body.graph())})
      .output("y", {-1, 64});
  belay::convert::ConvertOptions options;
  options.input_shape = "x:-1,64";
  options.dynamic_batch_size = "1,2,16";
  const uint32_t model = load(om_image(writer, options));
  Batch small(model, 1, 10), large(model, 16, 20);
  ASSERT_EQ(small.set(1), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(large.set(16), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(small.execute(), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(large.execute(), ACL_SUCCESS) << recent_error();
  small.expect(13);
  large.expect(23);
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

}  // namespace
