// SPDX-License-Identifier: Apache-2.0
// Unloading a model waits for what is in flight, and is refused where that could never end.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "support/acl.h"
#include "support/model.h"

namespace {

using namespace belay::test;
using testing::Each;
using testing::HasSubstr;

constexpr aclError kNoSuchModel = static_cast<aclError>(ACL_ERROR_GE_EXEC_MODEL_ID_INVALID);

class ModelUnload : public WithModels {
 protected:
  static bool is_known(uint32_t model) {
    aclmdlDesc* desc = aclmdlCreateDesc();
    const aclError code = aclmdlGetDesc(desc, model);
    aclmdlDestroyDesc(desc);
    return code == ACL_SUCCESS;
  }
  // On a thread that has no device.
  std::vector<float> values_elsewhere() const {
    EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
    auto values = y.values();
    EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
    return values;
  }
  // Unloads on another thread; returns when that has begun, which shows in that nobody finds the model any more.
  // Afterwards that thread looks at what was computed.
  std::future<std::vector<float>> unload_elsewhere(uint32_t model) {
    auto done = std::async(std::launch::async, [this, model] {
      EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS) << recent_error();
      return values_elsewhere();
    });
    while (is_known(model)) std::this_thread::yield();
    return done;
  }

  Guarded x{64, 1}, y{64};
  Dataset in{x}, out{y};
};

TEST_F(ModelUnload, WaitsForAnExecutionThatIsQueued) {
  const uint32_t model = load(om_image(plus_one({64})));
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  auto done = unload_elsewhere(model);
  EXPECT_FAILS(aclmdlExecuteAsync(model, in, out, stream), kNoSuchModel, "no loaded model");
  gate.open();
  EXPECT_THAT(done.get(), Each(2)) << "it was still to run when aclmdlUnload returned";
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
}

// y = -(x + 1): what is between lies in the memory that the program lent.
std::string between_model() {
  return OnnxWriter()
      .opset(13)
      .input("x", {64})
      .floats("one", {1}, {1})
      .node("add", "Add", {"x", "one"}, {"s"})
      .node("exp", "Exp", {"s"}, {"e"})
      .node("log", "Log", {"e"}, {"l"})
      .node("neg", "Neg", {"l"}, {"y"})
      .output("y", {64})
      .model();
}

TEST_F(ModelUnload, LentMemoryIsTheProgramsAgainAfterwards) {
  const std::string image = between_model();
  size_t work = 0, weight = 0;
  ASSERT_EQ(aclmdlQuerySizeFromMem(image.data(), image.size(), &work, &weight), ACL_SUCCESS);
  void* memory = nullptr;
  ASSERT_EQ(aclrtMalloc(&memory, work, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  uint32_t first = 0, second = 0;  // two models take turns with it
  for (uint32_t* id : {&first, &second})
    ASSERT_EQ(aclmdlLoadFromMemWithMem(image.data(), image.size(), id, memory, work, nullptr, 0), ACL_SUCCESS);
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(first, in, out, stream), ACL_SUCCESS) << recent_error();
  auto done = unload_elsewhere(first);
  gate.open();
  EXPECT_THAT(done.get(), Each(testing::FloatNear(-2, 1e-5f)));
  ASSERT_EQ(aclrtMemset(memory, work, 0xEE, work), ACL_SUCCESS);
  x.fill(2);
  ASSERT_EQ(aclmdlExecute(second, in, out), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(testing::FloatNear(-3, 1e-5f)));
  EXPECT_EQ(aclmdlUnload(second), ACL_SUCCESS);
  EXPECT_EQ(aclrtFree(memory), ACL_SUCCESS);
}

TEST_F(ModelUnload, OfTwoThreadsOneUnloadsIt) {
  for (int turn = 0; turn < 20; ++turn) {
    const uint32_t model = load(om_image(plus_one({64})));
    TestStream stream;
    Gate gate(stream);
    ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
    auto one = std::async(std::launch::async, [=] { return aclmdlUnload(model); });
    auto other = std::async(std::launch::async, [=] { return aclmdlUnload(model); });
    while (is_known(model)) std::this_thread::yield();
    gate.open();
    EXPECT_THAT((std::vector<aclError>{one.get(), other.get()}),
                testing::UnorderedElementsAre(ACL_SUCCESS, kNoSuchModel));
  }
}

TEST_F(ModelUnload, WaitsForAnExecutionThatRunsOnAnotherThread) {
  for (int turn = 0; turn < 20; ++turn) {
    const uint32_t model = load(om_image(plus_one({64})));
    std::atomic<int> runs{0};
    auto runner = std::async(std::launch::async, [&] {
      EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
      aclError code = ACL_SUCCESS;
      while ((code = aclmdlExecute(model, in, out)) == ACL_SUCCESS) ++runs;
      return code;
    });
    while (runs < 3) std::this_thread::yield();
    EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS) << recent_error();
    EXPECT_EQ(runner.get(), kNoSuchModel);
  }
}

