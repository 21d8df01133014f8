// SPDX-License-Identifier: Apache-2.0
// Whole aclnn calls that join parts of an attention, and one that keeps a state in place of keys: RingAttentionUpdate,
// AttentionUpdate, RecurrentGatedDeltaRule, ChunkGatedDeltaRule.
#include <cmath>

#include "backend/cpu/arguments.h"
#include "backend/cpu/attention/backward.h"
#include "backend/cpu/attention/sparse.h"
#include "backend/cpu/rows.h"
#include "backend/cpu/whole_call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

// Two parts, each with the largest score, the sum of weights and the result of every row.
struct RingUpdate {
  int lengths;
  int64_t batches, heads, rows, width;  // of SBH: [rows, batches, heads * width]; of TND: [rows, heads, width]
  bool tokens, plain;                   // TND; its sums are [T, N, 8]

  // Where the sums of a row lie, in rows of 8.
  Result<std::vector<int64_t>> places(Inputs in) const {
    std::vector<int64_t> made;
    if (!tokens) {
      for (int64_t s = 0; s < rows; ++s)
        for (int64_t b = 0; b < batches; ++b)
          for (int64_t n = 0; n < heads; ++n) made.push_back((b * heads + n) * rows + s);
      return made;
    }
    std::vector<int64_t> ends{0, rows};
    if (!plain) ends = TRY(integers(in[static_cast<size_t>(lengths)]));
    if (ends.empty() || ends.front() != 0 || ends.back() > rows)
      return failed("RingAttentionUpdate", formatted("actualSeqQlen must begin with 0 and end with at most {}", rows));
    for (size_t b = 0; b + 1 < ends.size(); ++b)
      for (int64_t i = 0; i < ends[b + 1] - ends[b]; ++i)
        for (int64_t n = 0; n < heads; ++n)
          made.push_back(plain ? i * heads + n : heads * ends[b] + n * (ends[b + 1] - ends[b]) + i);
    return made;
  }

  Status run(Inputs in, Outputs out) const {
    const auto place = TRY(places(in));
    std::vector<float> before(static_cast<size_t>(width)), now(before);
    for (size_t row = 0; row < place.size(); ++row) {
      const int64_t at = static_cast<int64_t>(row) * width, sums = place[row] * 8;
      const float m1 = in[1].as<float>()[sums], m2 = in[4].as<float>()[sums];
      const float s1 = in[2].as<float>()[sums], s2 = in[5].as<float>()[sums];
      const float m = std::max(m1, m2), a = m1 == m ? s1 : s1 * std::exp(m1 - m),
                  b = m2 == m ? s2 : s2 * std::exp(m2 - m), s = a + b;
      read_floats(in[0], at, width, before.data());
      read_floats(in[3], at, width, now.data());
      for (size_t c = 0; c < before.size(); ++c) before[c] = s > 0 ? (before[c] * a + now[c] * b) / s : 0;
      write_floats(before.data(), width, out[0], at);
      for (int64_t i = 0; i < 8; ++i) out[1].as<float>()[sums + i] = m, out[2].as<float>()[sums + i] = s;
    }
    return {};
  }
};

