// SPDX-License-Identifier: Apache-2.0
// The core is read back by its ELF headers; tests/golden opens others with gdb.
#include "dump/exceptions/core_file.h"

#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/procfs.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "support/temporary_directory.h"

namespace belay::dump {
namespace {

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::vector<Elf64_Phdr> segments(const std::string& core) {
  Elf64_Ehdr header;
  std::memcpy(&header, core.data(), sizeof header);
  std::vector<Elf64_Phdr> all(header.e_phnum);
  std::memcpy(all.data(), core.data() + header.e_phoff, all.size() * sizeof all[0]);
  return all;
}

// The bytes that the core holds of this memory; empty: none.
std::string memory_at(const std::string& core, const void* memory, size_t bytes) {
  const auto address = reinterpret_cast<uint64_t>(memory);
  for (const Elf64_Phdr& segment : segments(core))
    if (segment.p_type == PT_LOAD && segment.p_vaddr <= address &&
        address + bytes <= segment.p_vaddr + segment.p_filesz)
      return core.substr(segment.p_offset + (address - segment.p_vaddr), bytes);
  return "";
}

struct CoreFile : testing::Test {
  test::TemporaryDirectory directory;
  const std::string path = directory.path("core");
};

TEST_F(CoreFile, BeyondTheLimitOnFilesIsAnErrorAndNoSignal) {
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_DFL);  // which ends the process
    const rlimit few{1000, 1000};
    setrlimit(RLIMIT_FSIZE, &few);
    ucontext_t context;
    getcontext(&context);
    const Status status = write_core(path, {&context, SIGSEGV, nullptr, {}});
    _exit(status.code == ACL_ERROR_FAILURE && status.message.ends_with("File too large") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
  EXPECT_TRUE(test::files_under(directory.path()).empty());
}

TEST_F(CoreFile, HoldsRegistersStackAndTheGivenMemory) {
  ucontext_t context;
  ASSERT_EQ(getcontext(&context), 0);
  const char on_stack[] = "a text on the stack of this thread";
  std::vector<std::byte> given(10000, std::byte{7}), other(100000, std::byte{8});
  const Status status = write_core(path, {&context, SIGSEGV, nullptr, {given, {}}});
  ASSERT_TRUE(status.ok()) << status.message;
  struct stat info {};
  ASSERT_EQ(stat(path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0400u);

  const std::string core = read(path);
  ASSERT_EQ(core.substr(0, 4), "\177ELF");
  Elf64_Ehdr header;
  std::memcpy(&header, core.data(), sizeof header);
  EXPECT_EQ(header.e_type, ET_CORE);
  EXPECT_EQ(memory_at(core, on_stack, sizeof on_stack), std::string(on_stack, sizeof on_stack));
  EXPECT_EQ(memory_at(core, given.data(), given.size()), std::string(given.size(), 7));

  const Elf64_Phdr notes = segments(core)[0];
  ASSERT_EQ(notes.p_type, PT_NOTE);
  Elf64_Nhdr first;
  std::memcpy(&first, core.data() + notes.p_offset, sizeof first);
  EXPECT_EQ(first.n_type, NT_PRSTATUS);
  ASSERT_EQ(first.n_descsz, sizeof(elf_prstatus));
  elf_prstatus thread;
  std::memcpy(&thread, core.data() + notes.p_offset + sizeof first + 8, sizeof thread);
  EXPECT_EQ(thread.pr_cursig, SIGSEGV);
#ifdef __x86_64__
  EXPECT_EQ(thread.pr_reg[16], static_cast<elf_greg_t>(context.uc_mcontext.gregs[REG_RIP]));
  EXPECT_EQ(thread.pr_reg[19], static_cast<elf_greg_t>(context.uc_mcontext.gregs[REG_RSP]));
  EXPECT_EQ(thread.pr_reg[4], static_cast<elf_greg_t>(context.uc_mcontext.gregs[REG_RBP]));
#endif
}

TEST_F(CoreFile, SegmentsAreInOrderAndDoNotOverlap) {
  ucontext_t context;
  ASSERT_EQ(getcontext(&context), 0);
  std::vector<std::byte> given(50000);
  ASSERT_TRUE(write_core(path, {&context, SIGABRT, nullptr, {given, std::span(given).subspan(100), given}}).ok());
  const std::string core = read(path);
  uint64_t address = 0, offset = 0;
  for (const Elf64_Phdr& segment : segments(core)) {
    if (segment.p_type != PT_LOAD) continue;
    EXPECT_GE(segment.p_vaddr, address);
    EXPECT_GE(segment.p_offset, offset);
    address = segment.p_vaddr + segment.p_memsz;
    offset = segment.p_offset + segment.p_filesz;
  }
  EXPECT_EQ(offset, core.size());
}

TEST_F(CoreFile, MemoryThatIsNotThereIsLeftOut) {
  ucontext_t context;
  ASSERT_EQ(getcontext(&context), 0);
  const auto* nowhere = reinterpret_cast<const std::byte*>(0x1000);
  ASSERT_TRUE(write_core(path, {&context, SIGSEGV, nowhere, {{nowhere, 100}}}).ok());
  EXPECT_EQ(memory_at(read(path), nowhere, 1), "");
}

TEST_F(CoreFile, APlaceThatCannotBeWrittenIsSaid) {
  ucontext_t context;
  ASSERT_EQ(getcontext(&context), 0);
  const Status status = write_core(directory.path("none/core"), {&context, SIGSEGV});
  EXPECT_EQ(status.code, ACL_ERROR_FAILURE);
  EXPECT_THAT(status.message, testing::HasSubstr("No such file or directory"));
}

}  // namespace
}  // namespace belay::dump