// A function that the stream waits for, while executions wait behind it.
struct Inside {
  uint32_t model;
  aclError code = ACL_SUCCESS;
  std::string text;

  static void unload(void* self) {
    auto& inside = *static_cast<Inside*>(self);
    forget_errors();
    inside.code = aclmdlUnload(inside.model);
    inside.text = message();
  }
};

TEST_F(ModelUnload, IsRefusedInsideAFunctionThatTheExecutionWaitsFor) {
  Inside inside{load(om_image(plus_one({64})))};
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Inside::unload, &inside), ACL_SUCCESS);
  ASSERT_EQ(aclmdlExecuteAsync(inside.model, in, out, stream), ACL_SUCCESS) << recent_error();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(inside.code, ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(inside.text, HasSubstr("cannot be unloaded: an execution of it is in flight"));
  EXPECT_THAT(y.values(), Each(2)) << "the model stayed";
  EXPECT_EQ(aclmdlUnload(inside.model), ACL_SUCCESS);
}

TEST_F(ModelUnload, IsDoneInsideAFunctionThatComesAfterTheExecution) {
  Inside inside{load(om_image(plus_one({64})))};
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(inside.model, in, out, stream), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(aclrtLaunchHostFunc(stream, Inside::unload, &inside), ACL_SUCCESS);
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(inside.code, ACL_SUCCESS) << inside.text;
  EXPECT_THAT(y.values(), Each(2));
}

TEST_F(ModelUnload, IsRefusedInsideABlockingCallbackOfAServingThread) {
  Inside inside{load(om_image(plus_one({64})))};
  TestStream stream;
  std::promise<uint64_t> id;
  std::atomic<bool> over{false};
  std::thread server([&] {
    id.set_value(pthread_self());
    while (!over) aclrtProcessReport(100);
  });
  const uint64_t serving = id.get_future().get();
  ASSERT_EQ(aclrtSubscribeReport(serving, stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtLaunchCallback(Inside::unload, &inside, ACL_CALLBACK_BLOCK, stream), ACL_SUCCESS);
  // Behind the callback, but it may have begun already: then it finds no execution, and unloads.
  const aclError launched = aclmdlExecuteAsync(inside.model, in, out, stream);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  if (launched == ACL_SUCCESS && inside.code != ACL_SUCCESS) {
    EXPECT_EQ(inside.code, ACL_ERROR_RT_PARAM_INVALID);
    EXPECT_THAT(inside.text, HasSubstr("only this thread can run or is running"));
    EXPECT_EQ(aclmdlUnload(inside.model), ACL_SUCCESS);
  } else {
    EXPECT_EQ(inside.code, ACL_SUCCESS) << inside.text;
  }
  over = true;
  server.join();
  EXPECT_EQ(aclrtUnSubscribeReport(serving, stream), ACL_SUCCESS);
}

TEST_F(ModelUnload, IsRefusedWhileItsStreamIsStopped) {
  const uint32_t model = load(om_image(plus_one({64})));
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  ASSERT_EQ(aclrtStreamStop(stream), ACL_SUCCESS);
  gate.open();
  EXPECT_FAILS(aclmdlUnload(model), ACL_ERROR_RT_PARAM_INVALID, "which was stopped; abort the stream first");
  ASSERT_EQ(aclrtStreamAbort(stream), ACL_SUCCESS);
  EXPECT_EQ(aclmdlUnload(model), ACL_SUCCESS) << recent_error();
  EXPECT_THAT(y.values(), Each(Guarded::kFiller)) << "it was dropped";
}

// The exception callback of an execution runs when that is over.
TEST_F(ModelUnload, IsDoneInsideTheExceptionCallbackOfAFailedExecution) {
  static uint32_t model;
  static aclError code;
  OnnxWriter writer;
  writer.opset(13).input("x", {4}).input("i", {1}, kInt64).node("p", "Gather", {"x", "i"}, {"y"}).output("y", {1});
  for (const bool async : {false, true}) {
    model = load(om_image(writer));
    code = -1;
    DeviceMemory index(8);
    index.set<int64_t>(77);
    Guarded values(4, 1), picked(1);
    Dataset inputs(values), outputs(picked);
    inputs.add(index.pointer, 8);
    TestStream stream;
    ASSERT_EQ(aclrtSetExceptionInfoCallback([](aclrtExceptionInfo*) { code = aclmdlUnload(model); }), ACL_SUCCESS);
    if (async) {
      ASSERT_EQ(aclmdlExecuteAsync(model, inputs, outputs, stream), ACL_SUCCESS) << recent_error();
      EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_ERROR_RT_AICORE_EXCEPTION);
    } else {
      EXPECT_EQ(aclmdlExecute(model, inputs, outputs), ACL_ERROR_RT_AICORE_EXCEPTION);
    }
    ASSERT_EQ(aclrtSetExceptionInfoCallback(nullptr), ACL_SUCCESS);
    EXPECT_EQ(code, ACL_SUCCESS) << async;
  }
}

