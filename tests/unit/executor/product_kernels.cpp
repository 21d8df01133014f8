// SPDX-License-Identifier: Apache-2.0
// A product of matrices that is fused with its bias, a sum and an activation.
#include "unit/executor/one_node_models.h"

namespace belay::executor {
namespace {

struct FusedProduct {
  int64_t m, n, k;
  bool bias, sum;
  std::string activation;
  Attributes attributes = {};
};

// `made_here`: the result may take over the memory of what is added.
Case product_model(const FusedProduct& c, std::vector<float> x, bool made_here) {
  const Shape a = {c.m, c.k}, w = {c.k, c.n}, y = {c.m, c.n};
  Builder inner("members"), b("fused");
  std::vector<Edge> in = {inner.data("__input0", DataType::Float, a, 0), inner.data("__input1", DataType::Float, w, 1)};
  std::vector<Edge> inputs = {b.data("a", DataType::Float, a, 0),
                              b.constant("w", DataType::Float, w, random_floats(w, 2))};
  Case made;
  made.inputs = {{a, std::move(x)}};
  if (c.bias) {
    in.push_back(inner.data("__input2", DataType::Float, {c.n}, 2));
    inputs.push_back(b.constant("bias", DataType::Float, {c.n}, random_floats({c.n}, 3)));
  }
  Edge addend;
  if (c.sum) {
    const auto port = static_cast<int64_t>(inputs.size());
    addend = inner.data("__input" + std::to_string(port), DataType::Float, y, port);
    const Edge other = b.data("other", DataType::Float, y, 1);
    inputs.push_back(made_here ? b.op("Neg", "made", {other}) : other);
    made.inputs.push_back({y, random_floats(y, 5)});
  }
  Edge last = inner.op("MatMulV2", "head", in);
  if (c.sum) last = inner.op("Add", "sum", {last, addend});
  if (!c.activation.empty()) last = inner.op(c.activation, "act", {last}, c.attributes);
  inner.outputs({last});
  const Edge fused = b.op("MatMulV2", "head_sum_act", inputs,
                          {{std::string(graph::kMembers), std::make_shared<graph::Graph>(inner.take())}});
  b.outputs({made_here ? b.op("Neg", "after", {fused}) : fused});
  made.model = b.model();
  return made;
}

// A row, ragged panels, a single column, a depth in parts.
constexpr int64_t sizes[][3] = {{1, 65, 64}, {20, 70, 33}, {9, 1, 40}, {3, 10, 4100}, {130, 16, 5}};

template <class F>
void for_each_product(const F& f) {
  for (const auto& [m, n, k] : sizes)
    for (const auto& [activation, attributes] : activations)
      for (const int way : {0, 1, 2, 3}) {
        const FusedProduct c{m, n, k, way % 2 == 1, way / 2 == 1, activation, attributes};
        if (!c.sum && activation.empty()) continue;
        SCOPED_TRACE(std::to_string(m) + " " + std::to_string(n) + " " + std::to_string(k) + (c.bias ? " bias" : "") +
                     (c.sum ? " sum " : " ") + activation);
        f(c);
      }
}

TEST(FusedProduct, AgreesWithItsMembersOneByOne) {
  for_each_product([](const FusedProduct& c) {
    const Case model = product_model(c, random_floats({c.m, c.k}, 1), false);
    const auto fast = run(model, "fused panels");
    expect_close(fast, run(model, "reference"), c.k);
    EXPECT_EQ(fast, run(model, "fused panels", 3));
  });
}

TEST(FusedProduct, KeepsANaNAndMayOverwriteWhatItAdds) {
  for_each_product([](const FusedProduct& c) {
    auto x = random_floats({c.m, c.k}, 1);
    x[x.size() / 2] = nan;
    const Case model = product_model(c, x, true);
    expect_close(run(model, "", 2), run(model, "reference"), c.k);
  });
}

}  // namespace
}  // namespace belay::executor
