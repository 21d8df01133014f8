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

}  // namespace
