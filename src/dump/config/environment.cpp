// SPDX-License-Identifier: Apache-2.0
#include "dump/config/environment.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string_view>

#include "base/text.h"

namespace belay::dump {
namespace {

Scene scene_named(std::string_view name) {
  if (name == "aic_err_brief_dump") return Scene::Brief;
  if (name == "aic_err_norm_dump") return Scene::Norm;
  return name == "aic_err_detail_dump" ? Scene::Detail : Scene::None;
}

}  // namespace

Environment read_environment(const std::function<const char*(const char*)>& variable,
                             const std::function<bool(const std::string&)>& make_directory) {
  Environment read;
  const auto text = [&](const char* name) -> std::string {
    const char* value = variable(name);
    return value ? value : "";
  };
  const auto directory = [&](const char* name) -> std::string {
    const std::string path = text(name);
    if (path.empty() || make_directory(path)) return path;
    read.warnings.push_back(formatted("{} is ignored: {} cannot be made or is not readable and writable", name, path));
    return "";
  };

  read.path = directory("ASCEND_DUMP_PATH");
  if (read.path.empty()) read.path = directory("ASCEND_WORK_PATH");
  const std::string scene = text("ASCEND_DUMP_SCENE");
  read.scene = scene_named(scene);
  if (!scene.empty() && read.scene == Scene::None)
    read.warnings.push_back(
        formatted("ASCEND_DUMP_SCENE is ignored: \"{}\" is not one of aic_err_brief_dump, "
                  "aic_err_detail_dump, aic_err_norm_dump",
                  scene));
  if (read.scene != Scene::None) {
    read.scene_path = read.path.empty() ? "./" : read.path;
    return read;
  }
  read.scene_path = directory("NPU_COLLECT_PATH");
  if (!read.scene_path.empty()) read.scene = Scene::Norm;
  return read;
}

std::string absolute_path(const std::string& path) {
  std::error_code unknown;  // where we are: then it stays as it is
  const auto absolute = std::filesystem::absolute(path, unknown);
  return unknown || path.empty() ? path : absolute.string();
}

bool make_private_directories(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0700) == 0)
      (void)chmod(part.c_str(), 0700);
    else if (errno != EEXIST && errno != EISDIR && errno != EROFS && errno != EACCES)
      return false;
    if (end == std::string::npos) break;
  }
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && access(path.c_str(), R_OK | W_OK) == 0;
}

}  // namespace belay::dump
