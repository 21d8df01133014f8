// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "dump/format/record_reader.h"
#include "inspect/header_json.h"

// Any bytes are a dump file or are refused with a sentence; what was read is written and read again as the same.
// The header alone, as the vendor's tools ask for it, becomes JSON whatever its bytes are.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace belay;
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto dump = dump::read_dump(bytes);
  const auto alone = dump::read_header(bytes);
  if (dump.ok() && (!alone.ok() || !(*alone == (*dump).header))) abort();
  if (alone.ok() && !nlohmann::json::accept(inspect::header_json(*alone))) abort();
  if (!dump.ok()) {
    if (dump.status().code != ACL_ERROR_PARSE_FILE || dump.status().message.empty()) abort();
    return 0;
  }
  const dump::Header& header = (*dump).header;
  if (header.data_bytes() > size) abort();
  const std::string message = dump::encode_message(header);
  const auto again = dump::decode_message(std::as_bytes(std::span(message)));
  if (!again.ok() || !(*again == header)) abort();
  return 0;
}
