// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"

namespace belay::comm {

// A rank table: which devices of which servers are which ranks.
struct RankTable {
  struct Device {
    uint32_t rank = 0;
    int device = 0;  // physical
    size_t server = 0;
  };
  struct Server {
    std::string id, host_ip;
  };
  std::vector<Server> servers;
  std::vector<Device> devices;  // by rank
  std::string digest;           // of the text: ranks compare it

  // The entry of a rank that runs on this physical device. E_PARA when there are not so many ranks, E_UNAVAIL when the
  // table gives it another device; EI0014.
  Result<Device> find(uint32_t rank, int physical_device) const;
};

// Versions 1.0, 1.1, 1.2 and 2.0. The ids EI0004, EI0014 and EI0017 say what is wrong.
Result<RankTable> parse_rank_table(const std::string& text);

// The same from a file, which is read again while its status is not "completed", up to 1800 s.
Result<RankTable> read_rank_table(const std::string& path);

}  // namespace belay::comm
