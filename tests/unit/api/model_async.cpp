// SPDX-License-Identifier: Apache-2.0
// What a call was given may be changed or destroyed as soon as it returned; only the memory must stay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>

#include "acl/acl_rt_allocator.h"
#include "support/acl.h"
#include "support/model.h"

namespace {

using namespace belay::test;
using testing::Each;
using testing::ElementsAre;

class ModelAsync : public WithModels {};

TEST_F(ModelAsync, BuffersThatAreUpdatedAfterTheCallDoNotMatter) {
  const uint32_t model = load(om_image(plus_one({4})));
  Guarded x(4, 1), y(4), other_x(4, 50), other_y(4);
  Dataset in(x), out(y);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(aclUpdateDataBuffer(in.buffers[0], other_x.data(), other_x.bytes()), ACL_SUCCESS);
  ASSERT_EQ(aclUpdateDataBuffer(out.buffers[0], other_y.data(), 1), ACL_SUCCESS);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(2));
  EXPECT_THAT(other_y.values(), Each(Guarded::kFiller));
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

TEST_F(ModelAsync, DatasetsMayBeDestroyedAfterTheCall) {
  const uint32_t model = load(om_image(plus_one({4})));
  Guarded x(4, 1), y(4);
  Dataset in(x), out(y);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  in.destroy();
  out.destroy();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(2));
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

// A buffer a little shorter than its tensor, which goes through a copy.
TEST_F(ModelAsync, ShortBuffersMayBeUpdatedToo) {
  const uint32_t model = load(om_image(plus_one({32})));
  Guarded x(24, 1), y(24);
  Dataset in(x), out(y);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(aclUpdateDataBuffer(out.buffers[0], nullptr, 0), ACL_SUCCESS);
  in.destroy();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(2));
  EXPECT_TRUE(y.whole_behind());
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

// A program's allocator that holds the first run back until it is let go.
struct SlowPool {
  std::promise<void> inside, go_on;
  std::atomic<bool> held{false};

  static void* allocate(aclrtAllocator object, size_t size) {
    auto& pool = *static_cast<SlowPool*>(object);
    if (!pool.held.exchange(true)) {
      pool.inside.set_value();
      pool.go_on.get_future().wait();
    }
    return new char[size];
  }
};

void* allocate_plainly(aclrtAllocator, size_t size) { return new char[size]; }
void release(aclrtAllocator, aclrtAllocatorBlock block) { delete[] static_cast<char*>(block); }
void* address_of(aclrtAllocatorBlock block) { return block; }

void give_allocator(aclrtStream stream, SlowPool& pool, aclrtAllocatorAllocFunc allocate) {
  aclrtAllocatorDesc desc = aclrtAllocatorCreateDesc();
  ASSERT_EQ(aclrtAllocatorSetObjToDesc(desc, &pool), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorSetAllocFuncToDesc(desc, allocate), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorSetFreeFuncToDesc(desc, release), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorSetGetAddrFromBlockFuncToDesc(desc, address_of), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorRegister(stream, desc), ACL_SUCCESS);
  ASSERT_EQ(aclrtAllocatorDestroyDesc(desc), ACL_SUCCESS);
}

// Without that, the call would wait for a run that waits for what comes after the call.
TEST_F(ModelAsync, ACallReturnsWhileTheModelRuns) {
  OnnxWriter writer;
  writer.opset(13).input("x", {-1}).node("places", "NonZero", {"x"}, {"p"}).output("p", {1, -1}, kInt64);
  const uint32_t model = load(om_image(writer));
  Guarded x(4, 1), first_y(8), second_y(8);
  Dataset in(x), first(first_y), second(second_y);
  const int64_t shape[] = {4};
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 1, shape, ACL_FORMAT_ND);
  ASSERT_EQ(aclmdlSetDatasetTensorDesc(in, desc, 0), ACL_SUCCESS);
  aclDestroyTensorDesc(desc);
  TestStream one, other;
  SlowPool pool;
  give_allocator(one, pool, SlowPool::allocate);
  give_allocator(other, pool, allocate_plainly);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, first, one), ACL_SUCCESS) << recent_error();
  pool.inside.get_future().wait();  // it runs now
  ASSERT_EQ(aclmdlExecuteAsync(model, in, second, other), ACL_SUCCESS) << recent_error();
  pool.go_on.set_value();
  EXPECT_EQ(aclrtSynchronizeStream(one), ACL_SUCCESS) << recent_error();
  EXPECT_EQ(aclrtSynchronizeStream(other), ACL_SUCCESS) << recent_error();
  for (const Guarded* y : {&first_y, &second_y}) EXPECT_EQ(on_device<int64_t>(y->data(), 4)[3], 3);
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS);
}

