// SPDX-License-Identifier: Apache-2.0
// aclInit and aclFinalize through real files. Oracle: the documented codes; each case has a process of its own.
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

#include "support/acl.h"
#include "support/temporary_directory.h"

namespace {

using namespace belay::test;
using testing::ElementsAre;
using testing::IsEmpty;

aclError init_with(const std::string& content) {
  TemporaryDirectory directory;
  return aclInit(directory.write("acl.json", content).c_str());
}

TEST_ALONE(Init, TheSecondCallReturns100002AndCounts) {
  uint64_t left = 77;
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_FAILS(aclInit("/does/not/exist"), ACL_ERROR_REPEAT_INITIALIZE, "aclInit was called before");
  EXPECT_EQ(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 2u);
  EXPECT_EQ(aclFinalizeReference(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 0u);
  left = 77;
  EXPECT_FAILS(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE, "aclInit");
  EXPECT_EQ(left, 0u);
}

TEST_ALONE(Init, AnEmptyPathIsNoConfiguration) {
  EXPECT_EQ(aclInit(""), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
}

TEST_ALONE(Init, FinalizeEndsEverythingWhateverTheCount) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_REPEAT_INITIALIZE);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_FAILS(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE, "aclFinalize was called before");
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST_ALONE(Init, FinalizeBeforeAnyInitSucceedsOnce) {
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
}

TEST_ALONE(Init, AFileThatCannotBeReadIs100003AndInitCanBeTriedAgain) {
  TemporaryDirectory directory;
  EXPECT_FAILS(aclInit(directory.path("missing.json").c_str()), ACL_ERROR_INVALID_FILE, "missing.json");
  EXPECT_FAILS(aclInit(directory.path().c_str()), ACL_ERROR_INVALID_FILE, directory.path());
  EXPECT_FAILS(aclInit("/dev/null"), ACL_ERROR_INVALID_FILE, "/dev/null");
  if (geteuid() != 0) {  // the superuser reads everything
    const std::string secret = directory.write("secret.json", "{}");
    chmod(secret.c_str(), 0);
    EXPECT_FAILS(aclInit(secret.c_str()), ACL_ERROR_INVALID_FILE, "secret.json");
  }
  uint64_t left = 0;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_ERROR_REPEAT_FINALIZE);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
}

TEST_ALONE(Init, AFileAboveTenMebibytesIs100003AndOneOfExactlyThatIsRead) {
  constexpr size_t limit = 10 << 20;
  EXPECT_FAILS(init_with("{}" + std::string(limit - 1, ' ')), ACL_ERROR_INVALID_FILE, "10485760");
  EXPECT_EQ(init_with("{}" + std::string(limit - 2, ' ')), ACL_SUCCESS);
}

TEST_ALONE(Init, BracketsElevenDeepAre100006AndTenAreRead) {
  EXPECT_FAILS(init_with(R"({"x":)" + std::string(11, '[') + std::string(11, ']') + "}"), ACL_ERROR_PARSE_FILE,
               "deeper than 10");
  EXPECT_EQ(init_with(R"({"x":)" + std::string(10, '[') + std::string(10, ']') + "}"), ACL_SUCCESS);
}

TEST_ALONE(Init, MalformedJsonIs100006AndTheMessageSaysWhere) {
  EXPECT_FAILS(init_with(R"({"dump": )"), ACL_ERROR_PARSE_FILE, "line 1");
  EXPECT_FAILS(init_with("{} {}"), ACL_ERROR_PARSE_FILE, "aclInit");
  EXPECT_FAILS(init_with("\xff\xfe"), ACL_ERROR_PARSE_FILE, "aclInit");
}

TEST_ALONE(Init, AnEmptyFileAndUnknownKeysAreAccepted) { EXPECT_EQ(init_with(""), ACL_SUCCESS); }

TEST_ALONE(Init, UnknownKeysAreIgnored) { EXPECT_EQ(init_with(R"({"colour": [1, {"a": null}]})"), ACL_SUCCESS); }

TEST_ALONE(Init, WrongTypesAndValuesGiveTheDocumentedCodesAndLeaveNothingBehind) {
  struct Case {
    const char* content;
    aclError code;
    const char* part;
  };
  const std::vector<Case> cases = {
      {R"({"err_msg_mode": 1})", ACL_ERROR_INVALID_PARAM, "err_msg_mode"},
      {R"({"err_msg_mode": "2"})", ACL_ERROR_INVALID_PARAM, "err_msg_mode"},
      {R"({"defaultDevice": {"default_device": 0}})", ACL_ERROR_FAILURE, "default_device"},
      {R"({"defaultDevice": {"default_device": "01"}})", ACL_ERROR_FAILURE, "default_device"},
      {R"({"defaultDevice": {"default_device": "-1"}})", ACL_ERROR_FAILURE, "default_device"},
      {R"({"defaultDevice": {"default_device": "8"}})", ACL_ERROR_FAILURE, "8 devices"},
      {R"({"defaultDevice": {"default_device": "99999999999"}})", ACL_ERROR_FAILURE, "default_device"},
      {R"({"defaultDevice": "0"})", ACL_ERROR_FAILURE, "defaultDevice"},
      {R"({"StackSize": {"aicore_stack_size": "32768"}})", ACL_ERROR_FAILURE, "aicore_stack_size"},
      {R"({"StackSize": {"simt_stack_size": 1.5}})", ACL_ERROR_FAILURE, "simt_stack_size"},
      {R"({"simd_printf_fifo_size_per_core": "1024"})", ACL_ERROR_FAILURE, "simd_printf_fifo_size_per_core"},
      {R"({"simd_printf_fifo_size_per_core": 1023})", ACL_ERROR_RT_PARAM_INVALID, "1024"},
      {R"({"simt_printf_fifo_size": 0})", ACL_ERROR_FAILURE, "simt_printf_fifo_size"},
      {R"({"max_opqueue_num": 5})", ACL_ERROR_INVALID_PARAM, "max_opqueue_num"},
      {R"({"max_opqueue_num": "0"})", ACL_ERROR_INVALID_PARAM, "max_opqueue_num"},
      {R"({"profiler": "on"})", ACL_ERROR_INVALID_PARAM, "profiler"},
      {R"({"acl_graph": {"event_mode": 1}})", ACL_ERROR_INVALID_PARAM, "event_mode"},
      {R"({"acl_graph": {"event_mode": "2"}})", ACL_ERROR_INVALID_PARAM, "event_mode"},
      // Two keys are wrong: the one that is looked at first gives the code.
      {R"({"defaultDevice": 1, "max_opqueue_num": 1})", ACL_ERROR_INVALID_PARAM, "max_opqueue_num"},
      {R"({"acl_graph": 1, "StackSize": 1})", ACL_ERROR_FAILURE, "StackSize"},
  };
  for (const auto& [content, code, part] : cases) {
    SCOPED_TRACE(content);
    EXPECT_FAILS(init_with(content), code, part);
  }
  int32_t device = 7;
  EXPECT_EQ(aclrtGetDevice(&device), ACL_ERROR_RT_CONTEXT_NULL);  // no default device stayed behind
  EXPECT_EQ(init_with(R"({"max_opqueue_num": "5"})"), ACL_SUCCESS);
}

TEST_ALONE(Init, AfterFinalizeTheContentMustBeTheSame) {
  TemporaryDirectory directory;
  const std::string first = directory.write("a.json", R"({"x": 1})");
  const std::string same = directory.write("b.json", R"({"x": 1})");
  const std::string other = directory.write("c.json", R"({"x":1})");
  EXPECT_EQ(aclInit(first.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_FAILS(aclInit(other.c_str()), ACL_ERROR_INVALID_PARAM, "content differs");
  EXPECT_EQ(aclInit(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclInit(same.c_str()), ACL_SUCCESS);
}

TEST_ALONE(Init, EmptyBracesDifferFromNoFile) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(init_with("{}"), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(init_with(""), ACL_SUCCESS);
}

TEST_ALONE(Init, AFailedConfigurationIsNotTheFirst) {
  EXPECT_EQ(init_with(R"({"err_msg_mode": "5"})"), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(init_with(R"({"err_msg_mode": "0"})"), ACL_SUCCESS);
}

TEST_ALONE(Init, OpensNoDevice) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  aclrtContext context = nullptr;
  EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_ERROR_RT_CONTEXT_NULL);
  int32_t active = 7;
  EXPECT_EQ(aclrtGetPrimaryCtxState(0, nullptr, &active), ACL_SUCCESS);
  EXPECT_EQ(active, 0);
}

TEST_ALONE(Init, ErrMsgModeOneKeepsTheTextsForTheWholeProcess) {
  EXPECT_EQ(init_with(R"({"err_msg_mode": "1"})"), ACL_SUCCESS);
  std::thread([] { aclrtSetDevice(-1); }).join();
  EXPECT_THAT(message(), testing::HasSubstr("aclrtSetDevice"));
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  std::thread([] { aclrtSetDevice(-1); }).join();
  EXPECT_THAT(message(), IsEmpty());
}

TEST_ALONE(Init, TheDefaultDeviceServesThreadsWithoutAContext) {
  int32_t device = 7;
  aclrtStream stream = nullptr;
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_ERROR_RT_CONTEXT_NULL);
  EXPECT_EQ(init_with(R"({"defaultDevice": {"default_device": "3"}})"), ACL_SUCCESS);
  EXPECT_EQ(aclrtGetDevice(&device), ACL_SUCCESS);
  EXPECT_EQ(device, 3);
  EXPECT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  std::thread([] {
    int32_t other = 7;
    aclrtContext context = nullptr;
    EXPECT_EQ(aclrtGetCurrentContext(&context), ACL_SUCCESS);
    EXPECT_EQ(aclrtGetDevice(&other), ACL_SUCCESS);
    EXPECT_EQ(other, 3);
  }).join();
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  std::thread([] {
    int32_t none = 7;
    EXPECT_EQ(aclrtGetDevice(&none), ACL_ERROR_RT_CONTEXT_NULL);
  }).join();
}

std::vector<int> called;
aclError on_init(const char* text, size_t length, void* tag) {
  EXPECT_EQ(std::string(text).size(), length);
  called.push_back(static_cast<int>(reinterpret_cast<intptr_t>(tag)));
  return 12345;  // ignored
}
aclError on_init_too(const char*, size_t, void* tag) {
  called.push_back(static_cast<int>(reinterpret_cast<intptr_t>(tag)));
  return ACL_SUCCESS;
}
aclError on_finalize(void* tag) {
  called.push_back(static_cast<int>(reinterpret_cast<intptr_t>(tag)));
  return ACL_SUCCESS;
}
void* tag(int number) { return reinterpret_cast<void*>(intptr_t{number}); }

TEST_ALONE(InitCallbacks, AreCalledInOrderAndOnceForEachType) {
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init, tag(4)), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_DVPP, on_init, tag(3)), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, on_init, tag(2)), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init, tag(1)), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, on_init_too, tag(5)), ACL_SUCCESS);
  EXPECT_FAILS(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init_too, tag(9)), ACL_ERROR_INTERNAL_ERROR,
               "registered already");
  EXPECT_EQ(init_with("{}"), ACL_SUCCESS);
  EXPECT_THAT(called, ElementsAre(1, 2, 3, 4, 5));
}

