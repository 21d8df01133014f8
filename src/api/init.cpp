// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "acl/acl_rt.h"
#include "api/entry.h"
#include "api/error.h"
#include "base/log.h"
#include "dump/config.h"
#include "dump/dump_path.h"
#include "dump/environment.h"
#include "dump/recorder.h"
#include "executor/model_registry.h"
#include "runtime/process.h"
#include "runtime/resource_limits.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_dump(const std::string& section) {
  const auto config = TRY(dump::parse_section(section, dump::check_dump_path));
  return dump::check_supported(config);
}

void say_what_the_environment_asks() {
  const auto environment = dump::read_environment(std::getenv, [](const std::string&) { return true; });
  if (environment.scene == dump::Scene::None) return;
  log_notice(LogModule::Dump,
             "the environment (ASCEND_DUMP_SCENE or NPU_COLLECT_PATH) asks for an exception dump, which "
             "this version does not make");
}

void started(const InitConfig& config) {
  set_error_scope(config.errors_per_process);
  set_usual_device_limits(config);
  executor::model_registry().set_observers(
      [](const std::string& name, const auto& model) { return dump::recorder().watch(name, model); });
  say_what_the_environment_asks();
  if (config.dump.empty()) return;
  // It was checked before; a directory that vanished meanwhile shows when the first file is written.
  if (auto dump = dump::parse_section(config.dump, [](const std::string&) { return Status{}; }); dump.ok())
    dump::recorder().start(std::move(dump).value());
}

void ended() {
  dump::recorder().end();
  set_error_scope(false);
}

Process& hooked_process() {
  static const bool once = [] {
    process().set_hooks({check_dump, started, ended});
    return true;
  }();
  (void)once;
  return process();
}

}  // namespace

aclError aclInit(const char* configPath) {
  return entry(
      __func__, [&] { return hooked_process().init(configPath); }, configPath);
}

aclError aclFinalize() {
  return entry(__func__, [&] {
    dump::recorder().drain();  // before anything is locked: a dump callback may call us
    return hooked_process().finalize();
  });
}

aclError aclFinalizeReference(uint64_t* refCount) {
  return entry(
      __func__,
      [&]() -> Status {
        uint64_t left = 0;
        Status status = hooked_process().finalize_one(left);
        if (refCount) *refCount = left;
        return status;
      },
      refCount);
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void* userData) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(reinterpret_cast<const void*>(cbFunc), "cbFunc"));
        return hooked_process().add_init_callback(type, cbFunc, userData);
      },
      type, cbFunc, userData);
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(reinterpret_cast<const void*>(cbFunc), "cbFunc"));
        return hooked_process().remove_init_callback(type, cbFunc);
      },
      type, cbFunc);
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void* userData) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(reinterpret_cast<const void*>(cbFunc), "cbFunc"));
        return hooked_process().add_finalize_callback(type, cbFunc, userData);
      },
      type, cbFunc, userData);
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(not_null(reinterpret_cast<const void*>(cbFunc), "cbFunc"));
        return hooked_process().remove_finalize_callback(type, cbFunc);
      },
      type, cbFunc);
}
