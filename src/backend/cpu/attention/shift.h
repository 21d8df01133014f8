// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/cpu/attention/mask.h"

namespace belay::backend::cpu::attention {

// What is added to the scores (pse): a tensor, or slopes times the distance of query and key.
class Shift {
 public:
  struct Request {
    int64_t type = 0;  // pseType: 0 after scaling, 1 before it, 2 and 3 made of slopes
    bool joined = false;
    int64_t query_start = 0, key_start = 0;
  };
  static Result<Shift> make(const WholeCall& call, const Request& request, int64_t heads,
                            const std::vector<Rows>& queries, const std::vector<Rows>& keys);

  bool given() const { return input_ >= 0; }
  bool before_scaling() const { return request_.type == 1; }
  // The shifts of a row for the keys [first, first + count).
  void read(Inputs in, size_t batch, int64_t head, int64_t i, int64_t queries, int64_t keys, int64_t first,
            int64_t count, float* to) const;

 private:
  Request request_;
  int input_ = -1;
  int64_t heads_ = 0, slopes_ = 0;
  Steps steps_;
  int64_t last_rows_ = 0;        // the tensor has only this many of the last rows; 0: all
  std::vector<int64_t> starts_;  // joined: where each sequence's scores begin
};

}  // namespace belay::backend::cpu::attention
