// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/attention/backward.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "backend/cpu/attention/call.h"
#include "base/text.h"
#include "base/threads/parallel.h"

namespace belay::backend::cpu {
namespace {

using namespace attention;

using Row = std::vector<float>;

Row zeros(int64_t count) { return Row(static_cast<size_t>(count)); }

// With P = exp(S - max) / sum: dV = P dY, dP = dY V, dS = P (dP - sum of P dP), dQ = scale dS K, dK = scale dS Q.
struct Backward {
  Call call;
  Heads given, dq, dk, dv, dq_rope, dk_rope;  // of dy and the gradients
  int dy, most, sum;
  int to_q, to_k, to_v, to_q_rope, to_k_rope, to_sink;
  bool like_input = false;  // most and sum of joined sequences lie as the query does

  int64_t place(size_t b, int64_t head, int64_t i) const {
    const Rows& rows = call.queries[b];
    if (!call.q.joined) return (static_cast<int64_t>(b) * call.q.heads + head) * call.q.rows + rows.first + i;
    return like_input ? (rows.first + i) * call.q.heads + head : call.q.heads * rows.first + head * rows.count + i;
  }

  Status run(Inputs in, Outputs out) const {
    const Sources from(call, in);
    TRY(from.check(call));
    for (const int each : {to_q, to_k, to_v, to_q_rope, to_k_rope, to_sink})
      if (each >= 0) std::memset(out[static_cast<size_t>(each)].data, 0, out[static_cast<size_t>(each)].bytes());
    std::vector<double> sinks(static_cast<size_t>(call.q.heads));
    const int64_t heads = call.keys->heads();
    // A piece for each head of the keys: batches add up in the sinks in their order.
    parallel_pieces(heads, heads, [&](int64_t head, int64_t) {
      for (size_t b = 0; b < call.queries.size(); ++b) keys_of_head(in, out, from, b, head, sinks);
    });
    if (to_sink >= 0) {
      const Row made(sinks.begin(), sinks.end());
      write_floats(made.data(), call.q.heads, out[static_cast<size_t>(to_sink)], 0);
    }
    return {};
  }

  void keys_of_head(Inputs in, Outputs out, const Sources& from, size_t b, int64_t head,
                    std::vector<double>& sinks) const {
    const auto batch = static_cast<int64_t>(b);
    const Rows &keys = from.key_rows[b], &queries = from.queries[b];
    const int64_t width = call.width(), size = call.values->size(), count = keys.count;
    Row k = zeros(count * width), v = zeros(count * size), of_k = k, of_v = v;
    from.keys->read(batch, head, keys, 0, count, k.data(), width);
    if (from.key_rope) from.key_rope->read(batch, head, keys, 0, count, k.data() + call.q.size, width);
    from.values->read(batch, head, keys, 0, count, v.data(), size);
    for (int64_t h = head * call.group; h < (head + 1) * call.group; ++h)
      for (int64_t i = 0; i < queries.count; ++i) query_row(in, out, from, b, h, i, k, v, of_k, of_v, sinks);
    for (int64_t j = 0; j < count; ++j) {
      const int64_t row = keys.first + j;
      write_floats(of_k.data() + j * width, call.q.size, out[static_cast<size_t>(to_k)], dk.at(batch, head, row));
      if (to_k_rope >= 0)
        write_floats(of_k.data() + j * width + call.q.size, call.q_rope.size, out[static_cast<size_t>(to_k_rope)],
                     dk_rope.at(batch, head, row));
      write_floats(of_v.data() + j * size, size, out[static_cast<size_t>(to_v)], dv.at(batch, head, row));
    }
  }

