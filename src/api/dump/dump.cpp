// SPDX-License-Identifier: Apache-2.0
// Dumping the tensors of models: aclmdl*Dump and acldump*.
#include <mutex>

#include "acl/acl_dump.h"
#include "acl/acl_rt.h"
#include "api/core/entry.h"
#include "base/config_keys.h"
#include "base/files/file.h"
#include "base/threads/fork.h"
#include "dump/config/dump_path.h"
#include "dump/exceptions/exception.h"
#include "dump/exceptions/op_args.h"
#include "dump/observers/recorder.h"
#include "runtime/device/process.h"

using namespace belay;
using namespace belay::api;

namespace {

constexpr size_t kMostConfigBytes = 10 << 20;

Status require_init() {
  if (process().initialized() && !orphaned()) return {};
  return {ACL_ERROR_UNINITIALIZE, "aclInit must be called before", "EP0008"};
}

// The text stays good until it is asked for again.
const char* exception_directory() {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::string;
  std::lock_guard lock(mutex);
  const auto directory = dump::exceptions().directory();
  if (!directory.ok()) return nullptr;
  kept = *directory;
  return kept.c_str();
}

}  // namespace

aclError aclmdlInitDump() {
  return entry(__func__, [&]() -> Status {
    TRY(require_init());
    return dump::recorder().init();
  });
}

aclError aclmdlSetDump(const char* dumpCfgPath) {
  return entry(
      __func__,
      [&]() -> Status {
        TRY(require_init());
        TRY(dump::recorder().require_init());
        if (!dumpCfgPath) return {ACL_ERROR_INVALID_PARAM, "parameter dumpCfgPath must not be null", "EP0007"};
        const std::string text = TRY(read_text(dumpCfgPath, kMostConfigBytes));
        say_unknown_keys(text);
        return dump::recorder().set(TRY(dump::parse_config(text, dump::check_dump_path)));
      },
      dumpCfgPath);
}

aclError aclmdlFinalizeDump() {
  return entry(__func__, [&]() -> Status {
    TRY(require_init());
    return dump::recorder().finalize();
  });
}

aclError acldumpRegCallback(int32_t (*const messageCallback)(const acldumpChunk*, int32_t), int32_t flag) {
  return entry(
      __func__, [&] { return dump::recorder().register_callback(messageCallback, flag); }, messageCallback, flag);
}

void acldumpUnregCallback() {
  (void)entry(__func__, [&]() -> Status {
    dump::recorder().unregister_callback();
    return {};
  });
}

const char* acldumpGetPath(acldumpType dumpType) {
  return entry_value(
      __func__, static_cast<const char*>(nullptr),
      [&]() -> const char* {
        switch (dumpType) {
          case AIC_ERR_BRIEF_DUMP:
          case AIC_ERR_NORM_DUMP:
          case AIC_ERR_DETAIL_DUMP:
            return exception_directory();
          case DATA_DUMP:
          case OVERFLOW_DUMP:
            return dump::recorder().data_path();
        }
        return nullptr;
      },
      dumpType);
}

aclError aclopStartDumpArgs(uint32_t dumpType, const char* path) {
  return entry(
      __func__,
      [&]() -> Status {
        if (!path) return {ACL_ERROR_FAILURE, "parameter path must not be null", "EP0007"};
        if (!(dumpType & ACL_OP_DUMP_OP_AICORE_ARGS))
          return {ACL_ERROR_FAILURE, "dumpType must contain ACL_OP_DUMP_OP_AICORE_ARGS", "EP0006"};
        return dump::op_args().start(path);
      },
      dumpType, path);
}

aclError aclopStopDumpArgs(uint32_t dumpType) {
  return entry(
      __func__, [&]() -> Status { return dumpType & ACL_OP_DUMP_OP_AICORE_ARGS ? dump::op_args().stop() : Status{}; },
      dumpType);
}
