// SPDX-License-Identifier: Apache-2.0
#include "base/endings/loaded_file.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

namespace belay {
namespace {

void here() {}

// The loader's own answer.
TEST(LoadedFile, IsTheOneThatTheLoaderKnows) {
  for (const char* name : {"printf", "aligned_alloc", "_ZdlPv", "_Unwind_Backtrace", "tgamma", "dlopen"}) {
    const void* function = dlsym(RTLD_DEFAULT, name);
    ASSERT_NE(function, nullptr) << name;
    Dl_info info{};
    link_map* map = nullptr;
    ASSERT_NE(dladdr1(function, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP), 0);
    const auto address = reinterpret_cast<uintptr_t>(function) + 1;
    LoadedFile file;
    ASSERT_TRUE(find_loaded_file(address, file)) << name;
    EXPECT_EQ(file.start, reinterpret_cast<uintptr_t>(info.dli_fbase)) << name;
    EXPECT_EQ(file.bias, map->l_addr) << name;
    EXPECT_TRUE(file.holds(function)) << name;
    if (*map->l_name == '\0') continue;  // a sanitizer has it in the program
    EXPECT_EQ(std::filesystem::canonical(map->l_name), file.path) << name;
    EXPECT_TRUE(std::string(info.dli_fname).ends_with(file.soname)) << file.soname;
    char symbol[100] = "";
    EXPECT_TRUE(symbol_at(file, address, symbol, sizeof symbol)) << name;
    // Another name of the same function will do.
    EXPECT_EQ(dlsym(RTLD_DEFAULT, symbol), function) << symbol;
    EXPECT_TRUE(exports(file, name)) << name;
    EXPECT_FALSE(exports(file, "no_such_function"));
  }
}

TEST(LoadedFile, OfTheProgramIsTheProgram) {
  LoadedFile file;
  ASSERT_TRUE(find_loaded_file(reinterpret_cast<uintptr_t>(&here), file));
  EXPECT_EQ(std::filesystem::read_symlink("/proc/self/exe"), file.path);
  EXPECT_STREQ(file.soname, "");
}

TEST(LoadedFile, IsNotThereForOtherMemory) {
  int local = 0;
  auto heap = std::make_unique<int>();
  LoadedFile file;
  EXPECT_FALSE(find_loaded_file(reinterpret_cast<uintptr_t>(heap.get()), file) && file.symbol_count > 0);
  EXPECT_FALSE(find_loaded_file(reinterpret_cast<uintptr_t>(&local), file) && file.symbol_count > 0);
  EXPECT_FALSE(find_loaded_file(0, file));
  EXPECT_FALSE(find_loaded_file(UINTPTR_MAX, file));
}

}  // namespace
}  // namespace belay
