// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "acl/acl_rt.h"
#include "base/status.h"
#include "runtime/device/init_config.h"

namespace belay {

// What aclInit and aclFinalize begin and end: the count of users, the configuration, the callbacks of other libraries.
// One for the process. Nothing is locked while hooks and callbacks run: they may call aclInit and aclFinalize again,
// and wait for other threads that do; only an aclInit of another thread waits for an end that has begun, to start anew.
// Safe from any thread.
class Process {
 public:
  // What the layers above do with a configuration, in the documented places of the sequence.
  struct Hooks {
    Status (*check_dump)(const std::string& dump);  // may refuse
    void (*started)(const InitConfig& config);
    void (*ended)();
    bool (*awaited)();  // whether the calling thread is one that `ended` waits for
  };
  void set_hooks(Hooks hooks) { hooks_ = hooks; }

  // 100002 when initialised already: the count grows all the same. An orphan (base/threads/fork.h) has nothing to begin
  // or end.
  Status init(const char* config_path);
  // Ends everything whatever the count: 100037 when that was done before.
  Status finalize();
  // Takes one user away; the last one ends everything. `left` gets the count.
  Status finalize_one(uint64_t& left);
  bool initialized() const;

  // Libraries that start and end with us. All types but OTHER take one callback: 500000 for a second or an unknown one.
  Status add_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function, void* user_data);
  Status remove_init_callback(aclRegisterCallbackType type, aclInitCallbackFunc function);
  Status add_finalize_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function, void* user_data);
  Status remove_finalize_callback(aclRegisterCallbackType type, aclFinalizeCallbackFunc function);

 private:
  template <class Function>
  struct Entry {
    aclRegisterCallbackType type;
    Function function;
    void* user_data;
  };
  template <class Function>
  static Status add(std::vector<Entry<Function>>& entries, Entry<Function> entry);
  template <class Function>
  static Status remove(std::vector<Entry<Function>>& entries, aclRegisterCallbackType type, Function function);
  using Lock = std::unique_lock<std::mutex>;
  class Change;
  Lock settled(bool to_end);
  Status start(const std::string& text);
  void tell_started(const std::string& text, bool has_path);
  void end(Lock& lock);

  Hooks hooks_{};  // set once, before anything else
  mutable std::mutex mutex_;
  std::condition_variable settles_;
  // Guarded by mutex_.
  std::thread::id changing_;        // who starts or ends the process now; nobody: none
  bool ending_ = false;             // it ends
  std::atomic<uint64_t> count_{0};  // read by anyone
  bool finalized_ = false;
  std::optional<std::string> first_text_;  // of the first successful configuration; later ones must be the same
  std::string text_;
  std::vector<Entry<aclInitCallbackFunc>> init_callbacks_;
  std::vector<Entry<aclFinalizeCallbackFunc>> finalize_callbacks_;
};

Process& process();

}  // namespace belay
