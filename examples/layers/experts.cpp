// SPDX-License-Identifier: Apache-2.0
// A mixture of experts as plain aclnn calls: a router, experts whose weights are int8 and whose inputs are quantised
// row by row, and an expert for all tokens whose weights are int4. A prompt, then one token after the other.
//
//   experts DIRECTORY TYPE HIDDEN EXPERTS CHOSEN INNER PROMPT STEPS
//
// TYPE is float16 or bfloat16. Weights and tokens are files of the directory; what comes out is written to its file
// `result`.
#include "aclnnop/aclnn_add.h"
#include "aclnnop/aclnn_grouped_matmul_swiglu_quant.h"
#include "aclnnop/aclnn_grouped_matmul_v4.h"
#include "aclnnop/aclnn_matmul.h"
#include "aclnnop/aclnn_moe_finalize_routing_v2.h"
#include "aclnnop/aclnn_moe_gating_top_k_softmax_v2.h"
#include "aclnnop/aclnn_moe_init_routing_v3.h"
#include "aclnnop/aclnn_rms_norm.h"
#include "aclnnop/aclnn_swi_glu.h"
#include "aclnnop/aclnn_weight_quant_batch_matmul_v2.h"
#include "engine.h"

namespace {

constexpr double kEpsilon = 1e-5;
constexpr int kGroup = 32;  // weights of one scale, of the int4 ones

struct Sizes {
  int64_t hidden, experts, chosen, inner, prompt, steps;
};

// Weights of four bits, as [outputs, inputs] in memory, with a scale for each group of inputs.
struct Int4Weights {
  View weights, scales;
  Int4Weights(Engine& engine, const std::string& name, aclDataType type, int64_t inputs, int64_t outputs)
      : weights(engine.weight(name, ACL_INT4, {outputs, inputs})),
        scales(engine.weight(name + "_scale", type, {outputs, inputs / kGroup})) {}
};

class Layer {
 public:
  Layer(Engine& engine, aclDataType type, const Sizes& sizes)
      : e_(engine),
        type_(type),
        s_(sizes),
        norm_(e_.weight("norm", type, {s_.hidden})),
        router_(e_.weight("router", type, {s_.experts, s_.hidden})),
        up_(e_.weight("up", ACL_INT8, {s_.experts, s_.hidden, 2 * s_.inner})),
        up_scale_(e_.weight("up_scale", ACL_FLOAT, {s_.experts, 2 * s_.inner})),
        down_(e_.weight("down", ACL_INT8, {s_.experts, s_.inner, s_.hidden})),
        down_scale_(e_.weight("down_scale", type == ACL_BF16 ? ACL_BF16 : ACL_FLOAT, {s_.experts, s_.hidden})),
        shared_up_(e_, "shared_up", type, s_.hidden, 2 * s_.inner),
        shared_down_(e_, "shared_down", type, s_.inner, s_.hidden) {
    const float one = 1;
    one_ = aclCreateScalar(const_cast<float*>(&one), ACL_FLOAT);
    const int64_t range[] = {0, s_.experts};
    range_ = aclCreateIntArray(range, 2);
  }
  ~Layer() {
    aclDestroyScalar(one_);
    aclDestroyIntArray(range_);
  }

  // What comes out takes the place of x.
  void run(const View& x) {
    const int64_t count = x.shape[0];
    const Block normed = e_.block(type_, {count, s_.hidden});
    {
      const Block rstd = e_.block(ACL_FLOAT, {count, 1});
      CALL(e_, aclnnRmsNorm, Tensor(x), Tensor(norm_), kEpsilon, Tensor(*normed), Tensor(*rstd));
    }
    const Block weights = e_.block(type_, {count, s_.chosen}), experts = e_.block(ACL_INT32, {count, s_.chosen});
    choose(*normed, *weights, *experts);
    run_experts(*normed, *weights, *experts, x);
    run_shared(*normed, x);
  }

 private:
  void choose(const View& normed, const View& weights, const View& experts) {
    const Block logits = e_.block(type_, {normed.shape[0], s_.experts});
    CALL(e_, aclnnMatmul, Tensor(normed), Tensor(router_.turned()), Tensor(*logits), int8_t{0});
    aclTensor* none = nullptr;
    CALL(e_, aclnnMoeGatingTopKSoftmaxV2, Tensor(*logits), none, s_.chosen, int64_t{1}, false, Tensor(weights),
         Tensor(experts), none);
  }