TEST_ALONE(InitCallbacks, TheOpExecutorIsOnlyToldOfAFile) {
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_OP_EXECUTOR, on_init, tag(2)), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init, tag(1)), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_THAT(called, ElementsAre(1));
}

TEST_ALONE(InitCallbacks, ALateOneIsCalledAtOnceWithTheConfiguration) {
  EXPECT_EQ(init_with(R"({"x": 1})"), ACL_SUCCESS);
  static std::string text;
  const auto keep = [](const char* config, size_t length, void*) -> aclError {
    text.assign(config, length);
    return ACL_SUCCESS;
  };
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, keep, nullptr), ACL_SUCCESS);
  EXPECT_EQ(text, R"({"x": 1})");
}

TEST_ALONE(InitCallbacks, NullAndUnknownOnesAreRefused) {
  EXPECT_FAILS(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr), ACL_ERROR_INVALID_PARAM, "cbFunc");
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_OTHER, nullptr, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_FAILS(aclInitCallbackUnRegister(ACL_REG_TYPE_OTHER, on_init), ACL_ERROR_INTERNAL_ERROR, "not registered");
  EXPECT_EQ(aclFinalizeCallbackUnRegister(ACL_REG_TYPE_OTHER, on_finalize), ACL_ERROR_INTERNAL_ERROR);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init, tag(1)), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackUnRegister(ACL_REG_TYPE_ACL_MODEL, on_init), ACL_SUCCESS);
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_init_too, tag(2)), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_THAT(called, ElementsAre(2));
}