  void query_row(Inputs in, Outputs out, const Sources& from, size_t b, int64_t h, int64_t i, const Row& k,
                 const Row& v, Row& of_k, Row& of_v, std::vector<double>& sinks) const {
    const auto batch = static_cast<int64_t>(b);
    const Rows &keys = from.key_rows[b], &queries = from.queries[b];
    const int64_t width = call.width(), size = call.values->size(), row = queries.first + i;
    Row q = zeros(width), g = zeros(size), scores = zeros(keys.count), shifts = scores, slopes = scores, made = q;
    read_floats(in[static_cast<size_t>(call.query)], call.q.at(batch, h, row), call.q.size, q.data());
    if (call.query_rope >= 0)
      read_floats(in[static_cast<size_t>(call.query_rope)], call.q_rope.at(batch, h, row), call.q_rope.size,
                  q.data() + call.q.size);
    read_floats(in[static_cast<size_t>(dy)], given.at(batch, h, row), size, g.data());
    for (int64_t j = 0; j < keys.count; ++j)
      for (int64_t c = 0; c < width; ++c)
        scores[static_cast<size_t>(j)] += q[static_cast<size_t>(c)] * k[static_cast<size_t>(j * width + c)];
    const ScoreRow about{b, h, i, queries.count, keys.count, 0, keys.count};
    scale_scores(call, in, about, scores.data(), shifts.data());
    const bool any = mask_scores(call, in, about, scores.data(), nullptr);
    const float highest = in[static_cast<size_t>(most)].as<float>()[place(b, h, i) * 8],
                total = in[static_cast<size_t>(sum)].as<float>()[place(b, h, i) * 8];
    double along = 0;
    for (int64_t j = 0; j < keys.count && any; ++j) {
      const auto at = static_cast<size_t>(j);
      float& weight = scores[at];
      weight = std::exp(weight - highest) / total;
      if (weight == 0) continue;
      float factor = 1;
      if (call.drop >= 0) factor = call.kept(in, b, h, i, j) ? 1 / call.keep : 0;
      float seen = 0;
      for (int64_t c = 0; c < size; ++c) {
        const auto value = static_cast<size_t>(j * size + c);
        seen += g[static_cast<size_t>(c)] * v[value];
        of_v[value] += weight * factor * g[static_cast<size_t>(c)];
      }
      slopes[at] = seen * factor;
      along += static_cast<double>(weight) * slopes[at];
    }
    for (int64_t j = 0; j < keys.count && any; ++j) {
      const auto at = static_cast<size_t>(j);
      const float slope = call.scale * scores[at] * (slopes[at] - static_cast<float>(along));
      if (slope == 0) continue;
      for (int64_t c = 0; c < width; ++c) {
        const auto key = static_cast<size_t>(j * width + c);
        made[static_cast<size_t>(c)] += slope * k[key];
        of_k[key] += slope * q[static_cast<size_t>(c)];
      }
    }
    write_floats(made.data(), call.q.size, out[static_cast<size_t>(to_q)], dq.at(batch, h, row));
    if (to_q_rope >= 0)
      write_floats(made.data() + call.q.size, call.q_rope.size, out[static_cast<size_t>(to_q_rope)],
                   dq_rope.at(batch, h, row));
    if (to_sink >= 0 && any)
      sinks[static_cast<size_t>(h)] -= std::exp(from.sinks[static_cast<size_t>(h)] - highest) / total * along;
  }
};

Status like(const WholeCall& call, int output, int input, const std::string& name) {
  const auto &y = call.result(output), &x = call.info(input);
  if (y.shape == x.shape && y.type == x.type) return {};
  return refuse(formatted("{} is {} {}; it must be {} {}", name, graph::name_of(y.type), graph::to_text(y.shape),
                          graph::name_of(x.type), graph::to_text(x.shape)));
}

}  // namespace

MadeKernel make_attention_grad(const KernelRequest& request) {
  const WholeCall call(request);
  Backward op{};
  op.call = TRY(Call::make(request));
  TRY(call.absent({"paddingMask", "dScaleQ", "dScaleK", "dScaleV", "dScaleDy", "dScaleO"}));
  op.dy = call.even_empty("dy"), op.most = call.even_empty("most"), op.sum = call.even_empty("sum");
  const auto named = [&](const char* name) { return call.result_named(name); };
  op.to_q = named("dq"), op.to_k = named("dk"), op.to_v = named("dv");
  op.to_q_rope = op.call.query_rope < 0 ? -1 : named("dq_rope");
  op.to_k_rope = op.call.query_rope < 0 ? -1 : named("dk_rope");
  op.to_sink = op.call.sink < 0 ? -1 : named("dsink");
  if (op.call.query_rope >= 0 && (op.to_q_rope < 0 || op.to_k_rope < 0)) return refuse("dqRope and dkRope are needed");
  if (op.call.sink >= 0 && op.to_sink < 0) return refuse("dsink is needed");
  const int key = call.even_empty("key"), value = call.even_empty("value");
  TRY(like(call, op.to_q, op.call.query, "dq"));
  TRY(like(call, op.to_k, key, "dk"));
  TRY(like(call, op.to_v, value, "dv"));
  const std::string& layout = op.call.layouts.input;
  const int64_t heads = op.call.q.heads, shared = op.call.keys->heads();
  const auto& dy = call.info(op.dy);
  if (dy.shape != shape_of(layout, op.call.q.batches, heads, op.call.q.rows, op.call.values->size()) ||
      dy.type != call.info(op.call.query).type)
    return refuse(formatted("dy has shape {} and is {}, which does not fit query and value", graph::to_text(dy.shape),
                            graph::name_of(dy.type)));
  op.given = TRY(heads_of("dy", layout, dy.shape, heads));
  op.dq = TRY(heads_of("dq", layout, call.result(op.to_q).shape, heads));
  op.dk = TRY(heads_of("dk", layout, call.result(op.to_k).shape, shared));
  op.dv = TRY(heads_of("dv", layout, call.result(op.to_v).shape, shared));
  if (op.to_q_rope >= 0) {
    TRY(like(call, op.to_q_rope, op.call.query_rope, "dqRope"));
    TRY(like(call, op.to_k_rope, call.even_empty("key_rope"), "dkRope"));
    op.dq_rope = TRY(heads_of("dqRope", layout, call.result(op.to_q_rope).shape, heads));
    op.dk_rope = TRY(heads_of("dkRope", layout, call.result(op.to_k_rope).shape, shared));
  }
  if (op.to_sink >= 0 &&
      (call.result(op.to_sink).type != DataType::Float || graph::element_count(call.result(op.to_sink).shape) != heads))
    return refuse(formatted("dsink must be FLOAT with {} elements", heads));
  const std::string softmax = call.text("softmax_layout");
  if (!softmax.empty() && softmax != "same_as_input")
    return refuse(formatted("softmaxInLayout \"{}\" is not supported; \"\" and \"same_as_input\" are", softmax));
  op.like_input = !softmax.empty();
  const int64_t rows = op.call.q.batches * heads * op.call.q.rows * 8;
  for (const int each : {op.most, op.sum})
    if (call.info(each).type != DataType::Float || graph::element_count(call.info(each).shape) != rows)
      return refuse(formatted("softmaxMax and softmaxSum must be FLOAT with {} elements", rows));
  return function_kernel([op = std::make_shared<const Backward>(std::move(op))](Inputs in, Outputs out) -> Status {
    return op->run(in, out);
  });
}

}  // namespace belay::backend::cpu
