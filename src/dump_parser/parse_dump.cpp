// SPDX-License-Identifier: Apache-2.0
// libascend_dump_parser.so: the vendor's tools load it to read the headers of dump files.
#include <cstddef>
#include <cstdint>
#include <exception>
#include <fstream>
#include <span>

#include "dump/record_reader.h"
#include "inspect/header_json.h"

namespace {

enum Outcome : int32_t { kDone = 0, kRefused = -1 };

int32_t parse(const char* data, size_t size, const char* json_path) {
  const auto header = belay::dump::decode_message(std::as_bytes(std::span(data, size)));
  if (!header.ok()) return kRefused;
  std::ofstream file(json_path);
  file << belay::inspect::header_json(*header);
  file.close();
  return file ? kDone : kRefused;
}

}  // namespace

// Writes the header message at `data` as JSON into a new file. 0: done; -1: it is no such message, or the file cannot
// be written.
extern "C" __attribute__((visibility("default"))) int32_t ParseDumpProtoToJson(const char* data, size_t len,
                                                                               const char* jsonPath) {
  if ((!data && len > 0) || !jsonPath) return kRefused;
  try {
    return parse(data, len, jsonPath);
  } catch (const std::exception&) {
    return kRefused;
  }
}
