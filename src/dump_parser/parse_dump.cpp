// SPDX-License-Identifier: Apache-2.0
// libascend_dump_parser.so: the vendor's tools load it to read the headers of dump files.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/files/atomic_file.h"
#include "dump/format/record_reader.h"
#include "inspect/header_json.h"

namespace {

enum Outcome : int32_t { kDone = 0, kRefused = -1 };

int32_t parse(const char* data, size_t size, const char* json_path) {
  const auto header = belay::dump::read_header(std::as_bytes(std::span(data, size)));
  if (!header.ok()) return kRefused;
  return belay::write_file(json_path, belay::inspect::header_json(*header)).ok() ? kDone : kRefused;
}

}  // namespace

// Writes the header of the dump file at `data` as JSON into a new file. `data` is the whole file: the length of the
// header, the header, the tensors' bytes, which are not looked at. 0: done; -1: that is no dump file, or the JSON
// cannot be written.
extern "C" __attribute__((visibility("default"))) int32_t ParseDumpProtoToJson(const char* data, size_t len,
                                                                               const char* jsonPath) {
  if ((!data && len > 0) || !jsonPath) return kRefused;
  try {
    return parse(data, len, jsonPath);
  } catch (...) {  // the caller may be C or Python
    return kRefused;
  }
}
