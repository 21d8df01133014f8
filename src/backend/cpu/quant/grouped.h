// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/quant/scaled_product.h"

namespace belay::backend::cpu {

// Products of the rows of x with one weight for each group of them, as the GroupedMatmul functions describe them.
class Grouped {
 public:
  // By the types of x and weight: the same; of fewer bits in the weight; INT8 both; INT8 and INT4; INT4 both.
  enum class Kind { Plain, Weight, Whole, Mixed, Small };

  static Result<Grouped> make(const KernelRequest& request);

  Kind kind() const { return kind_; }
  int64_t columns() const { return n_; }
  bool by_columns() const { return group_type_ == 2; }
  // Rows that the groups have at the most: those of all x.
  int64_t rows() const { return m_; }

  // Columns [first, first + count) of a row: of the group's own rows, and of all rows.
  struct Part {
    size_t group;
    int64_t group_row, row, first, count;
    const float* values;   // finished, but for `exact`
    const int32_t* exact;  // of Kind::Whole: sums with an integer bias
  };
  using Store = std::function<void(const Part&)>;
  // `values` have scale, scale of the token, bias and activation; for an output of INT32 only `exact` counts.
  Status run(Inputs in, const Store& store) const;

  // Rows of each group, in the order of the list; the weight that it has.
  struct Group {
    int64_t weight, first, count;
  };
  Result<std::vector<Group>> groups(Inputs in) const;
  size_t tensors_of_x() const { return x_.size(); }
  // Of the weight with this number; the first ones serve all where there is one tensor.
  int64_t columns_of(int64_t weight) const { return weight_shapes_[own(weight_shapes_, weight)].back(); }
  // The rows that come out for a group when each takes columns of x.
  int64_t rows_of(const Group& group) const { return x_shapes_[own(x_shapes_, group.weight)][x_turned_ ? 1 : 0]; }

 private:
  struct Numbers {
    std::vector<std::vector<float>> lists;
    // The `count` numbers of a group; null when there are none.
    const float* of(int64_t group, int64_t count) const;
  };
  Status set_kind(const WholeCall& call);
  Status set_sizes(const WholeCall& call);
  Numbers read(Inputs in, const std::vector<size_t>& inputs, bool words) const;
  // The rows of numbers that each weight has in `inputs`: 1, or with `grouped` one for each group of its rows.
  Result<int64_t> rows_in(const WholeCall& call, const std::string& name, const std::vector<size_t>& inputs,
                          bool grouped) const;
  static size_t own(const std::vector<Shape>& shapes, int64_t group) {
    return shapes.size() == 1 ? 0 : static_cast<size_t>(group);
  }

  std::string label_;
  Kind kind_ = Kind::Plain;
  std::vector<size_t> x_, weight_, bias_, scale_, offset_, anti_scale_, anti_offset_, token_;
  int list_ = -1;
  std::vector<int64_t> list_numbers_;
  bool has_list_ = false, whole_bias_ = false, x_turned_ = false;
  bool mixed_by_size_ = false;  // of INT8 with INT4, the list has sizes whatever its type says
  int64_t list_type_ = 0, group_type_ = 0, act_ = 0;
  int64_t m_ = 0, n_ = 0, k_ = 0, experts_ = 0, scale_rows_ = 1;
  std::vector<Shape> x_shapes_, weight_shapes_;
};

// relu, gelu by tanh, gelu by erf, fast gelu, silu: 1 to 5; 0: as it is.
float activated(int64_t act, float x);

}  // namespace belay::backend::cpu
