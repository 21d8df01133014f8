// SPDX-License-Identifier: Apache-2.0
#include "ucx_side.h"

#include <sched.h>
#include <ucp/api/ucp.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace bench {
namespace {

void must(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  std::printf("%s: %s\n", what, ucs_status_string(status));
  std::exit(1);
}

// As large as Belay's.
struct Letterhead {
  uint64_t words[7] = {};
  bool operator==(const Letterhead&) const = default;
};
constexpr size_t kMostWithLetterhead = 8 << 10;

std::unique_ptr<std::byte[]> room_for(size_t data) {
  return std::make_unique_for_overwrite<std::byte[]>(sizeof(Letterhead) + data);
}

}  // namespace

struct UcxSide::Ucx {
  ucp_context_h context = nullptr;
  ucp_worker_h worker = nullptr;
  ucp_address_t* address = nullptr;
  size_t address_bytes = 0;
  std::vector<ucp_ep_h> endpoints;
  std::vector<void*> requests;
  struct Packed {
    std::unique_ptr<std::byte[]> bytes;
    std::byte* into;  // of a received one
    size_t data;
  };
  std::vector<Packed> packed;
};

UcxSide::UcxSide(std::string side, uint32_t rank, uint32_t size, const Memory& memory, bool letterheads)
    : Side(std::move(side)), ucx_(new Ucx), rank_(rank), size_(size), memory_(memory), letterheads_(letterheads) {
  ucp_config_t* config = nullptr;
  must(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES;
  params.features = UCP_FEATURE_TAG;
  must(ucp_init(&params, config, &ucx_->context), "ucp_init");
  ucp_config_release(config);
  ucp_worker_params_t worker{};
  worker.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE;
  worker.thread_mode = UCS_THREAD_MODE_SINGLE;
  must(ucp_worker_create(ucx_->context, &worker, &ucx_->worker), "ucp_worker_create");
  must(ucp_worker_get_address(ucx_->worker, &ucx_->address, &ucx_->address_bytes), "ucp_worker_get_address");
}

UcxSide::~UcxSide() { delete ucx_; }  // the process ends

std::string UcxSide::address() const { return {reinterpret_cast<const char*>(ucx_->address), ucx_->address_bytes}; }

void UcxSide::connect(const std::vector<std::string>& addresses) {
  ucx_->endpoints.resize(addresses.size());
  for (size_t peer = 0; peer < addresses.size(); ++peer) {
    ucp_ep_params_t params{};
    params.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS;
    params.address = reinterpret_cast<const ucp_address_t*>(addresses[peer].data());
    must(ucp_ep_create(ucx_->worker, &params, &ucx_->endpoints[peer]), "ucp_ep_create");
  }
}

void UcxSide::run(Operation operation, size_t bytes, int times) {
  for (int i = 0; i < times; ++i) once(operation, bytes);
}

void UcxSide::once(Operation operation, size_t bytes) {
  const size_t part = bytes / size_;
  if (operation == Operation::AllReduce) return bytes <= kSmall ? reduce_small(bytes / 4) : reduce_large(bytes / 4);
  if (operation == Operation::Send) {
    for (const bool first : {true, false}) {
      ++number_;
      if (first == (rank_ % 2 == 0))
        send(rank_ ^ 1, memory_.send, bytes);
      else
        receive(rank_ ^ 1, memory_.recv, bytes);
      wait();
    }
    return;
  }
  ++number_;
  const bool exchange = operation == Operation::AlltoAll;
  for (uint32_t peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    receive(peer, memory_.recv + peer * part, part);
    send(peer, memory_.send + (exchange ? peer * part : 0), part);
  }
  std::memcpy(memory_.recv + rank_ * part, memory_.send + (exchange ? rank_ * part : 0), part);
  wait();
}

void UcxSide::reduce_small(size_t count) {
  ++number_;
  std::vector<const std::byte*> inputs(size_, memory_.send);
  for (uint32_t peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    inputs[peer] = room(peer, kSmall);
    receive(peer, room(peer, kSmall), count * 4);
    send(peer, memory_.send, count * 4);
  }
  wait();
  add(memory_.recv, inputs, count);
}

void UcxSide::reduce_large(size_t count) {
  ++number_;
  const Share own = share(count, size_, rank_);
  std::vector<const std::byte*> inputs(size_, memory_.send + own.begin * 4);
  for (uint32_t peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    const Share theirs = share(count, size_, peer);
    inputs[peer] = room(peer, own.count * 4);
    receive(peer, room(peer, own.count * 4), own.count * 4);
    send(peer, memory_.send + theirs.begin * 4, theirs.count * 4);
  }
  wait();
  add(memory_.recv + own.begin * 4, inputs, own.count);
  ++number_;
  for (uint32_t peer = 0; peer < size_; ++peer) {
    if (peer == rank_) continue;
    const Share theirs = share(count, size_, peer);
    receive(peer, memory_.recv + theirs.begin * 4, theirs.count * 4);
    send(peer, memory_.recv + own.begin * 4, own.count * 4);
  }
  wait();
}

void UcxSide::send(uint32_t to, const std::byte* data, size_t bytes) {
  ucp_request_param_t param{};
  if (letterheads_ && bytes <= kMostWithLetterhead) {
    auto& packed = ucx_->packed.emplace_back(room_for(bytes), nullptr, bytes);
    const Letterhead head{{number_, bytes, 1, 2, 3, 4, 5}};
    std::memcpy(packed.bytes.get(), &head, sizeof head);
    std::memcpy(packed.bytes.get() + sizeof head, data, bytes);
    data = packed.bytes.get();
    bytes += sizeof(Letterhead);
  }
  void* request = ucp_tag_send_nbx(ucx_->endpoints[to], data, bytes, uint64_t{rank_} << 48 | number_, &param);
  if (UCS_PTR_IS_ERR(request)) must(UCS_PTR_STATUS(request), "ucp_tag_send_nbx");
  if (request) ucx_->requests.push_back(request);
}

void UcxSide::receive(uint32_t from, std::byte* data, size_t bytes) {
  ucp_request_param_t param{};
  if (letterheads_ && bytes <= kMostWithLetterhead) {
    auto& packed = ucx_->packed.emplace_back(room_for(bytes), data, bytes);
    data = packed.bytes.get();
    bytes += sizeof(Letterhead);
  }
  void* request = ucp_tag_recv_nbx(ucx_->worker, data, bytes, uint64_t{from} << 48 | number_, ~uint64_t{0}, &param);
  if (UCS_PTR_IS_ERR(request)) must(UCS_PTR_STATUS(request), "ucp_tag_recv_nbx");
  if (request) ucx_->requests.push_back(request);
}

void UcxSide::wait() {
  for (void* request : ucx_->requests) {
    while (ucp_request_check_status(request) == UCS_INPROGRESS)
      if (!ucp_worker_progress(ucx_->worker)) sched_yield();
    must(ucp_request_check_status(request), "a message");
    ucp_request_free(request);
  }
  ucx_->requests.clear();
  for (const auto& packed : ucx_->packed) {
    if (!packed.into) continue;
    Letterhead head;
    std::memcpy(&head, packed.bytes.get(), sizeof head);
    if (head != Letterhead{{number_, packed.data, 1, 2, 3, 4, 5}}) std::abort();
    std::memcpy(packed.into, packed.bytes.get() + sizeof head, packed.data);
  }
  ucx_->packed.clear();
}

}  // namespace bench
