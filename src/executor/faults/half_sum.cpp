// SPDX-License-Identifier: Apache-2.0
#include "executor/faults/half_sum.h"

#include <algorithm>

#include "base/threads/parallel.h"
#include "executor/faults/injection.h"
#include "executor/graph_walk.h"
#include "graph/infer/product_plan.h"
#include "graph/tensor/element.h"

namespace belay::executor {
namespace {

using backend::Tensor;
using graph::Half;
using graph::ProductPlan;

constexpr const char* kNoProduct = "the operator is no matrix product or convolution of floats";

float in_half(float value) { return static_cast<float>(Half(value)); }

template <class T>
class HalfSum : public backend::Kernel {
 public:
  explicit HalfSum(ProductPlan plan) : plan_(std::move(plan)) {}

  Status run(std::span<const Tensor> inputs, std::span<Tensor> outputs) override {
    const T *left = inputs[0].as<T>(), *right = inputs[1].as<T>();
    const T* bias = inputs.size() > 2 && inputs[2].present ? inputs[2].as<T>() : nullptr;
    T* output = outputs[0].as<T>();
    parallel_pieces(graph::element_count(plan_.output()), current_threads(), [&](int64_t element, int64_t) {
      float sum = 0;
      for (const auto& term : plan_.terms(element))
        sum = in_half(sum + in_half(static_cast<float>(left[term.left]) * static_cast<float>(right[term.right])));
      if (bias) sum = in_half(sum + static_cast<float>(bias[plan_.bias(element)]));
      output[element] = T(sum);
    });
    return {};
  }

 private:
  const ProductPlan plan_;
};

const OpFault* fault_for(const graph::Node& node, bool single) {
  for (const OpFault& fault : faults().ops)
    if (fault.kind == OpFault::Kind::HalfSum && is_meant(fault.op, node, single)) {
      if (!faults().device) return &fault;
      say_fault_is_idle(fault, "it cannot be kept to one device; leave device= out");
    }
  return nullptr;
}

std::unique_ptr<backend::Kernel> make_half_sum(const backend::KernelRequest& request) {
  const auto plan = ProductPlan::of(request.node, request.inputs);
  if (!plan || request.outputs.empty() || plan->output() != request.outputs[0].shape) return nullptr;
  const graph::DataType type = request.outputs[0].type;
  for (size_t i = 0; i < std::min<size_t>(request.inputs.size(), 3); ++i)
    if (request.inputs[i].present && request.inputs[i].type != type) return nullptr;
  if (type == graph::DataType::Float) return std::make_unique<HalfSum<float>>(*plan);
  if (type == graph::DataType::Float16) return std::make_unique<HalfSum<Half>>(*plan);
  if (type == graph::DataType::BFloat16) return std::make_unique<HalfSum<graph::BFloat16>>(*plan);
  return nullptr;
}

}  // namespace

bool sums_in_half(const graph::Node& fused, bool single) {
  if (faults().ops.empty()) return false;
  const OpFault* fault = fault_for(fused, single);
  if (!fault) return false;
  const bool product = std::ranges::any_of(members_of(fused).nodes, ProductPlan::knows, &graph::Node::type);
  if (!product) say_fault_is_idle(*fault, kNoProduct);
  return product;
}

std::unique_ptr<backend::Kernel> injected_kernel(const backend::KernelRequest& request, const graph::Node* fused,
                                                 bool single) {
  if (faults().ops.empty()) return nullptr;
  const OpFault* fault = fault_for(fused ? *fused : request.node, single);
  if (!fault) return nullptr;
  auto kernel = make_half_sum(request);
  if (!kernel && !fused) say_fault_is_idle(*fault, kNoProduct);
  return kernel;
}

}  // namespace belay::executor
