// SPDX-License-Identifier: Apache-2.0
// Calls of the dump family that need no model. tests/golden tries whole programs.
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "acl/acl_dump.h"
#include "support/acl.h"
#include "support/temporary_directory.h"

namespace {

using belay::test::TemporaryDirectory;

mode_t mode_of(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 ? info.st_mode & 07777 : 0;
}

int32_t on_chunk(const acldumpChunk*, int32_t) { return 0; }

TEST(DumpCallback, WrongArgumentsAreRefusedWithoutInit) {
  EXPECT_FAILS(acldumpRegCallback(nullptr, 0), ACL_ERROR_FAILURE, "messageCallback must not be null");
  EXPECT_FAILS(acldumpRegCallback(on_chunk, 1), ACL_ERROR_FAILURE, "flag must be 0");
  EXPECT_EQ(acldumpRegCallback(on_chunk, 0), ACL_SUCCESS);
  EXPECT_EQ(acldumpRegCallback(on_chunk, 0), ACL_SUCCESS);  // the first one stays
  acldumpUnregCallback();
  acldumpUnregCallback();
}

TEST(DumpChunk, HasTheDocumentedLayout) {
  EXPECT_EQ(sizeof(acldumpChunk), 4120u);
  EXPECT_EQ(offsetof(acldumpChunk, bufLen), 4096u);
  EXPECT_EQ(offsetof(acldumpChunk, isLastChunk), 4100u);
  EXPECT_EQ(offsetof(acldumpChunk, offset), 4104u);
  EXPECT_EQ(offsetof(acldumpChunk, flag), 4112u);
  EXPECT_EQ(offsetof(acldumpChunk, dataBuf), 4116u);
}

TEST_ALONE(DumpPath, OfExceptionsIsMadeBelowTheWorkingDirectory) {
  const TemporaryDirectory directory;
  ASSERT_EQ(chdir(directory.path().c_str()), 0);
  const std::string wanted = std::filesystem::canonical(directory.path()).string() + "/extra-info/data-dump";
  for (const acldumpType type : {AIC_ERR_BRIEF_DUMP, AIC_ERR_NORM_DUMP, AIC_ERR_DETAIL_DUMP})
    EXPECT_EQ(std::string(acldumpGetPath(type)), wanted);
  EXPECT_EQ(mode_of(wanted), 0700u);
  EXPECT_EQ(acldumpGetPath(DATA_DUMP), nullptr);
  EXPECT_EQ(acldumpGetPath(OVERFLOW_DUMP), nullptr);
  EXPECT_EQ(acldumpGetPath(static_cast<acldumpType>(0)), nullptr);
  EXPECT_EQ(acldumpGetPath(static_cast<acldumpType>(6)), nullptr);
}

TEST_ALONE(DumpArgs, StartAndStopFollowTheDocumentedOrder) {
  const TemporaryDirectory directory;
  const std::string file = directory.write("file", "x"), path = directory.path("a/b");
  EXPECT_FAILS(aclopStartDumpArgs(1, nullptr), ACL_ERROR_FAILURE, "path must not be null");
  EXPECT_FAILS(aclopStartDumpArgs(2, path.c_str()), ACL_ERROR_FAILURE, "ACL_OP_DUMP_OP_AICORE_ARGS");
  EXPECT_FAILS(aclopStartDumpArgs(1, ""), ACL_ERROR_FAILURE, "cannot be made");
  EXPECT_FAILS(aclopStartDumpArgs(1, file.c_str()), ACL_ERROR_FAILURE, "cannot be made");
  EXPECT_EQ(aclopStopDumpArgs(1), ACL_SUCCESS);
  EXPECT_EQ(aclopStartDumpArgs(3, path.c_str()), ACL_SUCCESS);
  EXPECT_FAILS(aclopStartDumpArgs(1, path.c_str()), ACL_ERROR_FAILURE, "call aclopStopDumpArgs first");
  EXPECT_EQ(aclopStopDumpArgs(2), ACL_SUCCESS);  // not this kind: it goes on
  EXPECT_FAILS(aclopStartDumpArgs(1, path.c_str()), ACL_ERROR_FAILURE, "call aclopStopDumpArgs first");
  EXPECT_EQ(aclopStopDumpArgs(1), ACL_SUCCESS);
  for (const char* suffix : {"", "_opcompile", "_debug"})
    EXPECT_EQ(mode_of(path + "/" + std::to_string(getpid()) + suffix), 0700u) << suffix;
  EXPECT_EQ(aclopStartDumpArgs(1, path.c_str()), ACL_SUCCESS);
  EXPECT_EQ(aclopStopDumpArgs(1), ACL_SUCCESS);
}

// Goes into a new directory of that name below `base`, and returns it.
std::string enter(const std::string& base, const std::string& name) {
  const std::string path = std::filesystem::canonical(base).string() + "/" + name;
  std::filesystem::create_directory(path);
  EXPECT_EQ(chdir(path.c_str()), 0);
  return path;
}

TEST_ALONE(DumpArgs, ARelativePathIsThatOfTheCall) {
  const TemporaryDirectory directory;
  const std::string first = enter(directory.path(), "first");
  EXPECT_EQ(aclopStartDumpArgs(1, "records"), ACL_SUCCESS);
  const std::string second = enter(directory.path(), "second");
  EXPECT_EQ(aclopStopDumpArgs(1), ACL_SUCCESS);
  EXPECT_TRUE(std::filesystem::exists(first + "/records/" + std::to_string(getpid())));
  EXPECT_FALSE(std::filesystem::exists(second + "/records"));
}

TEST(DumpPathChild, DISABLED_OfTheEnvironmentStaysWhereItWas) {
  const TemporaryDirectory directory;
  const std::string first = enter(directory.path(), "first");
  const char* given = getenv("ASCEND_DUMP_PATH");
  EXPECT_EQ(aclInit(nullptr), ACL_SUCCESS);
  EXPECT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  (void)enter(directory.path(), "second");
  EXPECT_EQ(std::string(acldumpGetPath(AIC_ERR_BRIEF_DUMP)),
            first + (given ? std::string("/") + given : "") + "/extra-info/data-dump");
}

TEST(DumpPath, OfTheEnvironmentDoesNotFollowTheWorkingDirectory) {
  const std::string child = "DumpPathChild.DISABLED_OfTheEnvironmentStaysWhereItWas";
  belay::test::expect_passes_with({{"ASCEND_DUMP_SCENE", "aic_err_brief_dump"}}, child);
  belay::test::expect_passes_with({{"ASCEND_DUMP_SCENE", "aic_err_brief_dump"}, {"ASCEND_DUMP_PATH", "below"}}, child);
}

std::vector<std::string> dumped;

// The task and stream ids in the names of what one operator dumps: <op>.<name>.<task>.<stream>.<time>.
std::string ids_of_an_operator(aclrtStream stream) {
  dumped.clear();
  EXPECT_EQ(belay::test::CastOperator(1).run(stream), ACL_SUCCESS);
  acldumpUnregCallback();  // waits for what is queued
  EXPECT_EQ(acldumpRegCallback(
                [](const acldumpChunk* chunk, int32_t) {
                  dumped.push_back(std::filesystem::path(chunk->fileName).filename());
                  return 0;
                },
                0),
            ACL_SUCCESS);
  if (dumped.empty()) return "";
  const std::string name = dumped.front().substr(0, dumped.front().rfind('.'));
  const size_t middle = name.rfind('.'), start = name.rfind('.', middle - 1);
  return name.substr(start + 1);
}

TEST_ALONE(DumpIds, TasksCountFromZeroOnEachStream) {
  const TemporaryDirectory directory;
  const std::string config = directory.write(
      "acl.json", R"({"dump": {"dump_path": ")" + directory.path() + R"(", "dump_op_switch": "on", "dump_list": []}})");
  ASSERT_EQ(aclInit(config.c_str()), ACL_SUCCESS);
  ASSERT_EQ(aclrtSetDevice(0), ACL_SUCCESS);
  (void)ids_of_an_operator(nullptr);  // from now on we hear of it
  aclrtStream stream = nullptr;
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(ids_of_an_operator(stream), "0.1");
  EXPECT_EQ(ids_of_an_operator(stream), "1.1");
  EXPECT_EQ(aclrtDestroyStream(stream), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(ids_of_an_operator(stream), "0.1");  // the id is used again, the count is not
  ASSERT_EQ(aclrtSetDevice(1), ACL_SUCCESS);
  ASSERT_EQ(aclrtCreateStream(&stream), ACL_SUCCESS);
  EXPECT_EQ(ids_of_an_operator(stream), "0.1");  // another device
  EXPECT_EQ(ids_of_an_operator(stream), "1.1");
}

}  // namespace
