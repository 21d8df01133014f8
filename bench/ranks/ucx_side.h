// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sides.h"

namespace bench {

// UCX's tagged messages, bare: the same exchanges, the program's thread moves them and yields while there is nothing.
class UcxSide : public Side {
 public:
  // `letterheads`: what Belay adds to a message up to 8 KiB, and compares.
  UcxSide(std::string side, uint32_t rank, uint32_t size, const Memory& memory, bool letterheads);
  ~UcxSide() override;
  std::string address() const;
  void connect(const std::vector<std::string>& addresses);
  void run(Operation operation, size_t bytes, int times) override;

 private:
  struct Ucx;
  void once(Operation operation, size_t bytes);
  void reduce_small(size_t count);
  void reduce_large(size_t count);
  void send(uint32_t to, const std::byte* data, size_t bytes);
  void receive(uint32_t from, std::byte* data, size_t bytes);
  void wait();
  std::byte* room(uint32_t peer, size_t stride) const { return memory_.room + peer * stride; }

  Ucx* const ucx_;
  const uint32_t rank_, size_;
  const Memory memory_;
  const bool letterheads_;
  uint64_t number_ = 0;
};

}  // namespace bench
