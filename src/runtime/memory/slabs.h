// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "runtime/memory/shared_file.h"

namespace belay {

// Small blocks of one device. They are cut from spans, spans from arenas; an arena is a shared file, so that its blocks
// can be shown to other processes as they are. Not safe from several threads.
class Slabs {
 public:
  static constexpr size_t kLargest = size_t{64} << 10;

  explicit Slabs(int device) : device_(device) {}
  ~Slabs();

  // At least `bytes` (up to kLargest), aligned to 64, and to 512 from 512 bytes on. Null when the host has no memory.
  std::byte* allocate(size_t bytes);
  void release(std::byte* block);

  // The file behind a block, and where in it.
  struct Backing {
    const SharedFile* file;
    size_t offset;
  };
  Backing backing(const std::byte* block);

 private:
  static constexpr size_t kSpan = size_t{256} << 10;
  static constexpr size_t kClasses = 32;

  // A piece of an arena that holds blocks of one size.
  struct Span {
    std::byte* base = nullptr;
    uint32_t size_class = 0;
    uint32_t live = 0;
    uint32_t fresh = 0;           // slots from here on were never used
    std::vector<uint16_t> freed;  // slots before that
  };
  struct Arena {
    SharedFile file;
    std::byte* base;
    size_t bytes;
    std::vector<Span> spans;
    size_t used_spans = 0;
  };
  static uint32_t class_for(size_t bytes);
  static size_t class_size(uint32_t size_class);
  static uint32_t capacity(const Span& span) { return static_cast<uint32_t>(kSpan / class_size(span.size_class)); }
  static bool full(const Span& span) { return span.live == capacity(span); }
  Span* open_span(uint32_t size_class);
  Span* unused_span();
  bool add_arena();
  Arena* arena_of(const std::byte* block);

  const int device_;
  std::vector<Arena> arenas_;                        // spans are never moved: an arena's vector does not grow
  std::vector<Span*> unused_;                        // spans without blocks
  std::array<std::vector<Span*>, kClasses> open_{};  // spans with room, by size class
};

}  // namespace belay
