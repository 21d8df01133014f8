// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "graph/tensor/types.h"

// Which types aclnn operators compute in: the rules of PyTorch.
namespace belay::operators {

enum class Category { Bool, Integer, Float, Complex, Other };

Category category_of(graph::DataType type);
// A float of 16 bits.
bool is_narrow(graph::DataType type);
// The smallest type that holds both.
graph::DataType promote(graph::DataType a, graph::DataType b);
// Whether a result of one type may be stored as another: never from a higher category to a lower one.
bool may_store(graph::DataType result, graph::DataType stored);

// The number, or the first or last of an integer type that is nearest to it. Numbers of UInt64 lie in an int64_t as
// bits: they stay.
int64_t limited_to(graph::DataType type, int64_t number);

// Gathers the type of an expression of tensors and numbers. Tensors with dimensions decide; scalars, then numbers, only
// raise the category.
class ResultType {
 public:
  void add_tensor(graph::DataType type, bool has_dimensions);
  void add_number(graph::DataType type);
  graph::DataType get() const;

 private:
  graph::DataType dimensioned_ = graph::DataType::Undefined, scalar_ = graph::DataType::Undefined,
                  number_ = graph::DataType::Undefined;
};

}  // namespace belay::operators
