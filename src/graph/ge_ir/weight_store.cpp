// SPDX-License-Identifier: Apache-2.0
#include "graph/ge_ir/weight_store.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "base/files/mapped_file.h"

namespace belay::graph {
namespace {

constexpr uint64_t kAlignment = 512;

size_t hash_of(std::span<const std::byte> bytes) {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
}

}  // namespace

const WeightStore::Piece* WeightStore::find(std::span<const std::byte> bytes, size_t hash) const {
  const auto [first, end] = by_hash_.equal_range(hash);
  for (auto each = first; each != end; ++each) {
    const Piece& piece = pieces_[each->second];
    if (std::ranges::equal(piece.bytes, bytes)) return &piece;
  }
  return nullptr;
}

uint64_t WeightStore::add(std::span<const std::byte> bytes) {
  if (bytes.empty()) return 0;
  const size_t hash = hash_of(bytes);
  forget_pages(bytes.data(), bytes.size());  // they are needed again only when the file is written
  if (const Piece* known = find(bytes, hash)) return known->offset;
  const uint64_t offset = size_;
  by_hash_.emplace(hash, pieces_.size());
  pieces_.push_back({offset, bytes});
  size_ = (offset + bytes.size() + kAlignment - 1) / kAlignment * kAlignment;
  return offset;
}

Pieces WeightStore::pieces() const {
  static constexpr std::byte zeros[kAlignment] = {};
  Pieces all;
  uint64_t end = 0;
  for (const Piece& piece : pieces_) {
    all.push_back({zeros, piece.offset - end});
    all.push_back(piece.bytes);
    end = piece.offset + piece.bytes.size();
  }
  all.push_back({zeros, size() - end});
  return all;
}

}  // namespace belay::graph
