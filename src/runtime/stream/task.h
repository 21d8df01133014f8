// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/status.h"

namespace belay {

// One unit of work on a stream: a move-only callable that returns a Status. Small captures are kept inside, so that
// queueing a task does not allocate. A task that is dropped is destroyed without being called.
class Task {
 public:
  template <class F>
  requires(!std::is_same_v<std::remove_cvref_t<F>, Task>) Task(F&& body) {
    using Body = std::remove_cvref_t<F>;
    if constexpr (sizeof(Body) <= kInline && alignof(Body) <= alignof(std::max_align_t) &&
                  std::is_nothrow_move_constructible_v<Body>) {
      new (storage_) Body(std::forward<F>(body));
      ops_ = &kOps<Body>;
    } else {
      using Boxed = Box<Body>;
      new (storage_) Boxed{std::make_unique<Body>(std::forward<F>(body))};
      ops_ = &kOps<Boxed>;
    }
  }
  Task(Task&& other) noexcept : ops_(std::exchange(other.ops_, nullptr)) {
    if (ops_) ops_->move(storage_, other.storage_);
  }
  Task& operator=(Task&&) = delete;
  ~Task() {
    if (ops_) ops_->destroy(storage_);
  }

  Status operator()() { return ops_->call(storage_); }

 private:
  static constexpr size_t kInline = 64;
  template <class Body>
  struct Box {
    std::unique_ptr<Body> body;
    decltype(auto) operator()() { return (*body)(); }
  };
  struct Ops {
    Status (*call)(void*);
    void (*move)(void* to, void* from);
    void (*destroy)(void*);
  };
  template <class Body>
  static constexpr Ops kOps = {
      [](void* self) -> Status {
        if constexpr (std::is_void_v<std::invoke_result_t<Body&>>) {
          (*static_cast<Body*>(self))();
          return {};
        } else {
          return (*static_cast<Body*>(self))();
        }
      },
      [](void* to, void* from) {
        auto* body = static_cast<Body*>(from);
        new (to) Body(std::move(*body));
        body->~Body();
      },
      [](void* self) { static_cast<Body*>(self)->~Body(); },
  };

  const Ops* ops_;
  alignas(std::max_align_t) std::byte storage_[kInline];
};

}  // namespace belay
