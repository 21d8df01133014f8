// SPDX-License-Identifier: Apache-2.0
#include "commands/acl_check.h"

#include <stdexcept>

namespace belay::tools {

std::string sentence_first(std::string message, const std::string& function, aclError code) {
  std::string id;
  // "[PID: 1] <time> <Title>(<id>): <function>: <sentence>"; internal errors have a line of their own before it.
  const size_t pid = message.find("[PID: ");
  const size_t open = message.find('(', pid == std::string::npos ? 0 : pid), close = message.find("):", open);
  if (pid != std::string::npos && close != std::string::npos) {
    id = message.substr(open + 1, close - open - 1);
    message.erase(0, message.find_first_not_of(' ', close + 2));
  }
  if (message.starts_with(function + ": ")) message.erase(0, function.size() + 2);
  const size_t end = message.find('\n');
  const std::string returned =
      "\n  " + function + " returned " + std::to_string(code) + (id.empty() ? "" : " (" + id + ")");
  return end == std::string::npos ? message + returned : message.insert(end, returned);
}

void check(aclError code, const char* function) {
  if (code == ACL_SUCCESS) return;
  const char* why = aclGetRecentErrMsg();
  throw std::runtime_error(sentence_first(why ? why : "the library gives no reason", function, code));
}

}  // namespace belay::tools
