// SPDX-License-Identifier: Apache-2.0
#include "runtime/memory/slabs.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>

#include "base/text.h"
#include "runtime/memory/blocks.h"

namespace belay {
namespace {

constexpr size_t kFirstArena = size_t{8} << 20;
constexpr size_t kLargestArena = size_t{1} << 30;

}  // namespace

// 0…7: multiples of 64 up to 512. Above: 1024, 1536, 2048, then four steps for each doubling, all multiples of 512.
uint32_t Slabs::class_for(size_t bytes) {
  if (bytes <= 512) return static_cast<uint32_t>((std::max<size_t>(bytes, 1) - 1) / 64);
  if (bytes <= 2048) return static_cast<uint32_t>(7 + (bytes - 1) / 512);
  const auto doubling = static_cast<uint32_t>(std::bit_width(bytes - 1) - 12);  // 0 for 2049…4096
  const size_t step = size_t{512} << doubling;
  return static_cast<uint32_t>(11 + 4 * doubling + (bytes - 1 - (size_t{2048} << doubling)) / step);
}

size_t Slabs::class_size(uint32_t size_class) {
  if (size_class < 8) return 64 * (size_class + 1);
  if (size_class < 11) return 512 * (size_class - 6);
  const uint32_t doubling = (size_class - 11) / 4, part = (size_class - 11) % 4;
  return (size_t{2048} << doubling) + (size_t{512} << doubling) * (part + 1);
}

Slabs::~Slabs() {
  for (const Arena& arena : arenas_) {
    blocks().disclaim(arena.base);
    munmap(arena.base, arena.bytes);
  }
}

std::byte* Slabs::allocate(size_t bytes) {
  const uint32_t size_class = class_for(bytes);
  Span* span = open_span(size_class);
  if (!span) return nullptr;
  uint32_t slot = 0;
  if (span->freed.empty()) {
    slot = span->fresh++;
  } else {
    slot = span->freed.back();
    span->freed.pop_back();
  }
  if (++span->live == capacity(*span)) std::erase(open_[size_class], span);
  return span->base + slot * class_size(size_class);
}

Slabs::Span* Slabs::open_span(uint32_t size_class) {
  auto& open = open_[size_class];
  if (!open.empty()) return open.back();
  Span* span = unused_span();
  if (!span) return nullptr;
  span->size_class = size_class;
  open.push_back(span);
  return span;
}

Slabs::Span* Slabs::unused_span() {
  if (!unused_.empty()) {
    Span* span = unused_.back();
    unused_.pop_back();
    return span;
  }
  if ((arenas_.empty() || arenas_.back().used_spans == arenas_.back().spans.size()) && !add_arena()) return nullptr;
  Arena& arena = arenas_.back();
  return &arena.spans[arena.used_spans++];
}

bool Slabs::add_arena() {
  const size_t bytes = arenas_.empty() ? kFirstArena : std::min(arenas_.back().bytes * 2, kLargestArena);
  auto file = SharedFile::create("belay-device", bytes);
  std::byte* base = file ? file->map(0, bytes) : nullptr;
  if (!base) return false;
  Arena arena{std::move(*file), base, bytes, std::vector<Span>(bytes / kSpan)};
  for (size_t i = 0; i < arena.spans.size(); ++i) arena.spans[i].base = base + i * kSpan;
  arenas_.push_back(std::move(arena));
  blocks().claim(base, bytes, device_, lasting_owner(formatted("the memory of device {}", device_)));
  return true;
}

Slabs::Arena* Slabs::arena_of(const std::byte* block) {
  const auto holds = [&](const Arena& arena) { return block >= arena.base && block < arena.base + arena.bytes; };
  const auto found = std::ranges::find_if(arenas_, holds);
  return found == arenas_.end() ? nullptr : &*found;
}

void Slabs::release(std::byte* block) {
  Arena* arena = arena_of(block);
  if (!arena) return;  // of the process that forked this one
  Span& span = arena->spans[static_cast<size_t>(block - arena->base) / kSpan];
  auto& open = open_[span.size_class];
  if (full(span)) open.push_back(&span);
  span.freed.push_back(static_cast<uint16_t>(static_cast<size_t>(block - span.base) / class_size(span.size_class)));
  if (--span.live > 0 || open.size() == 1) return;
  std::erase(open, &span);
  span.freed.clear();
  span.fresh = 0;
  unused_.push_back(&span);
}

Slabs::Backing Slabs::backing(const std::byte* block) {
  const Arena* arena = arena_of(block);
  if (!arena) return {nullptr, 0};
  return {&arena->file, static_cast<size_t>(block - arena->base)};
}

}  // namespace belay