MadeKernel make_ring_update(const KernelRequest& request) {
  const WholeCall call(request);
  const auto &x = call.info(0), &sums = call.info(1);
  RingUpdate op{};
  op.lengths = call.input("lengths");
  const std::string layout = call.text("layout", "SBH"), softmax = call.text("softmax");
  op.tokens = layout == "TND", op.plain = softmax == "TND";
  if (layout != "TND" && layout != "SBH" && layout != "")
    return refuse(formatted("inputLayout \"{}\" is not \"SBH\" or \"TND\"", layout));
  if (softmax != "" && softmax != "SBH" && softmax != "TND")
    return refuse(formatted("inputSoftmaxLayout \"{}\" is not \"SBH\" or \"TND\"", softmax));
  if (x.shape.size() != 3 || !is_real(x.type)) return refuse("the results of attention must have 3 dimensions");
  for (const int each : {0, 3})
    if (call.info(each).shape != x.shape || call.info(each).type != x.type) return refuse("both results must be alike");
  if (call.result(0).shape != x.shape || call.result(0).type != x.type)
    return refuse("attnOut must be like prevAttnOut");
  op.rows = x.shape[0];
  if (op.tokens) {
    op.heads = x.shape[1], op.width = x.shape[2];
    if (!op.plain && op.lengths < 0) return refuse("layout TND needs actualSeqQlen");
  } else {
    if (sums.shape.size() != 4) return refuse("softmaxMax must be [B,N,S,8]");
    op.batches = x.shape[1], op.heads = sums.shape[1];
    if (op.heads == 0 || x.shape[2] % op.heads != 0 || sums.shape[0] != op.batches || sums.shape[2] != op.rows)
      return refuse(formatted("softmaxMax {} does not fit {}", graph::to_text(sums.shape), graph::to_text(x.shape)));
    op.width = x.shape[2] / op.heads;
  }
  const int64_t wanted = op.rows * op.heads * (op.tokens ? 1 : op.batches) * 8;
  for (const int each : {1, 2, 4, 5})
    if (call.info(each).type != DataType::Float || graph::element_count(call.info(each).shape) != wanted)
      return refuse(formatted("softmaxMax and softmaxSum must be FLOAT with {} elements", wanted));
  for (const int each : {1, 2})
    if (call.result(each).type != DataType::Float || graph::element_count(call.result(each).shape) != wanted)
      return refuse(formatted("softmaxMax and softmaxSum must be FLOAT with {} elements", wanted));
  return function_kernel([op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

// K parts, each with the logarithm of its sum of weights.
MadeKernel make_attention_update(const KernelRequest& request) {
  const WholeCall call(request);
  const auto lse = call.inputs("lse"), parts = call.inputs("part");
  const int64_t type = call.integer("type");
  const int told = type == 1 ? call.output(1) : -1;
  if (type != 0 && type != 1) return refuse(formatted("updateType is {}; it must be 0 or 1", type));
  if (lse.size() != parts.size())
    return refuse(formatted("there are {} lse and {} localOut", lse.size(), parts.size()));
  const auto& part = call.info(static_cast<int>(parts[0]));
  const int64_t rows = graph::element_count(call.info(static_cast<int>(lse[0])).shape);
  if (part.shape.empty() || !is_real(part.type) || rows == 0 || graph::element_count(part.shape) % rows != 0)
    return refuse("lse must be [M] and localOut [M,D]");
  const int64_t width = graph::element_count(part.shape) / rows;
  for (size_t i = 0; i < lse.size(); ++i)
    if (call.info(static_cast<int>(lse[i])).type != DataType::Float ||
        graph::element_count(call.info(static_cast<int>(lse[i])).shape) != rows ||
        call.info(static_cast<int>(parts[i])).shape != part.shape ||
        call.info(static_cast<int>(parts[i])).type != part.type)
      return refuse("the members of lse and of localOut must be alike");
  if (call.result(0).type != part.type || graph::element_count(call.result(0).shape) != rows * width)
    return refuse("out must be like localOut");
  if (type == 1 &&
      (told < 0 || call.result(told).type != DataType::Float || graph::element_count(call.result(told).shape) != rows))
    return refuse("updateType 1 needs an lseOut of FLOAT with M elements");
  return function_kernel([=](Inputs in, Outputs out) -> Status {
    std::vector<float> sum(static_cast<size_t>(width)), row(sum);
    for (int64_t r = 0; r < rows; ++r) {
      const auto value = [&](size_t i) {
        const float given = in[lse[i]].as<float>()[r];
        return given == INFINITY ? -INFINITY : given;  // a part without keys
      };
      float most = -INFINITY;
      for (size_t i = 0; i < lse.size(); ++i) most = std::max(most, value(i));
      double all = 0;
      for (size_t i = 0; i < lse.size() && most > -INFINITY; ++i) all += std::exp(static_cast<double>(value(i)) - most);
      const double whole = all > 0 ? most + std::log(all) : -INFINITY;
      std::fill(sum.begin(), sum.end(), 0.0f);
      for (size_t i = 0; i < lse.size(); ++i) {
        if (value(i) == -INFINITY) continue;
        const auto factor = static_cast<float>(std::exp(value(i) - whole));
        read_floats(in[parts[i]], r * width, width, row.data());
        for (size_t c = 0; c < sum.size(); ++c) sum[c] += factor * row[c];
      }
      write_floats(sum.data(), width, out[0], r * width);
      if (told >= 0) out[static_cast<size_t>(told)].as<float>()[r] = static_cast<float>(whole);
    }
    return {};
  });
}

// A state S of [value size, key size] for each head: S = S * exp(g) + (v - S k) beta k^T, and S (q scale) comes out.
struct DeltaRule {
  int query, key, value, beta, state, lengths, places, g, gk, accepted;
  int out, kept;
  int64_t key_heads, value_heads, key_size, value_size, tokens, blocks;
  float scale;
  bool by_sequence;  // a state for each sequence, not for each token

  Status run(Inputs in, Outputs results) const {
    const auto counts = TRY(integers(in[static_cast<size_t>(lengths)]));
    const auto block_of = by_sequence ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(places)]));
    const auto taken = accepted < 0 ? std::vector<int64_t>{} : TRY(integers(in[static_cast<size_t>(accepted)]));
    Tensor& states = results[static_cast<size_t>(kept)];
    copy_unless_same(in[static_cast<size_t>(state)], states);
    int64_t sum = 0;
    for (const int64_t each : counts) sum += each;
    if (sum > tokens || std::ranges::any_of(counts, [](int64_t n) { return n < 0; }))
      return failed("GatedDeltaRule", formatted("actualSeqLengths add up to {}; there are {} tokens", sum, tokens));
    const int64_t size = value_size * key_size;
    std::vector<float> s(static_cast<size_t>(size));
    int64_t begin = 0;
    for (size_t b = 0; b < counts.size(); ++b) {
      const auto block = [&](int64_t t) {
        return by_sequence ? static_cast<int64_t>(b) : block_of[static_cast<size_t>(t)];
      };
      const int64_t first = begin + (taken.empty() ? 0 : taken[b] - 1);
      for (int64_t h = 0; h < value_heads && counts[b] > 0; ++h) {
        const auto at = [&](int64_t t) -> Result<int64_t> {
          const int64_t index = t >= 0 && t < tokens ? block(t) : -1;
          if (index < 0 || index >= blocks)
            return failed("GatedDeltaRule", formatted("token {} has state {}; there are {}", t, index, blocks));
          return (index * value_heads + h) * size;
        };
        read_floats(states, TRY(at(first)), size, s.data());
        for (int64_t t = begin; t < begin + counts[b]; ++t) {
          step(in, results[static_cast<size_t>(out)], t, h, s);
          if (!by_sequence || t + 1 == begin + counts[b]) write_floats(s.data(), size, states, TRY(at(t)));
        }
      }
      begin += counts[b];
    }
    return {};
  }

  void step(Inputs in, Tensor& y, int64_t t, int64_t h, std::vector<float>& s) const {
    const int64_t from = (t * key_heads + h / (value_heads / key_heads)) * key_size, own = t * value_heads + h;
    std::vector<float> q(static_cast<size_t>(key_size)), k(q), decay(q.size(), 1.0f);
    std::vector<float> v(static_cast<size_t>(value_size));
    read_floats(in[static_cast<size_t>(query)], from, key_size, q.data());
    read_floats(in[static_cast<size_t>(key)], from, key_size, k.data());
    read_floats(in[static_cast<size_t>(value)], own * value_size, value_size, v.data());
    float by = 0, all = 0;
    read_floats(in[static_cast<size_t>(beta)], own, 1, &by);
    if (g >= 0) read_floats(in[static_cast<size_t>(g)], own, 1, &all);
    if (gk >= 0) read_floats(in[static_cast<size_t>(gk)], own * key_size, key_size, decay.data());
    for (float& each : decay) each = std::exp((gk >= 0 ? each : 0) + all);
    for (int64_t r = 0; r < value_size; ++r) {
      float* row = s.data() + r * key_size;
      float seen = 0, made = 0;
      for (int64_t c = 0; c < key_size; ++c) {
        row[c] *= decay[static_cast<size_t>(c)];
        seen += row[c] * k[static_cast<size_t>(c)];
      }
      const float change = (v[static_cast<size_t>(r)] - seen) * by;
      for (int64_t c = 0; c < key_size; ++c) {
        row[c] += change * k[static_cast<size_t>(c)];
        made += row[c] * q[static_cast<size_t>(c)] * scale;
      }
      v[static_cast<size_t>(r)] = made;
    }
    write_floats(v.data(), value_size, y, own * value_size);
  }
};

