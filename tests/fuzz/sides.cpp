// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdlib>

#include "compare/arrays/array_file.h"
#include "compare/arrays/zip_file.h"
#include "compare/matching/fusion_json.h"
#include "compare/sides/stored_source.h"
#include "dump/format/record_reader.h"
#include "inspect/tensor.h"

namespace {

using namespace belay;
using namespace belay::compare;

constexpr int64_t kPart = 1000;
constexpr uint64_t kMostUnpacked = 1 << 20;

void refused(const Status& status) {
  if (status.ok() || status.message.empty()) abort();
}

// Every element of what was accepted can be read, in parts, and nothing beyond them.
void read_all(StoredTensor tensor) {
  const auto source = make_stored_source(std::move(tensor));
  if (!source.ok()) return refused(source.status());
  std::vector<std::byte> storage;
  const int64_t count = (*source)->count();
  const size_t size = (graph::bits_of((*source)->type()) + 7) / 8;
  for (int64_t first = 0; first < count; first += kPart) {
    const int64_t part = std::min(kPart, count - first);
    const auto read = (*source)->read(first, part, storage);
    if (!read.ok() || (*read).size() != static_cast<size_t>(part) * size) abort();
  }
  if ((*source)->read(count, 1, storage).ok()) abort();
}

void read_npy(std::span<const std::byte> bytes) {
  auto tensor = parse_npy(bytes);
  tensor.ok() ? read_all(std::move(tensor).value()) : refused(tensor.status());
}

}  // namespace

// Any bytes are an array, an archive of arrays, a dump file or the JSON of a model, or are refused with a sentence.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  read_npy(bytes);
  auto tensors = parse_safetensors(bytes);
  if (!tensors.ok()) refused(tensors.status());
  if (tensors.ok())
    for (NamedTensor& named : std::move(tensors).value()) read_all(std::move(named.tensor));
  const auto members = read_zip(bytes);
  if (!members.ok()) refused(members.status());
  for (const ZipEntry& entry : members.ok() ? *members : std::vector<ZipEntry>()) {
    if (!entry.deflated && check_stored(entry, bytes).ok()) read_npy(bytes.subspan(entry.offset, entry.packed));
    if (!entry.deflated || entry.size > kMostUnpacked) continue;
    const auto unpacked = unpack(entry, bytes);
    unpacked.ok() ? read_npy((*unpacked)->bytes()) : refused(unpacked.status());
  }
  if (const auto dump = dump::read_dump(bytes); dump.ok())
    for (const inspect::DumpedTensor& tensor : inspect::tensors_of(*dump))
      read_all({.type = tensor.type,
                .form = {tensor.format, tensor.shape, tensor.groups},
                .logical = inspect::logical_form(tensor),
                .bytes = tensor.bytes});
  if (const auto map = parse_fusion_json({reinterpret_cast<const char*>(data), size}); !map.ok()) refused(map.status());
  return 0;
}
