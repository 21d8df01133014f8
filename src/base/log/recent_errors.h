// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>

namespace belay {

// Errors since they were last read. The newest gives the title; the others follow, oldest first. Keeps the first and
// the latest of them, so that a program that never reads them does not grow. Not thread-safe.
class RecentErrors {
 public:
  void add(const char* id, std::string message);
  // The text for aclGetRecentErrMsg; nothing when there were no errors. Forgets them.
  std::optional<std::string> take();

 private:
  struct Item {
    const char* id;
    std::string time;
    std::string message;
  };
  std::string head(const Item& item) const;

  std::optional<Item> newest_;
  std::deque<std::string> older_;
  size_t dropped_ = 0;
};

}  // namespace belay
