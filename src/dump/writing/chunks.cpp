// SPDX-License-Identifier: Apache-2.0
#include "dump/writing/chunks.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string_view>

#include "base/log/log.h"

namespace belay::dump {
namespace {

// The bytes of a file, one after the other.
class Content {
 public:
  explicit Content(const Outgoing& item) : left_(item.bytes()) {
    parts_.push_back(std::as_bytes(std::span(item.head)));
    for (const Piece& piece : item.pieces) parts_.push_back({static_cast<const std::byte*>(piece.data), piece.bytes});
  }
  uint64_t left() const { return left_; }
  void copy(uint8_t* to, size_t bytes) {
    left_ -= bytes;
    while (bytes > 0) {
      const size_t now = std::min(bytes, parts_[part_].size());
      std::memcpy(to, parts_[part_].data(), now);
      parts_[part_] = parts_[part_].subspan(now);
      if (parts_[part_].empty()) ++part_;
      to += now;
      bytes -= now;
    }
  }

 private:
  std::vector<std::span<const std::byte>> parts_;
  size_t part_ = 0;
  uint64_t left_;
};

// The path as it fits a chunk: one that is too long ends in digits, as on disk.
std::string shown_name(const Place& place) {
  std::string shown = place.shown();
  if (shown.size() < ACL_DUMP_MAX_FILE_PATH_LENGTH) return shown;
  return Place{place.root, place.directory, digits_for(shown)}.shown().substr(0, ACL_DUMP_MAX_FILE_PATH_LENGTH - 1);
}

void call(DumpCallback callback, const acldumpChunk& chunk) {
  try {
    const int32_t code = callback(&chunk, static_cast<int32_t>(sizeof chunk + chunk.bufLen));
    if (code != 0) log_error(LogModule::Dump, "the dump callback returned {} for {}", code, chunk.fileName);
  } catch (...) {
    log_error(LogModule::Dump, "the dump callback threw an exception for {}", chunk.fileName);
  }
}

}  // namespace

void deliver(const Outgoing& item, DumpCallback callback, size_t most) {
  Content content(item);
  const size_t first = std::min<uint64_t>(content.left(), std::max(most, item.head.size()));  // holds a whole header
  const std::unique_ptr<void, decltype(&std::free)> memory(std::malloc(sizeof(acldumpChunk) + first), std::free);
  if (!memory) throw std::bad_alloc();
  auto* chunk = new (memory.get()) acldumpChunk;
  const std::string name = shown_name(item.place);
  std::memset(chunk->fileName, 0, sizeof chunk->fileName);
  std::memcpy(chunk->fileName, name.data(), name.size());
  chunk->offset = -1;
  chunk->flag = 0;
  for (size_t bytes = first; content.left() > 0; bytes = std::min<uint64_t>(content.left(), most)) {
    content.copy(chunk->dataBuf, bytes);
    chunk->bufLen = static_cast<uint32_t>(bytes);
    chunk->isLastChunk = content.left() == 0;
    call(callback, *chunk);
  }
}

}  // namespace belay::dump
