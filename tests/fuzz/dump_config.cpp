// SPDX-License-Identifier: Apache-2.0
#include "dump/config/config.h"

#include <cstdlib>
#include <cstring>

// Any text is accepted, or refused with a code, a message id and a sentence; what is accepted keeps its promises.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace belay;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = dump::parse_config(text, [](const std::string&) { return Status{}; });
  if (!config.ok()) {
    const Status& status = config.status();
    if (status.code != ACL_ERROR_INVALID_DUMP_CONFIG && status.code != ACL_ERROR_PARSE_FILE) abort();
    if (status.message.empty() || !status.message_id || strncmp(status.message_id, "EP000", 5) != 0) abort();
    return 0;
  }
  for (const dump::StepRange& range : (*config).steps)
    if (range.first > range.last || !(*config).wants_step(range.first) || !(*config).wants_step(range.last)) abort();
  const dump::Kind kind = (*config).kind();
  if (kind != dump::Kind::None && kind != dump::Kind::Exception && (*config).path.empty()) abort();
  for (const dump::ListItem& item : (*config).list) {
    if (kind == dump::Kind::Watch && item.watcher_nodes.empty()) abort();
    if (kind == dump::Kind::Operator && !item.ranges.empty() && item.model_name.empty()) abort();
  }
  return 0;
}
