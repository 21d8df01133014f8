// SPDX-License-Identifier: Apache-2.0
// The engine between processes: UCX's tagged messages, one worker for each rank of a communicator.
#include <poll.h>
#include <sys/eventfd.h>
#include <ucp/api/ucp.h>
#include <ucs/debug/log_def.h>
#include <unistd.h>

#include <map>
#include <memory>
#include <mutex>

#include "comm/engine/engine.h"
#include "comm/engine/engines.h"

namespace belay::comm {
namespace {

// Between the request of UCX and the transfer: stays when the transfer is given up.
struct Pending {
  Transfer* transfer;
  void* request = nullptr;
};

void complete(Transfer& transfer, ucs_status_t status) {
  transfer.failed = status != UCS_OK;
  if (transfer.failed) transfer.error = ucs_status_string(status);
  transfer.request = nullptr;
  transfer.done.store(true, std::memory_order_release);
}

void finish(void* request, ucs_status_t status, void* data) {
  auto* pending = static_cast<Pending*>(data);
  if (pending->transfer) complete(*pending->transfer, status);
  delete pending;
  ucp_request_free(request);
}
void sent(void* request, ucs_status_t status, void* data) { finish(request, status, data); }
void received(void* request, ucs_status_t status, const ucp_tag_recv_info_t*, void* data) {
  finish(request, status, data);
}

class UcxEngine : public Engine {
 public:
  ~UcxEngine() override {
    if (!broken_ && worker_) settle();
    close(wake_);
    if (!worker_) return;
    for (const auto& [rank, endpoint] : endpoints_) {
      ucp_request_param_t param{};
      param.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
      param.flags = UCP_EP_CLOSE_FLAG_FORCE;
      void* closing = ucp_ep_close_nbx(endpoint, &param);
      if (UCS_PTR_IS_PTR(closing)) ucp_request_free(closing);
    }
    ucp_worker_release_address(worker_, address_);
    ucp_worker_destroy(worker_);
  }

  bool open(ucp_context_h context, std::string* error) {
    context_ = context;
    wake_ = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    ucp_worker_params_t params{};
    params.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
    params.thread_mode = UCS_THREAD_MODE_SERIALIZED;
    ucs_status_t status = ucp_worker_create(context, &params, &worker_);
    if (status == UCS_OK) status = ucp_worker_get_address(worker_, &address_, &address_bytes_);
    if (status == UCS_OK) status = ucp_worker_get_efd(worker_, &events_);
    if (status == UCS_OK && wake_ >= 0) return true;
    *error = ucs_status_string(status);
    return false;
  }

  std::string address() const override { return {reinterpret_cast<const char*>(address_), address_bytes_}; }

  Status connect(uint32_t rank, const std::string& address) override {
    std::lock_guard lock(mutex_);
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE;
    params.address = reinterpret_cast<const ucp_address_t*>(address.data());
    params.err_mode = UCP_ERR_HANDLING_MODE_NONE;
    const ucs_status_t status = ucp_ep_create(worker_, &params, &endpoints_[rank]);
    if (status == UCS_OK) return {};
    endpoints_.erase(rank);
    return {4, "rank " + std::to_string(rank) + " cannot be reached: " + ucs_status_string(status), "EI0009"};
  }

  Result<std::unique_ptr<Engine>> again() const override {
    auto made = std::make_unique<UcxEngine>();
    std::string error;
    if (made->open(context_, &error)) return std::unique_ptr<Engine>(std::move(made));
    return Status{4, "UCX cannot be used: " + error, "EI0009"};
  }

  void send(uint32_t rank, uint64_t tag, const void* memory, size_t bytes, bool synchronous,
            Transfer& transfer) override {
    std::lock_guard lock(mutex_);
    const auto endpoint = endpoints_.find(rank);
    if (broken_ || endpoint == endpoints_.end()) return complete(transfer, UCS_ERR_UNREACHABLE);
    auto* pending = new Pending{&transfer};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = sent;
    param.user_data = pending;
    void* request = synchronous ? ucp_tag_send_sync_nbx(endpoint->second, memory, bytes, tag, &param)
                                : ucp_tag_send_nbx(endpoint->second, memory, bytes, tag, &param);
    begun(request, pending, transfer);
  }

  void receive(uint64_t tag, void* memory, size_t bytes, Transfer& transfer) override {
    std::lock_guard lock(mutex_);
    if (broken_) return complete(transfer, UCS_ERR_UNREACHABLE);
    auto* pending = new Pending{&transfer};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.recv = received;
    param.user_data = pending;
    void* request = ucp_tag_recv_nbx(worker_, memory, bytes, tag, ~uint64_t{0}, &param);
    begun(request, pending, transfer);
  }

