// SPDX-License-Identifier: Apache-2.0
#include "base/log/recent_errors.h"

#include <unistd.h>

#include <utility>

#include "base/catalogue.h"
#include "base/log/log.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr size_t most_older = 64;

}  // namespace

void RecentErrors::add(const char* id, std::string message) {
  if (newest_) {
    if (older_.size() == most_older) {
      older_.erase(older_.begin() + 1);
      ++dropped_;
    }
    older_.push_back(std::move(newest_->message));
  }
  newest_ = Item{id, log_time(), std::move(message)};
}

std::string RecentErrors::head(const Item& item) const {
  const MessageKind kind = message_kind(item.id);
  const char* pattern = kind.internal() ? "[PID: {}] {} {}({}):  {}" : "[PID: {}] {} {}({}): {}";
  const std::string line = formatted(pattern, getpid(), item.time, kind.title, item.id, item.message);
  if (kind.internal()) return formatted("{}: Internal error!\n{}{}", item.id, item.id, line);
  return kind.solution ? formatted("{}\n        Solution: {}", line, kind.solution) : line;
}

std::optional<std::string> RecentErrors::take() {
  if (!newest_) return {};
  std::string text = head(*newest_);
  const char* indent = message_kind(newest_->id).internal() ? "\n       " : "\n        ";
  if (!older_.empty()) text += "\nTraceBack (most recent call last):";
  for (size_t i = 0; i < older_.size(); ++i) {
    if (i == 1 && dropped_ > 0) text += formatted("{}({} messages dropped)", indent, dropped_);
    text += indent + older_[i];
  }
  *this = {};
  return text;
}

}  // namespace belay
