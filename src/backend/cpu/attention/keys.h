// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "backend/cpu/attention/sequences.h"
#include "backend/cpu/whole_call.h"

namespace belay::backend::cpu::attention {

// Numbers that make quantised keys or values real ones: (x + offset) * scale.
struct AntiQuant {
  int scale = -1, offset = -1;  // inputs; -1: none
  int64_t mode = 0;
  int part = -1;  // 0, 1: the half of the two inputs that is meant; -1: all of them
};

// The keys or the values of a call, or the rotated part of the keys: one tensor, one for each batch, or blocks.
class Keys {
 public:
  // `heads` 0: as many as the tensor has. `size` is the number of components of a head, where only it tells.
  // `paged`: the tensors are blocks of `block_size` rows that `table` names.
  struct Request {
    std::string what, port, layout;
    int64_t heads = 0, size = 0, block_size = 0;
    bool paged = false;
  };
  static Result<Keys> make(const WholeCall& call, const Request& request);
  // Of `batches` the first `rows` rows of their tensors are read, or fewer.
  Status set_quant(const WholeCall& call, const AntiQuant& quant, int64_t batches, int64_t rows);

  int64_t heads() const { return heads_[0].heads; }
  int64_t size() const { return size_; }
  size_t tensors() const { return heads_.size(); }
  int64_t batches() const { return heads_.size() > 1 ? static_cast<int64_t>(heads_.size()) : heads_[0].batches; }
  const Heads& shape(int64_t batch) const { return heads_[heads_.size() > 1 ? static_cast<size_t>(batch) : 0]; }
  DataType type() const { return type_; }
  bool paged() const { return paged_; }
  int64_t block_size() const { return block_size_; }
  int64_t blocks() const { return blocks_; }

  // What a run reads.
  struct Source {
    const Keys& keys;
    Inputs in;
    const int64_t* table = nullptr;  // block of each part of each batch, when paged
    int64_t table_width = 0;
    std::vector<float> scales, offsets;

    // Rows [first, first + count) of a head as floats, `step` elements apart; `rows` are those of the batch.
    // The blocks that the table names must be there.
    void read(int64_t batch, int64_t head, const Rows& rows, int64_t first, int64_t count, float* to,
              int64_t step) const;

   private:
    float factor(const std::vector<float>& from, int64_t batch, int64_t head, int64_t row, int64_t block,
                 int64_t in_block, int64_t d) const;
  };
  Source source(Inputs in, const std::vector<int64_t>& table, int64_t table_width) const;

 private:
  void read_row(const Tensor& from, int64_t at, float* to) const;

  std::vector<size_t> inputs_;
  std::vector<Heads> heads_;
  DataType type_ = DataType::Undefined;
  int64_t size_ = 0, block_size_ = 0, blocks_ = 0;
  bool paged_ = false;
  int64_t slice_ = 0;  // of blocks in slices: components that lie together; else 0
  AntiQuant quant_;
  int64_t scale_columns_ = 0;  // rows of a batch in scales by token
  int64_t scale_count_ = 0;
};

}  // namespace belay::backend::cpu::attention
