// SPDX-License-Identifier: Apache-2.0
#include "comm/engine/engines.h"

#include <dlfcn.h>

#include <array>
#include <csignal>
#include <mutex>

#include "base/text.h"
#include "comm/meeting/sockets.h"
#include "hccl/hccl_types.h"

namespace belay::comm {
namespace {

// Loading UCX installs handlers of its own for these; ours and the program's stay.
class KeptHandlers {
 public:
  KeptHandlers() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], nullptr, &kept_[i]);
  }
  ~KeptHandlers() {
    for (size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &kept_[i], nullptr);
  }
  KeptHandlers(const KeptHandlers&) = delete;
  KeptHandlers& operator=(const KeptHandlers&) = delete;

 private:
  static constexpr std::array<int, 6> kSignals = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM};
  std::array<struct sigaction, kSignals.size()> kept_{};
};

// The library lies beside this one.
std::string library_path() {
  Dl_info info{};
  const std::string own =
      dladdr(reinterpret_cast<const void*>(&make_engine), &info) && info.dli_fname ? info.dli_fname : "";
  return own.substr(0, own.rfind('/') + 1) + "libbelay_ucx.so";
}

}  // namespace

Result<std::unique_ptr<Engine>> make_engine(const std::string& transports, const std::string& device) {
  static auto& mutex = *new std::mutex;
  static MakeEngine make = nullptr;
  std::lock_guard lock(mutex);
  const KeptHandlers handlers;
  if (!make) {
    void* library = dlopen(library_path().c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library)
      return Status{
          HCCL_E_NOT_SUPPORT,
          formatted("ranks in other processes need UCX: install Debian's package libucx0 (libucx-dev to build "
                    "Belay with it); ranks that are threads of one process work without: {}",
                    dlerror()),
          "EI0006"};
    make = reinterpret_cast<MakeEngine>(dlsym(library, kMakeEngine));
    if (!make) return Status{HCCL_E_INTERNAL, "libbelay_ucx.so is of another version", "EI0006"};
  }
  std::string error;
  if (Engine* made = make(transports.c_str(), device.c_str(), &error)) return std::unique_ptr<Engine>(made);
  return Status{HCCL_E_INTERNAL, "UCX cannot be used: " + error + no_descriptors_left(), "EI0009"};
}

}  // namespace belay::comm