class BundleUnload : public ModelUnload {
 protected:
  void SetUp() override {
    const auto one = converted(plus_one({64})), two = converted(plus_one({64}));
    const belay::graph::Model* models[] = {one.get(), two.get()};
    auto image = belay::graph::write_bundle(models, 0);
    ASSERT_TRUE(image.ok()) << image.status().message;
    ASSERT_EQ(aclmdlBundleLoadFromMem((*image).data(), (*image).size(), &bundle), ACL_SUCCESS) << recent_error();
    ASSERT_EQ(aclmdlBundleGetModelId(bundle, 1, &model), ACL_SUCCESS) << recent_error();
  }
  uint32_t bundle = 0, model = 0;
};

TEST_F(BundleUnload, WaitsForAnExecutionOfOneOfItsModels) {
  TestStream stream;
  Gate gate(stream);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  auto done = std::async(std::launch::async, [this] {
    EXPECT_EQ(aclmdlBundleUnload(bundle), ACL_SUCCESS) << recent_error();
    return values_elsewhere();
  });
  while (is_known(model)) std::this_thread::yield();
  EXPECT_EQ(aclmdlBundleUnload(bundle), ACL_ERROR_INVALID_BUNDLE_MODEL_ID);
  gate.open();
  EXPECT_THAT(done.get(), Each(2));
}

TEST_F(BundleUnload, OfTwoThreadsOneUnloadsIt) {
  auto one = std::async(std::launch::async, [this] { return aclmdlBundleUnload(bundle); });
  auto other = std::async(std::launch::async, [this] { return aclmdlBundleUnload(bundle); });
  EXPECT_THAT((std::vector<aclError>{one.get(), other.get()}),
              testing::UnorderedElementsAre(ACL_SUCCESS, ACL_ERROR_INVALID_BUNDLE_MODEL_ID));
  EXPECT_FALSE(is_known(model));
}

TEST_F(BundleUnload, IsRefusedAsAWholeWhereOneOfItsModelsCannotBeWaitedFor) {
  TestStream stream;
  Gate gate(stream);
  struct Bundle {
    uint32_t id;
    aclError code = ACL_SUCCESS;
  } inside{bundle};
  const auto unload = [](void* self) {
    auto& each = *static_cast<Bundle*>(self);
    each.code = aclmdlBundleUnload(each.id);
  };
  ASSERT_EQ(aclrtLaunchHostFunc(stream, unload, &inside), ACL_SUCCESS);
  ASSERT_EQ(aclmdlExecuteAsync(model, in, out, stream), ACL_SUCCESS) << recent_error();
  gate.open();
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(inside.code, ACL_ERROR_RT_PARAM_INVALID);
  uint32_t first = 0;
  ASSERT_EQ(aclmdlBundleGetModelId(bundle, 0, &first), ACL_SUCCESS) << recent_error();
  EXPECT_EQ(aclmdlExecute(first, in, out), ACL_SUCCESS) << "all of it is still there: " << recent_error();
  EXPECT_EQ(aclmdlBundleUnload(bundle), ACL_SUCCESS) << recent_error();
}

}  // namespace