  void flush(Transfer& transfer) override {
    std::lock_guard lock(mutex_);
    if (broken_) return complete(transfer, UCS_ERR_UNREACHABLE);
    auto* pending = new Pending{&transfer};
    ucp_request_param_t param{};
    param.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    param.cb.send = sent;
    param.user_data = pending;
    begun(ucp_worker_flush_nbx(worker_, &param), pending, transfer);
  }

  void cancel(Transfer& transfer) override {
    std::lock_guard lock(mutex_);
    if (transfer.done || !transfer.request) return;
    auto* pending = static_cast<Pending*>(transfer.request);
    if (!broken_) {
      ucp_request_cancel(worker_, pending->request);
      for (int turn = 0; turn < 100 && !transfer.done; ++turn) ucp_worker_progress(worker_);
    }
    if (transfer.done) return;
    pending->transfer = nullptr;  // it may go on, and must not be moved any further: its memory is not ours any more
    broken_ = true;
  }

  void progress() override {
    std::lock_guard lock(mutex_);
    if (!broken_)
      while (ucp_worker_progress(worker_)) {
      }
  }

  void sleep(std::chrono::milliseconds most) override {
    {
      std::lock_guard lock(mutex_);
      if (!broken_ && ucp_worker_arm(worker_) != UCS_OK) return;
    }
    pollfd wanted[2] = {{events_, POLLIN, 0}, {wake_, POLLIN, 0}};
    poll(wanted, 2, static_cast<int>(most.count()));
    uint64_t count;
    (void)!read(wake_, &count, sizeof count);
  }

  int wake_descriptor() const override { return wake_; }

 private:
  void begun(void* request, Pending* pending, Transfer& transfer) {
    if (UCS_PTR_IS_PTR(request)) {
      transfer.request = pending;
      pending->request = request;
      return;
    }
    delete pending;
    complete(transfer, request ? UCS_PTR_STATUS(request) : UCS_OK);
  }

  // What counted as sent may still lie here: it leaves within a short time, or the receiver is gone.
  void settle() {
    ucp_request_param_t param{};
    void* flush = ucp_worker_flush_nbx(worker_, &param);
    if (!UCS_PTR_IS_PTR(flush)) return;
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
    while (ucp_request_check_status(flush) == UCS_INPROGRESS && std::chrono::steady_clock::now() < end) {
      if (!ucp_worker_progress(worker_)) usleep(50);
    }
    if (ucp_request_check_status(flush) == UCS_INPROGRESS) broken_ = true;
    ucp_request_free(flush);
  }

  std::mutex mutex_;
  // Guarded by mutex_, but for what open() sets.
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  ucp_address_t* address_ = nullptr;
  size_t address_bytes_ = 0;
  int events_ = -1, wake_ = -1;
  bool broken_ = false;
  std::map<uint32_t, ucp_ep_h> endpoints_;
};

// UCX writes warnings to the standard error stream: they are ours to tell, or nobody's.
ucs_log_func_rc_t silent(const char*, unsigned, const char*, ucs_log_level_t, const ucs_log_component_config_t*,
                         const char*, va_list) {
  return UCS_LOG_FUNC_RC_STOP;
}

// One context for each list of transports.
ucp_context_h context_for(const std::string& transports, const std::string& device, std::string* error) {
  static auto& contexts = *new std::map<std::string, ucp_context_h>;
  ucp_context_h& context = contexts[transports + ";" + device];
  if (context) return context;
  if (contexts.size() == 1) ucs_log_push_handler(silent);
  ucp_config_t* config = nullptr;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status == UCS_OK) {
    (void)ucp_config_modify(config, "TLS", transports.c_str());
    (void)ucp_config_modify(config, "RNDV_SCHEME", "get_zcopy");
    if (!device.empty()) (void)ucp_config_modify(config, "NET_DEVICES", device.c_str());
    ucp_params_t params{};
    params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
    params.features = UCP_FEATURE_TAG | UCP_FEATURE_WAKEUP;
    params.mt_workers_shared = 1;
    status = ucp_init(&params, config, &context);
    ucp_config_release(config);
  }
  if (status != UCS_OK) {
    context = nullptr;
    *error = ucs_status_string(status);
  }
  return context;
}

}  // namespace
}  // namespace belay::comm

extern "C" __attribute__((visibility("default"))) belay::comm::Engine* belay_make_ucx_engine(const char* transports,
                                                                                             const char* device,
                                                                                             std::string* error) {
  const ucp_context_h context = belay::comm::context_for(transports, device, error);
  auto engine = std::make_unique<belay::comm::UcxEngine>();
  return context && engine->open(context, error) ? engine.release() : nullptr;
}