// The places of what is not 0: how many there are, only the run can tell.
class LateShapes : public WithModels {
 protected:
  void SetUp() override {
    OnnxWriter writer;
    writer.opset(13).input("x", {6}).node("places", "NonZero", {"x"}, {"y"}).output("y", {1, -1}, kInt64);
    model = load(om_image(writer));
    x.put({0, 3, 0, 0, 5, 6});
  }
  void TearDown() override { EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS); }
  // The same as an operator; `count` gets what its description says afterwards.
  static aclError nonzero(Guarded& x, Guarded& y, aclrtStream stream, int64_t* count = nullptr) {
    const int64_t shape[] = {6}, most[] = {6, 1};
    aclTensorDesc* in_desc = aclCreateTensorDesc(ACL_FLOAT, 1, shape, ACL_FORMAT_ND);
    aclTensorDesc* out_desc = aclCreateTensorDesc(ACL_INT64, 2, most, ACL_FORMAT_ND);
    aclDataBuffer *in = aclCreateDataBuffer(x.data(), x.bytes()), *out = aclCreateDataBuffer(y.data(), y.bytes());
    aclopAttr* attributes = aclopCreateAttr();
    const aclError code = aclopExecuteV2("NonZero", 1, &in_desc, &in, 1, &out_desc, &out, attributes, stream);
    if (count) EXPECT_EQ(aclGetTensorDescDimV2(out_desc, 0, count), ACL_SUCCESS);
    aclopDestroyAttr(attributes);
    for (auto* buffer : {in, out}) aclDestroyDataBuffer(buffer);
    for (auto* desc : {in_desc, out_desc}) aclDestroyTensorDesc(desc);
    return code;
  }
  std::vector<int64_t> places() const { return on_device<int64_t>(y.data(), 3); }

  uint32_t model = 0;
  Guarded x{6}, y{12};
};

TEST_F(LateShapes, TheDatasetKnowsThemAfterTheRun) {
  Dataset in(x), out(y);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  const aclTensorDesc* desc = aclmdlGetDatasetTensorDesc(out, 0);
  ASSERT_NE(desc, nullptr);
  int64_t count = 0;
  ASSERT_EQ(aclGetTensorDescDimV2(desc, 1, &count), ACL_SUCCESS);
  EXPECT_EQ(count, 3);
  EXPECT_THAT(places(), ElementsAre(1, 4, 5));
}

TEST_F(LateShapes, TheDatasetMayBeGoneBeforeTheRun) {
  Dataset in(x), out(y);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  in.destroy();
  out.destroy();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(places(), ElementsAre(1, 4, 5));
}

TEST_F(LateShapes, ABufferThatIsTooSmallFailsTheRunAndNothingIsWrittenBehindIt) {
  Guarded little(2);
  Dataset in(x), out(little);
  TestStream stream;
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  EXPECT_FAILS(aclrtSynchronizeStream(stream), ACL_ERROR_GE_FAILURE, "the model computed 24");
  EXPECT_TRUE(little.whole_behind());
}