  void run_experts(const View& normed, const View& weights, const View& experts, const View& x) {
    const int64_t rows = normed.shape[0] * s_.chosen;
    const Block places = e_.block(ACL_INT32, {rows}), results = e_.block(type_, {rows, s_.hidden});
    {
      const Block taken = e_.block(ACL_INT8, {rows, s_.hidden}), scale = e_.block(ACL_FLOAT, {rows});
      const Block ends = e_.block(ACL_INT64, {s_.experts});
      aclTensor* none = nullptr;
      CALL(e_, aclnnMoeInitRoutingV3, Tensor(normed), Tensor(experts), none, none, rows, int64_t{0}, s_.experts,
           int64_t{0}, int64_t{0}, true, int64_t{1}, range_, int64_t{0}, Tensor(*taken), Tensor(*places), Tensor(*ends),
           Tensor(*scale));
      const Block gated = e_.block(ACL_INT8, {rows, s_.inner}), gated_scale = e_.block(ACL_FLOAT, {rows});
      CALL(e_, aclnnGroupedMatmulSwigluQuant, Tensor(*taken), Tensor(up_), none, none, Tensor(up_scale_),
           Tensor(*scale), Tensor(*ends), Tensor(*gated), Tensor(*gated_scale), none);
      aclTensorList* empty = nullptr;
      CALL(e_, aclnnGroupedMatmulV4, List(*gated), List(down_), empty, List(down_scale_), empty, empty, empty,
           List(*gated_scale), Tensor(*ends), empty, empty, empty, int64_t{3}, int64_t{0}, int64_t{0}, int64_t{0},
           List(*results), empty, empty);
    }
    aclTensor* none = nullptr;
    CALL(e_, aclnnMoeFinalizeRoutingV2, Tensor(*results), Tensor(*places), Tensor(x), none, none, Tensor(weights),
         Tensor(experts), int64_t{2}, Tensor(x));
  }

  void run_shared(const View& normed, const View& x) {
    const int64_t count = normed.shape[0];
    const Block wide = e_.block(type_, {count, 2 * s_.inner}), gated = e_.block(type_, {count, s_.inner});
    multiply(normed, shared_up_, *wide);
    CALL(e_, aclnnSwiGlu, Tensor(*wide), int64_t{-1}, Tensor(*gated));
    const Block made = e_.block(type_, {count, s_.hidden});
    multiply(*gated, shared_down_, *made);
    CALL(e_, aclnnInplaceAdd, Tensor(x), Tensor(*made), one_);
  }

  void multiply(const View& x, const Int4Weights& by, const View& y) {
    aclTensor* none = nullptr;
    CALL(e_, aclnnWeightQuantBatchMatmulV2, Tensor(x), Tensor(by.weights.turned()), Tensor(by.scales.turned()), none,
         none, none, none, kGroup, Tensor(y));
  }

  Engine& e_;
  const aclDataType type_;
  const Sizes s_;
  const View norm_, router_, up_, up_scale_, down_, down_scale_;
  const Int4Weights shared_up_, shared_down_;
  aclScalar* one_ = nullptr;
  aclIntArray* range_ = nullptr;
};

}  // namespace

int main(int count, char** words) {
  if (count != 9) return std::fprintf(stderr, "experts DIRECTORY TYPE HIDDEN EXPERTS CHOSEN INNER PROMPT STEPS\n"), 2;
  const auto number = [&](int i) { return std::atoll(words[i]); };
  const aclDataType type = type_named(words[2]);
  const Sizes sizes{number(3), number(4), number(5), number(6), number(7), number(8)};
  Engine engine(words[1], size_t{4} << 20);
  {
    Layer layer(engine, type, sizes);
    const std::vector<char> tokens = engine.contents("tokens");
    std::vector<char> result(tokens.size());
    const size_t row = bytes_of(type, sizes.hidden);
    for (int64_t begin = 0; begin < sizes.prompt + sizes.steps;) {
      const int64_t taken = begin == 0 ? sizes.prompt : 1;
      const Block x = engine.block(type, {taken, sizes.hidden});
      engine.to_device(*x, tokens.data() + static_cast<size_t>(begin) * row);
      layer.run(*x);
      engine.to_host(result.data() + static_cast<size_t>(begin) * row, *x);
      begin += taken;
    }
    engine.synchronize();
    engine.write("result", result.data(), result.size());
  }
  std::printf("%d aclnn calls\n", engine.calls());
  return 0;
}