MadeKernel make_delta_rule(const KernelRequest& request) {
  const WholeCall call(request);
  DeltaRule op{};
  op.query = call.even_empty("query"), op.key = call.even_empty("key"), op.value = call.even_empty("value");
  op.beta = call.even_empty("beta"), op.state = call.even_empty("state"), op.lengths = call.even_empty("lengths");
  op.places = call.even_empty("places"), op.g = call.input("g"), op.gk = call.input("gk");
  op.accepted = call.input("accepted"), op.out = call.output(0), op.kept = call.output(1);
  op.scale = static_cast<float>(call.real("scale", 1)), op.by_sequence = op.places < 0;
  const Shape &q = call.info(op.query).shape, &v = call.info(op.value).shape, &s = call.info(op.state).shape;
  if (q.size() != 3 || call.info(op.key).shape != q || v.size() != 3 || v[0] != q[0] || s.size() != 4)
    return refuse("query and key must be [T,Nk,Dk], value [T,Nv,Dv] and the state [blocks,Nv,Dv,Dk]");
  op.tokens = q[0], op.key_heads = q[1], op.key_size = q[2], op.value_heads = v[1], op.value_size = v[2];
  op.blocks = s[0];
  if (op.key_heads == 0 || op.value_heads % op.key_heads != 0)
    return refuse(formatted("{} value heads are no multiple of {} key heads", op.value_heads, op.key_heads));
  if (s != Shape{op.blocks, op.value_heads, op.value_size, op.key_size})
    return refuse(formatted("the state has shape {}; it must be [blocks,{},{},{}]", graph::to_text(s), op.value_heads,
                            op.value_size, op.key_size));
  const int64_t pairs = op.tokens * op.value_heads;
  const auto counted = [&](int input, int64_t count) {
    return input < 0 || graph::element_count(call.info(input).shape) == count;
  };
  if (!counted(op.beta, pairs) || !counted(op.g, pairs) || !counted(op.gk, pairs * op.key_size))
    return refuse("beta and g must be [T,Nv], gk [T,Nv,Dk]");
  const int64_t sequences = graph::element_count(call.info(op.lengths).shape);
  if (!counted(op.accepted, sequences) || !counted(op.places, op.tokens) || (op.by_sequence && sequences != op.blocks))
    return refuse("actualSeqLengths and numAcceptedTokens must be [B], ssmStateIndices [T]");
  TRY(call.all_real({"query", "key", "value", "beta", "state", "g", "gk"}));
  const auto &y = call.result(op.out), &kept = call.result(op.kept);
  if (!is_real(y.type) || y.shape != v || kept.shape != s || kept.type != call.info(op.state).type)
    return refuse("out must have value's shape, and the final state that of the first");
  return whole_kernel({{static_cast<size_t>(op.kept), static_cast<size_t>(op.state)}},
                      [op](Inputs in, Outputs out) -> Status { return op.run(in, out); });
}

constexpr KernelRow rows[] = {
    {"AclnnAttentionGrad", "reference", make_attention_grad},
    {"AclnnAttentionUpdate", "reference", make_attention_update},
    {"AclnnDeltaRule", "reference", make_delta_rule},
    {"AclnnIndexer", "reference", make_indexer},
    {"AclnnRingUpdate", "reference", make_ring_update},
    {"AclnnSparseAttention", "reference", make_sparse_attention},
};

}  // namespace

std::span<const KernelRow> attention_update_rows() { return rows; }

}  // namespace belay::backend::cpu
