// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "dump/config/config.h"

namespace belay::dump {

// What the environment says about exception dumps.
struct Environment {
  Scene scene = Scene::None;  // an exception dump that is on without any configuration
  std::string scene_path;     // where its files go
  std::string path;           // where those of a configured exception dump go; empty: to its dump_path
  std::vector<std::string> warnings;
};

// Reads ASCEND_DUMP_SCENE, NPU_COLLECT_PATH, ASCEND_DUMP_PATH and ASCEND_WORK_PATH. `variable` answers as getenv does;
// `make_directory` makes a directory (0700) with those above it and tells whether it can be read and written. A
// variable whose directory cannot be used is passed over with a warning.
Environment read_environment(const std::function<const char*(const char*)>& variable,
                             const std::function<bool(const std::string&)>& make_directory);

// The path as it is meant now: the program may go elsewhere later.
std::string absolute_path(const std::string& path);

// Makes the directory and those above it, each 0700 whatever the umask. False when it is then not a directory that can
// be read and written.
bool make_private_directories(const std::string& path);

}  // namespace belay::dump
