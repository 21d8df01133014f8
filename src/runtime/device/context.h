// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "base/status.h"
#include "runtime/handle_table.h"
#include "runtime/stream/stream.h"

namespace belay {

class Device;
class HostFunctionThread;

// A device as one part of a program sees it: its streams, its default stream, its failure mode. Primary contexts belong
// to their device; explicit ones to the program. Safe from any thread.
class Context : public std::enable_shared_from_this<Context> {
 public:
  Context(Device& device, bool primary);
  ~Context();

  // Makes the handle and the default stream; done when it returns, whoever called it first.
  void open();
  // Waits for the streams and destroys them; the context is dead afterwards. 507007 when somebody else is at it,
  // 107000 when the calling thread would wait for itself.
  Status close();
  Status check_can_close() const;
  bool alive() const { return alive_.load(std::memory_order_acquire); }

  // 107002 when the context is being destroyed.
  Result<std::shared_ptr<Stream>> create_stream(StreamOptions options);
  // Finishes (drain) or drops what is queued; then the handle dies. 107000 for the default stream, 107017 when somebody
  // else destroyed it meanwhile.
  Status destroy_stream(const std::shared_ptr<Stream>& stream, bool drain);
  std::vector<std::shared_ptr<Stream>> streams() const;
  // Waits for every stream of the context, one after the other, within one time limit. Hands out one error; those of
  // other streams stay for the next time.
  Status synchronize(Timeout timeout);

  Device& device() const { return device_; }
  bool primary() const { return primary_; }
  std::shared_ptr<Stream> default_stream() const;
  void* handle() const { return handle_; }

  // ACL_STOP_ON_FAILURE holds for the whole context and cannot be taken back.
  bool stops_on_failure() const { return stops_on_failure_.load(std::memory_order_relaxed); }
  void stop_on_failure() { stops_on_failure_ = true; }
  // A task failed: in stop mode the first error stays for good.
  void note_failure(const Status& status);
  // The sticky error, or success.
  Status failure() const;
  bool has_failed() const { return failed_.load(std::memory_order_acquire); }

  // The one thread that runs this context's host functions; started when first needed.
  std::shared_ptr<ReportQueue> host_function_queue();

  // aclSysParamOpt values of this context; 107021 for one that was not set.
  Result<int64_t> system_param(size_t option) const;
  void set_system_param(size_t option, int64_t value);

 private:
  Result<std::shared_ptr<Stream>> add_stream(StreamOptions options);
  Status end_stream(const std::shared_ptr<Stream>& stream);

  Device& device_;
  const bool primary_;
  std::once_flag opened_;
  void* handle_ = nullptr;  // set by open
  std::atomic<bool> alive_{true};
  std::atomic<bool> closing_{false};
  std::atomic<bool> stops_on_failure_{false};
  std::atomic<bool> failed_{false};

  mutable std::mutex mutex_;
  // Guarded by mutex_.
  std::shared_ptr<Stream> default_stream_;
  std::set<std::shared_ptr<Stream>> streams_;
  Status failure_;
  std::unique_ptr<HostFunctionThread> host_functions_;
  std::array<std::optional<int64_t>, 4> system_params_{};
};

HandleTable<Stream>& stream_table();
HandleTable<Context>& context_table();

}  // namespace belay