// In a function that holds the stream, a call that waits for the stream is refused: its memory is the program's again.
TEST_F(LateShapes, ARefusedCallDoesNotRunLater) {
  static const auto execute = [](uint32_t model, Guarded& x, Guarded& y, aclrtStream stream) {
    Dataset in(x), out(y);
    aclmdlExecConfigHandle* config = aclmdlCreateExecConfigHandle();
    EXPECT_FAILS(aclmdlExecuteV2(model, in, out, stream, config), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    EXPECT_EQ(aclmdlDestroyExecConfigHandle(config), ACL_SUCCESS);
  };
  struct Call {
    uint32_t model;
    Guarded& x;
    aclrtContext context = nullptr;
    TestStream stream;
    Guarded model_y{12, 7}, operator_y{12, 7};
    void make() {
      EXPECT_EQ(aclrtSetCurrentContext(context), ACL_SUCCESS);
      execute(model, x, model_y, stream);
      EXPECT_FAILS(nonzero(x, operator_y, stream), ACL_ERROR_RT_PARAM_INVALID, "would never end");
    }
  } call{model, x};
  ASSERT_EQ(aclrtGetCurrentContext(&call.context), ACL_SUCCESS);
  const auto function = [](void* data) { static_cast<Call*>(data)->make(); };
  ASSERT_EQ(aclrtLaunchHostFunc(call.stream, function, &call), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(call.stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(call.stream), ACL_SUCCESS);  // what was queued in the function, too
  EXPECT_THAT(call.model_y.values(), Each(7));
  EXPECT_THAT(call.operator_y.values(), Each(7));
}

// Nobody waits for such a stream: the shapes would be read before the run has made them.
TEST_F(LateShapes, AnOperatorOnAStreamThatNobodyWaitsForIsRefused) {
  for (const uint32_t flag : {ACL_STREAM_PERSISTENT, ACL_STREAM_CPU_SCHEDULE, ACL_STREAM_DEVICE_USE_ONLY}) {
    aclrtStream stream = nullptr;
    ASSERT_EQ(aclrtCreateStreamWithConfig(&stream, 0, flag), ACL_SUCCESS);
    int64_t count = 0;
    EXPECT_FAILS(nonzero(x, y, stream, &count), ACL_ERROR_RT_PARAM_INVALID, "is one that nobody waits for");
    EXPECT_EQ(count, 6);  // as it was
    EXPECT_EQ(aclrtDestroyStreamForce(stream), ACL_SUCCESS);
  }
  TestStream waited;
  int64_t count = 0;
  EXPECT_EQ(nonzero(x, y, waited, &count), ACL_SUCCESS) << recent_error();
  EXPECT_EQ(count, 3);
}

// An execution that fails leaves the program's data buffer as it was, and no memory behind.
TEST_F(LateShapes, AFailedExecutionHandsOutNoMemory) {
  OnnxWriter writer;
  writer.opset(13).input("x", {4}).input("i", {1}, kInt64).node("pick", "Gather", {"x", "i"}, {"y"}).output("y", {1});
  const uint32_t picking = load(om_image(writer));
  Guarded values(4, 1);
  DeviceMemory index(8);
  index.set<int64_t>(77);
  Dataset in(values), out;
  in.add(index.pointer, 8);
  out.add(nullptr, 0);
  size_t before = 0, after = 0, total = 0;
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &before, &total), ACL_SUCCESS);
  EXPECT_EQ(aclmdlExecute(picking, in, out), ACL_ERROR_RT_AICORE_EXCEPTION);
  ASSERT_EQ(aclrtGetMemInfo(ACL_HBM_MEM, &after, &total), ACL_SUCCESS);
  EXPECT_EQ(after, before);
  EXPECT_EQ(aclGetDataBufferAddr(out.buffers[0]), nullptr);
  EXPECT_EQ(aclmdlUnload(picking), ACL_SUCCESS);
}

}  // namespace
