// SPDX-License-Identifier: Apache-2.0
#include "base/log/recent_errors.h"

#include <unistd.h>

#include <utility>

#include "base/catalogue.h"
#include "base/log/log.h"
#include "base/text.h"

namespace belay {
namespace {

constexpr size_t most_others = 64;

}  // namespace

void RecentErrors::add(const char* id, std::string message) {
  Item item{id, log_time(), std::move(message)};
  if (!first_) {
    first_ = std::move(item);
    return;
  }
  const bool leads = message_kind(first_->id).internal() && !message_kind(id).internal();
  if (leads) std::swap(*first_, item);
  if (others_.size() == most_others) {
    others_.pop_front();
    ++dropped_;
  }
  others_.push_back(std::move(item.message));
}

std::string RecentErrors::head(const Item& item) const {
  const MessageKind kind = message_kind(item.id);
  const char* pattern = kind.internal() ? "[PID: {}] {} {}({}):  {}" : "[PID: {}] {} {}({}): {}";
  const std::string line = formatted(pattern, getpid(), item.time, kind.title, item.id, item.message);
  if (kind.internal()) return formatted("{}: Internal error!\n{}{}", item.id, item.id, line);
  return kind.solution ? formatted("{}\n        Solution: {}", line, kind.solution) : line;
}

std::optional<std::string> RecentErrors::take() {
  if (!first_) return {};
  std::string text = head(*first_);
  const char* indent = message_kind(first_->id).internal() ? "\n       " : "\n        ";
  if (!others_.empty()) text += "\nTraceBack (most recent call last):";
  if (dropped_ > 0) text += formatted("{}({} earlier messages dropped)", indent, dropped_);
  for (const std::string& other : others_) text += indent + other;
  *this = {};
  return text;
}

}  // namespace belay
