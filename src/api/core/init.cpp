// SPDX-License-Identifier: Apache-2.0
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "api/core/error.h"
#include "base/threads/pool.h"
#include "base/timeline.h"
#include "dump/config/config.h"
#include "dump/config/dump_path.h"
#include "dump/exceptions/exception.h"
#include "dump/format/names.h"
#include "dump/observers/recorder.h"
#include "exact/shadow_file.h"
#include "executor/faults/failure.h"
#include "executor/model_registry.h"
#include "runtime/device/exception.h"
#include "runtime/device/process.h"
#include "runtime/device/resource_limits.h"

using namespace belay;
using namespace belay::api;

namespace {

Status check_dump(const std::string& section) {
  const auto config = TRY(dump::parse_section(section, dump::check_dump_path));
  return dump::check_supported(config);
}

// Callbacks hear of the operator that failed, not of the task that ran it and others.
void name_operator(rtExceptionInfo& info, const Status&) {
  if (const auto failed = executor::take_failed_operator()) info.task_id = failed->run.task_id;
}

// BELAY_SHADOW: 1 has the table of each model in the dump directory, or where the program runs; else it is a directory.
std::shared_ptr<executor::Observer> shadow_of(const std::string& name,
                                              const std::shared_ptr<const graph::Model>& model) {
  const char* wanted = getenv("BELAY_SHADOW");
  const std::string where = wanted ? wanted : "";
  if (where.empty() || where == "0") return nullptr;
  return std::make_shared<exact::ShadowFile>(name, model, [where]() -> std::string {
    if (where != "1") return where;
    const char* dumped = dump::recorder().data_path();
    const std::string path = dumped ? dump::local_path(dumped) : "";
    return path.empty() ? "." : path;
  });
}

void started(const InitConfig& config) {
  timeline::begin();
  set_error_scope(config.errors_per_process);
  set_usual_device_limits(config);
  executor::model_registry().set_observers([](const std::string& name, const auto& model) {
    auto observers = dump::recorder().watch(name, model);
    if (auto shadow = shadow_of(name, model)) observers.push_back(std::move(shadow));
    return observers;
  });
  executor::set_failure_listener(&dump::exceptions());
  set_exception_hook(name_operator);
  if (config.dump.empty()) return;
  // It was checked before; a directory that vanished meanwhile shows when the first file is written.
  if (auto dump = dump::parse_section(config.dump, [](const std::string&) { return Status{}; }); dump.ok())
    dump::recorder().start(std::move(dump).value());
}

void ended() {
  // What was lost does not make aclFinalize fail, but aclGetRecentErrMsg has it.
  if (const Status lost = dump::recorder().end(); !lost.ok()) (void)report("aclFinalize", lost);
  if (const Status lost = exact::take_shadow_loss(); !lost.ok()) (void)report("aclFinalize", lost);
  if (const Status lost = timeline::end(); !lost.ok()) (void)report("aclFinalize", lost);
  end_pool_threads();
  set_error_scope(false);
}

Process& hooked_process() {
  static const bool once = [] {
    process().set_hooks({check_dump, started, ended, [] { return !dump::recorder().may_wait(); }});
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
  return entry(__func__, [&] { return hooked_process().finalize(); });
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
