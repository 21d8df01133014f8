// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>

#include "acl/acl.h"
#include "support/device.h"
#include "support/partner.h"

namespace {

using namespace belay::test;
using testing::HasSubstr;

constexpr uint64_t kEverybody = ACL_RT_IPC_MEM_EXPORT_FLAG_DISABLE_PID_VALIDATION;

class IpcMemory : public WithDevice {
 protected:
  static std::string export_key(void* pointer, size_t size, uint64_t flags = 0) {
    char key[65];
    EXPECT_EQ(aclrtIpcMemGetExportKey(pointer, size, key, sizeof key, flags), ACL_SUCCESS);
    return key;
  }
};

// The partner: imports the key it is told of and expects the code it is told; then answers in the memory.
TEST_F(IpcMemory, DISABLED_Importer) {
  const std::string key = told();
  const auto expected = static_cast<aclError>(std::stoi(told()));
  void* pointer = nullptr;
  ASSERT_EQ(aclrtIpcMemImportByKey(&pointer, key.c_str(), 0), expected);
  if (expected != ACL_SUCCESS) return;
  char text[6] = {};
  ASSERT_EQ(aclrtMemcpy(text, 6, pointer, 6, ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
  EXPECT_STREQ(text, "hello");
  ASSERT_EQ(aclrtMemcpy(pointer, 9, "and back", 9, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
  EXPECT_EQ(aclrtMemcpy(pointer, 1000, text, 101, ACL_MEMCPY_HOST_TO_DEVICE), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("by aclrtIpcMemImportByKey"));
  EXPECT_EQ(aclrtFree(pointer), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("close it with aclrtIpcMemClose"));
  void* again = nullptr;
  EXPECT_EQ(aclrtIpcMemImportByKey(&again, key.c_str(), 0), ACL_SUCCESS);
  EXPECT_EQ(again, pointer);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(IpcMemory, SmallAndLargeBlocksReachAnotherProcessAndComeBack) {
  for (const size_t size : {size_t{100}, size_t{3} << 20}) {
    DeviceMemory block(size + 200);
    auto* pointer = block.as<char>() + 100;  // a piece inside
    put_on_device(pointer, "hello", 6);
    const std::string key = export_key(pointer, 100, kEverybody);
    Partner partner("IpcMemory.DISABLED_Importer");
    partner.tell(key);
    partner.tell("0");
    EXPECT_TRUE(partner.finish());
    EXPECT_STREQ(on_device(pointer, 9).data(), "and back");
    EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  }
}

TEST_F(IpcMemory, WritesQueuedBeforeTheExportAreNotLost) {
  DeviceMemory block(size_t{8} << 20);
  TestStream stream;
  for (int i = 0; i < 20; ++i) ASSERT_EQ(aclrtMemsetAsync(block.pointer, 8 << 20, i, 8 << 20, stream), ACL_SUCCESS);
  const std::string key = export_key(block.pointer, 8 << 20, kEverybody);
  ASSERT_EQ(aclrtSynchronizeStream(stream), ACL_SUCCESS);
  EXPECT_EQ(block.get<char>(0), 19);
  EXPECT_EQ(block.get<char>((8 << 20) - 1), 19);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
}

TEST_F(IpcMemory, OnlyAdmittedProcessesImport) {
  DeviceMemory block(100);
  block.put("hello", 6);
  const std::string key = export_key(block.pointer, 100);
  Partner stranger("IpcMemory.DISABLED_Importer"), friendly("IpcMemory.DISABLED_Importer");
  int32_t pids[] = {1, friendly.pid()};
  ASSERT_EQ(aclrtIpcMemSetImportPid(key.c_str(), pids, 2), ACL_SUCCESS);
  stranger.tell(key);
  stranger.tell(std::to_string(ACL_ERROR_RT_NO_PERMISSION));
  EXPECT_TRUE(stranger.finish());
  friendly.tell(key);
  friendly.tell("0");
  EXPECT_TRUE(friendly.finish());
  EXPECT_STREQ(block.values<char>(9).data(), "and back");
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
}

TEST_F(IpcMemory, AClosedKeyIsGoodForNothing) {
  DeviceMemory block(100);
  const std::string key = export_key(block.pointer, 100, kEverybody);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_ERROR_RT_PARAM_INVALID);
  void* pointer = nullptr;
  EXPECT_EQ(aclrtIpcMemImportByKey(&pointer, key.c_str(), 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("does not export this memory; it may have been freed"));
  EXPECT_EQ(pointer, nullptr);
}

TEST_F(IpcMemory, AKeyDiesWithItsProcess) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  waitpid(child, nullptr, 0);
  void* pointer = nullptr;
  const std::string key = "belay-memory-" + std::to_string(child) + "-5-12345";
  EXPECT_EQ(aclrtIpcMemImportByKey(&pointer, key.c_str(), 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("which exported the memory, has ended"));
}

TEST_F(IpcMemory, TheSameProcessMayImportItsOwnKey) {
  DeviceMemory block(100);
  const std::string key = export_key(block.pointer, 100);
  void* pointer = nullptr;
  ASSERT_EQ(aclrtIpcMemImportByKey(&pointer, key.c_str(), ACL_RT_IPC_MEM_IMPORT_FLAG_ENABLE_PEER_ACCESS), ACL_SUCCESS);
  EXPECT_NE(pointer, block.pointer);
  block.set('x');
  EXPECT_EQ(on_device(pointer, 1)[0], 'x');
  EXPECT_EQ(aclrtIpcMemSetAttr(key.c_str(), ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 1), ACL_SUCCESS);
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);  // the import
  EXPECT_EQ(aclrtIpcMemClose(key.c_str()), ACL_SUCCESS);  // the export
  EXPECT_EQ(aclrtIpcMemSetAttr(key.c_str(), ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 1), ACL_ERROR_RT_PARAM_INVALID);
}

TEST_F(IpcMemory, RefusesBadArguments) {
  DeviceMemory block(100);
  PinnedMemory host(100);
  char key[65];
  void* pointer = nullptr;
  int32_t pid = 1;
  EXPECT_EQ(aclrtIpcMemGetExportKey(nullptr, 100, key, 65, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemGetExportKey(block.pointer, 100, nullptr, 65, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemGetExportKey(block.pointer, 0, key, 65, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemGetExportKey(block.pointer, 101, key, 65, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemGetExportKey(block.pointer, 100, key, 64, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("a key needs 65 bytes"));
  EXPECT_EQ(aclrtIpcMemGetExportKey(block.pointer, 100, key, 65, 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemGetExportKey(host.pointer, 100, key, 65, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("is pinned host memory"));
  EXPECT_EQ(aclrtIpcMemImportByKey(nullptr, key, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemImportByKey(&pointer, nullptr, 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemImportByKey(&pointer, "nonsense", 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_THAT(recent_error(), HasSubstr("\"nonsense\" is not a key from aclrtIpcMemGetExportKey"));
  EXPECT_EQ(aclrtIpcMemImportByKey(&pointer, "nonsense", 2), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemSetImportPid(nullptr, &pid, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemSetImportPid("nonsense", nullptr, 1), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemSetImportPid("nonsense", &pid, 0), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemSetImportPid("nonsense", &pid, 1), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemSetAttr("nonsense", static_cast<aclrtIpcMemAttrType>(1), 0), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemSetAttr("nonsense", ACL_RT_IPC_MEM_ATTR_ACCESS_LINK, 4), ACL_ERROR_RT_PARAM_INVALID);
  EXPECT_EQ(aclrtIpcMemClose(nullptr), ACL_ERROR_INVALID_PARAM);
  EXPECT_EQ(aclrtIpcMemClose("nonsense"), ACL_ERROR_RT_PARAM_INVALID);
  without_context([&] {
    EXPECT_EQ(aclrtIpcMemGetExportKey(block.pointer, 100, key, 65, 0), ACL_ERROR_RT_CONTEXT_NULL);
    EXPECT_EQ(aclrtIpcMemImportByKey(&pointer, "nonsense", 0), ACL_ERROR_RT_CONTEXT_NULL);
  });
}

}  // namespace
