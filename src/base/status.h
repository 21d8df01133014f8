// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "acl/acl_base.h"

namespace belay {

// Success, or an AscendCL error code with the sentence a user will read.
struct [[nodiscard]] Status {
  aclError code = ACL_SUCCESS;
  std::string message;
  // The catalogue number of the message ("EH0008"); null: the usual one for the code.
  const char* message_id = nullptr;
  // Polling calls fail often and on purpose: they leave no text behind.
  bool silent = false;
  // A few errors are not remembered for aclrtGetLastError although others of their code are.
  bool unrecorded = false;

  bool ok() const { return code == ACL_SUCCESS; }
  const Status& status() const { return *this; }
  void value() const {}
};

// A T, or the Status that says why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::move(value)) {}
  Result(Status error) : held_(std::move(error)) {}
  bool ok() const { return held_.index() == 0; }
  T value() && { return std::get<0>(std::move(held_)); }
  const T& operator*() const { return std::get<0>(held_); }
  const Status& status() const { return std::get<1>(held_); }

 private:
  std::variant<T, Status> held_;
};

// The value of a Status or Result; on error, returns it from the enclosing function.
#define TRY(expr)                             \
  __extension__({                             \
    auto tried_ = (expr);                     \
    if (!tried_.ok()) return tried_.status(); \
    std::move(tried_).value();                \
  })

}  // namespace belay
