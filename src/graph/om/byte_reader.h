// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace belay::graph {

// Takes little-endian values from the front of some bytes; never past their end.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : rest_(bytes) {}

  size_t left() const { return rest_.size(); }

  // Nothing when there are fewer bytes left.
  std::optional<std::span<const std::byte>> take(uint64_t count) {
    if (count > rest_.size()) return {};
    const auto taken = rest_.first(static_cast<size_t>(count));
    rest_ = rest_.subspan(static_cast<size_t>(count));
    return taken;
  }
  template <class T>
  requires std::is_trivially_copyable_v<T> std::optional<T> take() {
    const auto bytes = take(sizeof(T));
    if (!bytes) return {};
    T value;
    std::memcpy(&value, bytes->data(), sizeof(T));
    return value;
  }
  std::optional<std::string> take_text(uint64_t length) {
    const auto bytes = take(length);
    if (!bytes) return {};
    return std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  template <class T>
  std::optional<std::vector<T>> take_list(uint64_t count) {
    if (count > rest_.size() / sizeof(T)) return {};
    const auto bytes = *take(count * sizeof(T));
    std::vector<T> list(static_cast<size_t>(count));
    if (!list.empty()) std::memcpy(list.data(), bytes.data(), bytes.size());
    return list;
  }

 private:
  std::span<const std::byte> rest_;
};

// Appends little-endian values.
class ByteWriter {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T>
  void put(T value) { put_raw(&value, sizeof(T)); }
  void put_text(const std::string& text) { put_raw(text.data(), text.size()); }
  template <class T>
  void put_list(const std::vector<T>& list) {
    put_raw(list.data(), list.size() * sizeof(T));
  }
  void put_bytes(std::span<const std::byte> bytes) { bytes_.insert(bytes_.end(), bytes.begin(), bytes.end()); }
  void put_zeros(size_t count) { bytes_.resize(bytes_.size() + count); }

  size_t size() const { return bytes_.size(); }
  void reserve(size_t bytes) { bytes_.reserve(bytes); }
  std::vector<std::byte> finish() && { return std::move(bytes_); }

 private:
  void put_raw(const void* data, size_t size) { put_bytes({static_cast<const std::byte*>(data), size}); }

  std::vector<std::byte> bytes_;
};

}  // namespace belay::graph
