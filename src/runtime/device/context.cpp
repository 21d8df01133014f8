// SPDX-License-Identifier: Apache-2.0
#include "runtime/device/context.h"

#include "runtime/device/device.h"
#include "runtime/device/host_functions.h"
#include "runtime/device/state_callbacks.h"

namespace belay {

HandleTable<Stream>& stream_table() {
  static auto& table = *new HandleTable<Stream>(1);
  return table;
}

HandleTable<Context>& context_table() {
  static auto& table = *new HandleTable<Context>(2);
  return table;
}

Context::Context(Device& device, bool primary) : device_(device), primary_(primary) {}

Context::~Context() = default;

void Context::open() {
  expect_threads();  // those of its streams
  std::shared_ptr<Stream> made;
  std::call_once(opened_, [&] {
    handle_ = context_table().insert(shared_from_this());
    made = *add_stream({});
    std::lock_guard lock(mutex_);
    default_stream_ = made;
  });
  // Not inside: a callback may set the device, which comes here again.
  if (made) stream_state_callbacks().notify(made->handle(), ACL_RT_STREAM_STATE_CREATE_POST);
}

Status Context::check_can_close() const {
  for (const auto& stream : streams()) TRY(stream->check_can_wait());
  return {};
}

Status Context::close() {
  open();  // another thread may be at it
  TRY(check_can_close());
  {
    std::lock_guard lock(mutex_);
    if (closing_.exchange(true))
      return {ACL_ERROR_RT_CONTEXT_RELEASE_ERROR, "the context is being destroyed by another thread"};
  }
  for (const auto& stream : streams()) (void)stream->synchronize();
  for (const auto& stream : streams()) (void)end_stream(stream);
  alive_.store(false, std::memory_order_release);
  context_table().remove(handle_);
  std::unique_ptr<HostFunctionThread> ended;
  std::shared_ptr<Stream> default_stream;
  std::lock_guard lock(mutex_);
  ended.swap(host_functions_);
  default_stream.swap(default_stream_);
  return {};
}

Result<std::shared_ptr<Stream>> Context::create_stream(StreamOptions options) {
  auto stream = TRY(add_stream(options));
  stream_state_callbacks().notify(stream->handle(), ACL_RT_STREAM_STATE_CREATE_POST);
  return stream;
}

Result<std::shared_ptr<Stream>> Context::add_stream(StreamOptions options) {
  auto stream = std::make_shared<Stream>(shared_from_this(), device_.next_stream_id(), options);
  {
    std::lock_guard lock(mutex_);
    if (!closing_) {
      stream->set_handle(stream_table().insert(stream));
      streams_.insert(stream);
      return stream;
    }
  }
  device_.free_stream_id(stream->id());
  return Status{ACL_ERROR_RT_CONTEXT_NULL, "the current context is being destroyed"};
}

Status Context::destroy_stream(const std::shared_ptr<Stream>& stream, bool drain) {
  if (stream == default_stream())
    return {ACL_ERROR_RT_PARAM_INVALID, "the default stream lives as long as its context and cannot be destroyed"};
  if (drain) {
    TRY(stream->check_can_wait());
    (void)stream->synchronize();
  }
  return end_stream(stream);
}

Status Context::end_stream(const std::shared_ptr<Stream>& stream) {
  if (!stream->claim_end()) return {ACL_ERROR_RT_INVALID_HANDLE, "another thread destroys the stream"};
  stream_state_callbacks().notify(stream->handle(), ACL_RT_STREAM_STATE_DESTROY_PRE);
  stream_table().remove(stream->handle());
  stream->close();
  device_.free_stream_id(stream->id());
  std::lock_guard lock(mutex_);
  streams_.erase(stream);
  return {};
}

std::vector<std::shared_ptr<Stream>> Context::streams() const {
  std::lock_guard lock(mutex_);
  return {streams_.begin(), streams_.end()};
}

std::shared_ptr<Stream> Context::default_stream() const {
  std::lock_guard lock(mutex_);
  return default_stream_;
}

Status Context::synchronize(Timeout timeout) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + timeout.value_or(std::chrono::milliseconds(0));
  Status first;
  for (const auto& stream : streams()) {
    Timeout left;
    if (timeout)
      left = std::max(std::chrono::milliseconds(1),
                      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()));
    Status status = first.ok() ? stream->synchronize(left) : stream->drain(left);
    if (first.ok()) first = std::move(status);
  }
  return first;
}

void Context::note_failure(const Status& status) {
  if (!stops_on_failure()) return;
  std::lock_guard lock(mutex_);
  if (failed_) return;
  failure_ = status;
  failed_ = true;
}

Status Context::failure() const {
  std::lock_guard lock(mutex_);
  return failure_;
}

std::shared_ptr<ReportQueue> Context::host_function_queue() {
  {
    std::lock_guard lock(mutex_);
    if (host_functions_) return host_functions_->queue();
  }
  auto made = std::make_unique<HostFunctionThread>();  // waits for its thread, and ends it when another was faster
  std::lock_guard lock(mutex_);
  if (!host_functions_) host_functions_.swap(made);
  return host_functions_->queue();
}

Result<int64_t> Context::system_param(size_t option) const {
  std::lock_guard lock(mutex_);
  if (system_params_[option]) return *system_params_[option];
  return Status{ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, "this option was not set in the current context"};
}

void Context::set_system_param(size_t option, int64_t value) {
  std::lock_guard lock(mutex_);
  system_params_[option] = value;
}

}  // namespace belay
