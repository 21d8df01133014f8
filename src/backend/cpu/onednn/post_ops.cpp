// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/onednn/post_ops.h"

namespace belay::backend::cpu::onednn {
namespace {

dnnl::algorithm algorithm_of(EltwiseKind kind) {
  using dnnl::algorithm;
  switch (kind) {
    case EltwiseKind::Relu:
      return algorithm::eltwise_relu;
    case EltwiseKind::Clip:
      return algorithm::eltwise_clip_v2;
    case EltwiseKind::Sigmoid:
      return algorithm::eltwise_logistic;
    case EltwiseKind::Tanh:
      return algorithm::eltwise_tanh;
    case EltwiseKind::Elu:
      return algorithm::eltwise_elu;
    case EltwiseKind::Swish:
      return algorithm::eltwise_swish;
    case EltwiseKind::HardSwish:
      return algorithm::eltwise_hardswish;
    case EltwiseKind::Mish:
      return algorithm::eltwise_mish;
    case EltwiseKind::GeluTanh:
      return algorithm::eltwise_gelu_tanh;
    case EltwiseKind::GeluErf:
      return algorithm::eltwise_gelu_erf;
    case EltwiseKind::Linear:
      return algorithm::eltwise_linear;
  }
  return algorithm::undef;
}

}  // namespace

dnnl::post_ops post_ops_of(const Chain& chain, bool with_activation) {
  dnnl::post_ops post;
  if (chain.addend >= 0) post.append_sum(1.0f);
  if (with_activation)
    for (const Eltwise& step : chain.activation)
      post.append_eltwise(1.0f, algorithm_of(step.kind), step.alpha, step.beta);
  return post;
}

}  // namespace belay::backend::cpu::onednn
