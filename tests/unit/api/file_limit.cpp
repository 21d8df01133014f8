// SPDX-License-Identifier: Apache-2.0
// Under a limit on the size of files (ulimit -f), which holds for shared memory and so for device memory too. Meeting
// it would end the process by SIGXFSZ.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "acl/acl.h"
#include "support/child.h"
#include "support/device.h"
#include "support/temporary_directory.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

void limit_files(rlim_t bytes) {
  ASSERT_NE(std::signal(SIGXFSZ, SIG_DFL), SIG_ERR);  // which ends the process
  const rlimit limit{bytes, bytes};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

void expect_no_memory(aclError code, const char* call) {
  EXPECT_EQ(code, ACL_ERROR_RT_MEMORY_ALLOCATION) << call;
  EXPECT_THAT(recent_error(), HasSubstr("; the limit on the size of files (ulimit -f) is 1000 bytes")) << call;
}
#define EXPECT_NO_MEMORY(call) expect_no_memory(call, #call)

TEST(FileLimitChild, DISABLED_EveryCallThatSharesMemorySaysSo) {
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  void* large = nullptr;  // not shared before it is exported
  ASSERT_EQ(aclrtMalloc(&large, size_t{4} << 20, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
  limit_files(1000);
  void* small = nullptr;
  EXPECT_NO_MEMORY(aclrtMalloc(&small, 64, ACL_MEM_MALLOC_HUGE_FIRST));
  char key[65] = {};
  EXPECT_NO_MEMORY(aclrtIpcMemGetExportKey(large, size_t{4} << 20, key, sizeof key, 0));
  aclrtPhysicalMemProp property{};
  property.handleType = ACL_MEM_HANDLE_TYPE_NONE;
  property.allocationType = ACL_MEM_ALLOCATION_TYPE_PINNED;
  property.memAttr = ACL_HBM_MEM_HUGE;
  property.location.type = ACL_MEM_LOCATION_TYPE_DEVICE;
  aclrtDrvMemHandle physical = nullptr;
  EXPECT_NO_MEMORY(aclrtMallocPhysical(&physical, size_t{2} << 20, &property, 0));
  aclrtNotify notify = nullptr;
  EXPECT_NO_MEMORY(aclrtCreateNotify(&notify, 0));
  aclrtEvent event = nullptr;
  EXPECT_NO_MEMORY(aclrtCreateEventExWithFlag(&event, ACL_EVENT_IPC));
  EXPECT_EQ(aclrtFree(large), ACL_SUCCESS);
}

TEST(FileLimitChild, DISABLED_LogsAndTracesGoOnWithoutTheirFiles) {
  ASSERT_EQ(aclInit(nullptr), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  limit_files(1000);
  for (int i = 0; i < 100; ++i)
    aclAppLog(ACL_ERROR, "function", "file.cpp", 1, "a line that is some bytes long: %d", i);
  EXPECT_EQ(aclrtResetDevice(0), ACL_SUCCESS);
  EXPECT_EQ(aclFinalize(), ACL_SUCCESS);
}

TEST(FileLimit, OfSharedMemoryIsAnErrorOfTheCall) {
  // Opaque memory is shared when it is exported, small blocks too.
  expect_passes_with({{"BELAY_OPAQUE", "0"}}, "FileLimitChild.DISABLED_EveryCallThatSharesMemorySaysSo");
}

TEST(FileLimit, OfLogsAndTracesDoesNotEndTheProgram) {
  const TemporaryDirectory directory;
  expect_passes_with({{"ASCEND_PROCESS_LOG_PATH", directory.path()},
                      {"ASCEND_GLOBAL_LOG_LEVEL", "3"},
                      {"BELAY_TRACE", directory.path() + "/trace"}},
                     "FileLimitChild.DISABLED_LogsAndTracesGoOnWithoutTheirFiles");
  EXPECT_LE(std::filesystem::file_size(directory.path() + "/trace"), 1000u);
  std::string logged;
  for (const auto& path : files_under(directory.path())) {
    std::ifstream file(path);
    if (path.extension() == ".log") logged.append(std::istreambuf_iterator<char>(file), {});
  }
  EXPECT_THAT(logged, HasSubstr("some bytes long: 99"));  // in a file of its own
}

}  // namespace