TEST_ALONE(FinalizeCallbacks, RunOpCompilerModelDvppThenTheOthers) {
  for (const auto& [type, number] :
       std::vector<std::pair<aclRegisterCallbackType, int>>{{ACL_REG_TYPE_OTHER, 4},
                                                            {ACL_REG_TYPE_ACL_DVPP, 3},
                                                            {ACL_REG_TYPE_ACL_MODEL, 2},
                                                            {ACL_REG_TYPE_ACL_OP_COMPILER, 1},
                                                            {ACL_REG_TYPE_OTHER, 5}})
    EXPECT_EQ(aclFinalizeCallbackRegister(type, on_finalize, tag(number)), ACL_SUCCESS);
  EXPECT_EQ(aclFinalizeCallbackRegister(ACL_REG_TYPE_ACL_MODEL, on_finalize, tag(9)), ACL_ERROR_INTERNAL_ERROR);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_THAT(called, IsEmpty());
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_THAT(called, ElementsAre(1, 2, 3, 4, 5));
}

TEST_ALONE(InitCallbacks, MayThemselvesInitialise) {
  const auto again = [](const char*, size_t, void*) -> aclError { return aclInit(nullptr); };
  EXPECT_EQ(aclInitCallbackRegister(ACL_REG_TYPE_OTHER, again, nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  uint64_t left = 0;
  EXPECT_EQ(aclFinalizeReference(&left), ACL_SUCCESS);
  EXPECT_EQ(left, 1u);
}

TEST_ALONE(Finalize, LeavesDevicesAndServingThreadsAlone) {
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  const aclrtStream stream = new_stream();
  ServingThread server(-1);
  EXPECT_EQ(aclrtSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
  EXPECT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtUnSubscribeReport(server.id(), stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
}

}  // namespace
