// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "backend/cpu/function_kernel.h"
#include "backend/kernel.h"

namespace belay::backend::cpu {

// What an operator that computes a whole aclnn call was given (operators/composition.h makes them): tensors by the
// names that the recipe gives them, results by their place among the recipe's targets, numbers as attributes. Such a
// kernel may leave parts of a result as they were; where a tensor is both an input and a result, they may be one
// memory.
class WholeCall {
 public:
  explicit WholeCall(const KernelRequest& request);

  // Places among the node's inputs, in the order of the list.
  std::vector<size_t> inputs(std::string_view name) const;
  // The first of them; -1 when there is none, or when it has no elements.
  int input(std::string_view name) const;
  // The same whatever the number of its elements.
  int even_empty(std::string_view name) const;
  const graph::TensorInfo& info(int input) const { return request_.inputs[static_cast<size_t>(input)]; }

  std::vector<size_t> outputs(size_t target) const;
  int output(size_t target) const;  // -1: null
  // The output whose target has this place among the words of the attribute "roles"; -1: there is none, or it is null.
  int result_named(std::string_view role) const;
  const graph::TensorInfo& result(int output) const { return request_.outputs[static_cast<size_t>(output)]; }

  bool has(std::string_view attribute) const { return request_.node.attributes.contains(attribute); }
  int64_t integer(std::string_view attribute, int64_t fallback = 0) const;
  double real(std::string_view attribute, double fallback = 0) const;
  bool flag(std::string_view attribute) const { return integer(attribute) != 0; }
  std::string text(std::string_view attribute, std::string fallback = "") const;
  std::vector<int64_t> ints(std::string_view attribute) const;

  // Refuses a tensor that was given although it is not supported.
  Status absent(std::initializer_list<std::string_view> names) const;
  // Refuses a tensor that was given without elements: kernels divide by its lengths.
  Status filled(std::initializer_list<std::string_view> names) const;
  // Refuses a tensor of these names, or a member of a list, with elements that is_real does not know.
  Status all_real(std::initializer_list<std::string_view> names) const;
  // The same, that reads_floats does not know.
  Status all_numbers(std::initializer_list<std::string_view> names) const;

 private:
  Status all_of(std::initializer_list<std::string_view> names, bool (*known)(DataType)) const;

  const KernelRequest& request_;
  const std::vector<std::string> ports_;
  const std::vector<int64_t> results_;
};

// A kernel of a whole call, with the pairs (output, input) that may be one memory.
template <class Run>
class WholeKernel : public Kernel {
 public:
  WholeKernel(std::vector<std::pair<size_t, size_t>> shared, Run run)
      : shared_(std::move(shared)), run_(std::move(run)) {}
  Status run(Inputs inputs, Outputs outputs) override { return run_(inputs, outputs); }
  bool in_place(size_t o, size_t i) const override { return std::ranges::count(shared_, std::pair{o, i}) > 0; }

 private:
  const std::vector<std::pair<size_t, size_t>> shared_;
  Run run_;
};
template <class Run>
MadeKernel whole_kernel(std::vector<std::pair<size_t, size_t>> shared, Run run) {
  return std::unique_ptr<Kernel>(std::make_unique<WholeKernel<Run>>(std::move(shared), std::move(run)));
}
// What an output that is changed in place begins with.
void copy_unless_same(const Tensor& from, Tensor& to);

// The tensor at a place of WholeCall; one that is not present for -1.
inline Tensor tensor_at(Inputs in, int place) {
  return place < 0 ? Tensor{.present = false} : in[static_cast<size_t>(place)];
}

// Float, Float16 and BFloat16: what write_floats writes.
bool is_real(DataType type);
// Elements [begin, begin + count) of a tensor as floats: Float, Float16, BFloat16, Int8, UInt8, Int32, Int64, Int4; of
// UInt64, the scale that its low half is. `reads_floats` says which types it knows. As
// write_floats, it throws std::invalid_argument for the others, before it touches memory.
bool reads_floats(DataType type);
void read_floats(const Tensor& from, int64_t begin, int64_t count, float* to);
// Floats rounded to the tensor's type, from element `begin` on.
void write_floats(const float* from, int64_t count, Tensor& to, int64_t begin);
// The whole tensor; empty when it is not present.
std::vector<float> all_floats(const Tensor& tensor);

// Int4 elements that a tensor holds, also of one of Int32, which has 8 in each element.
bool holds_int4(DataType type);
inline int int4_at(const void* bytes, int64_t element) {
  const auto byte = static_cast<const uint8_t*>(bytes)[element / 2];
  const int value = element % 2 ? byte >> 4 : byte & 15;
  return value < 8 ? value : value - 16;
}

}  // namespace belay::backend::cpu
